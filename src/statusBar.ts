// The status bar entry itself: keeps what is known and shows what status.ts makes of it.
// A click opens the menu.
import * as vscode from 'vscode';
import { render, type RenderedStatus, type StatusView } from './status';

export class StatusBar implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem(
    'flashline.status',
    vscode.StatusBarAlignment.Right,
    100,
  );
  #view: StatusView;
  #rendered: RenderedStatus;

  constructor(view: StatusView) {
    this.#view = view;
    this.#item.name = 'Flashline';
    this.#item.command = 'flashline.showMenu';
    this.#rendered = this.#show();
    this.#item.show();
  }

  get view(): StatusView {
    return this.#view;
  }

  get rendered(): RenderedStatus {
    return this.#rendered;
  }

  update(change: Partial<StatusView>): void {
    this.#view = { ...this.#view, ...change };
    this.#rendered = this.#show();
  }

  dispose(): void {
    this.#item.dispose();
  }

  #show(): RenderedStatus {
    const rendered = render(this.#view, vscode.l10n.t);
    const { state, text, tooltip, label } = rendered;
    this.#item.text = text;
    // A label hides later texts from screen readers, so both always change together.
    this.#item.accessibilityInformation = { label, role: 'button' };
    this.#item.tooltip = new vscode.MarkdownString(tooltip);
    this.#item.backgroundColor =
      state === 'error' ? new vscode.ThemeColor('statusBarItem.errorBackground') : undefined;
    return rendered;
  }
}
