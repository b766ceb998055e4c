// The statistics panel: one webview, filled from the server's history when it opens and updated with each request.
// page.ts and sections.ts render its content; its script inserts that HTML and sends the clicks of its buttons.
import * as vscode from 'vscode';
import { randomBytes } from 'node:crypto';
import { Method, type StatsRow } from '../../server/protocol/messages';
import { failureOf } from '../../server/rules/failure';
import type { FlashlineClient } from '../connection/client';
import type { AcceptanceCounter } from '../ghostText/acceptanceCounter';
import { comparison } from './comparison';
import { html } from './html';
import { page } from './page';
import { rowHistory } from './rows';
import { sections } from './sections';

/** Time between two updates while requests follow each other. */
const REDRAW_MS = 150;

export class StatisticsPanel implements vscode.Disposable {
  #panel: vscode.WebviewPanel | undefined;
  #rows: readonly StatsRow[] = [];
  #comparison = html``;
  #isComparing = false;
  /** Section to show once the page is ready. */
  #requested: 'why' | undefined;
  #redraw: NodeJS.Timeout | undefined;

  constructor(
    private readonly extensionUri: vscode.Uri,
    private readonly client: FlashlineClient,
    private readonly log: vscode.LogOutputChannel,
    private readonly accepted: AcceptanceCounter,
  ) {}

  get rows(): readonly StatsRow[] {
    return this.#rows;
  }

  /** Shows the panel, with the focus on the section if one is given. */
  show(section?: 'why'): void {
    this.#requested = section;
    const preserveFocus = section === undefined;
    if (this.#panel !== undefined) {
      // A hidden page reports that it is ready when it is shown again.
      if (this.#panel.visible) this.#goToRequested();
      return void this.#panel.reveal(undefined, preserveFocus);
    }
    const media = vscode.Uri.joinPath(this.extensionUri, 'media', 'panel');
    const panel = vscode.window.createWebviewPanel(
      'flashline.statistics',
      'Flashline statistics',
      { viewColumn: vscode.ViewColumn.Beside, preserveFocus },
      { enableScripts: true, localResourceRoots: [media] },
    );
    this.#panel = panel;
    const { webview } = panel;
    const uriOf = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(media, name)).toString();
    webview.onDidReceiveMessage(({ type }: { readonly type: 'ready' | 'compare' }) => {
      if (type === 'ready') void this.#open();
      else void this.compare();
    });
    panel.onDidDispose(() => {
      this.#panel = undefined;
    });
    panel.iconPath = vscode.Uri.joinPath(media, 'icon.svg');
    webview.html = page({
      cspSource: webview.cspSource,
      nonce: randomBytes(16).toString('hex'),
      script: uriOf('panel.js'),
      style: uriOf('panel.css'),
    });
  }

  add(row: StatsRow): void {
    this.#rows = rowHistory(this.#rows, [row]);
    this.#redraw ??= setTimeout(() => {
      this.#draw();
    }, REDRAW_MS);
  }

  /** Runs the last prompt again, with and without drafts. */
  async compare(): Promise<void> {
    if (this.#isComparing) return;
    this.show();
    this.#isComparing = true;
    this.#comparison = html`<p>Comparing: running the last prompt with and without drafts.</p>`;
    this.#draw();
    try {
      this.#comparison = comparison(await this.client.request(Method.compare, {}));
    } catch (error) {
      this.log.error('Comparing failed.', error);
      this.#comparison = html`<p>The comparison failed: ${failureOf(error).message}</p>`;
    }
    this.#isComparing = false;
    this.#draw();
  }

  dispose(): void {
    clearTimeout(this.#redraw);
    this.#panel?.dispose();
  }

  async #open(): Promise<void> {
    try {
      this.#rows = rowHistory(this.#rows, await this.client.request(Method.history, {}));
    } catch (error) {
      this.log.warn('The server returned no history.', error);
    }
    this.#draw();
    this.#goToRequested();
  }

  #goToRequested(): void {
    if (this.#requested !== undefined) void this.#panel?.webview.postMessage({ goTo: this.#requested });
    this.#requested = undefined;
  }

  /** Sends HTML by element id, and whether a comparison is running; the page replaces the elements that differ. */
  #draw(): void {
    clearTimeout(this.#redraw);
    this.#redraw = undefined;
    if (this.#panel === undefined) return;
    const drawn = { ...sections(this.#rows, this.accepted.days), comparison: this.#comparison.text };
    void this.#panel.webview.postMessage({ sections: drawn, comparing: this.#isComparing });
  }
}
