// The status bar entry: shows the state as text, as a tooltip and as a label for screen readers. A click opens the
// menu.
import * as vscode from 'vscode';
import { NO_ACCEPTANCE } from '../ghostText/acceptanceCounter';
import { percentText } from '../../server/rules/downloadProgress';
import { statusTooltip } from './statusTooltip';
import type { StatusView } from './statusView';
import { stateWords, stateOf } from './statusState';

export class StatusBar implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem(
    'flashline.status',
    vscode.StatusBarAlignment.Right,
    100,
  );
  /** Starts as the view before the first report of the server. */
  #view: StatusView = {
    connection: 'starting',
    trigger: 'automatic',
    acceptance: NO_ACCEPTANCE,
  };

  constructor() {
    this.#item.name = 'Flashline';
    this.#item.command = 'flashline.showMenu';
    this.#show();
    this.#item.show();
  }

  get view(): StatusView {
    return this.#view;
  }

  get rendered() {
    return render(this.#view);
  }

  update(change: Partial<StatusView>): void {
    this.#view = { ...this.#view, ...change };
    this.#show();
  }

  dispose(): void {
    this.#item.dispose();
  }

  #show(): void {
    const { state, text, tooltip, label } = this.rendered;
    this.#item.text = text;
    // Screen readers read the label instead of the text, so both always change together.
    this.#item.accessibilityInformation = { label, role: 'button' };
    const markdown = new vscode.MarkdownString(tooltip);
    markdown.isTrusted = { enabledCommands: ['flashline.showStatistics'] };
    this.#item.tooltip = markdown;
    this.#item.backgroundColor =
      state === 'error' ? new vscode.ThemeColor('statusBarItem.errorBackground') : undefined;
  }
}

/** Returns the state with its texts: the entry, a tooltip in Markdown and a label for screen readers. */
export function render(view: StatusView) {
  const { state, icon, text: stateText, reason, speed } = stateOf(view);
  const shown = `$(${icon}) ${stateText}`;
  const text = view.download ? `${shown} $(cloud-download) ${percentText(view.download.progress)}` : shown;
  const label =
    speed === undefined
      ? `Flashline: ${reason}`
      : `Flashline: ${reason} Last measured speed: ${speed} tokens per second.`;
  return { state, text, reason, label, tooltip: statusTooltip(view, stateWords(state), reason) };
}
