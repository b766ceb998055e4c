// Turns next edits of a window on and off, and handles their commands. While they are off there are no listeners.
import * as vscode from 'vscode';
import { NextEditLoop } from './nextEditLoop';
import { NextEditRequests } from './requests';
import type { GhostText } from './triggers';
import type { NextEditStatus } from '../../server/protocol/nextEditMessages';
import type { Configuration } from '../configuration';
import type { FlashlineClient } from '../connection/client';
import type { EditorGate } from '../gate/gate';

export interface NextEditParts {
  readonly configuration: Configuration;
  readonly client: FlashlineClient;
  readonly gate: EditorGate;
  readonly ghostText: GhostText;
  readonly log: vscode.LogOutputChannel;
  /** Returns the server's state of next edits. */
  readonly status: () => NextEditStatus | undefined;
}

export class NextEdit implements vscode.Disposable {
  #loop: NextEditLoop | undefined;
  readonly #stateChanged = new vscode.EventEmitter<string | undefined>();

  /** Fires with a sentence for the status; undefined once next edits are off. */
  readonly onDidChangeState = this.#stateChanged.event;

  constructor(private readonly parts: NextEditParts) {}

  dispose(): void {
    this.#loop?.dispose();
    this.#stateChanged.dispose();
  }

  get #mode(): 'off' | 'hint' | 'inline' {
    return this.parts.configuration.settings.server.nextEdit;
  }

  /** Accepts the next edit. `key` is "tab" if the command was run by the key that usually indents. */
  async accept(key?: unknown): Promise<void> {
    await this.#loop?.accept(key);
  }

  dismiss(): void {
    this.#loop?.dismiss();
  }

  /** Requests a next edit; shows a message if there is none, with the reason if the model makes none. */
  async request(): Promise<void> {
    if (this.#loop === undefined) {
      const openSetting = 'Open Setting';
      const message = 'Next edits are off. Turn them on in the settings, or choose a model for them.';
      if ((await vscode.window.showInformationMessage(message, openSetting)) === openSetting)
        await vscode.commands.executeCommand('workbench.action.openSettings', 'flashline.nextEdit');
      return;
    }
    if (await this.#loop.request()) return;
    const { state, message: problem } = this.parts.status() ?? {};
    // A pause on battery is for automatic requests only.
    const isModelProblem = state === 'noFormat' || state === 'missing';
    if (!isModelProblem || problem === undefined) {
      vscode.window.setStatusBarMessage('No next edit here.', 3000);
      return;
    }
    const choose = 'Choose a Model';
    if ((await vscode.window.showInformationMessage(problem, choose)) === choose)
      await vscode.commands.executeCommand('flashline.pickModel');
  }

  ghostItem(...request: Parameters<NextEditLoop['ghostItem']>): vscode.InlineCompletionItem | undefined {
    return this.#loop?.ghostItem(...request);
  }

  /** Applies the settings in effect, a snooze among them. Next edits are off before the first call. */
  update(): void {
    if (this.#mode === 'off') {
      if (this.#loop === undefined) return;
      this.#loop.dispose();
      this.#loop = undefined;
      this.#stateChanged.fire(undefined);
      return;
    }
    const { gate, ghostText, client, log } = this.parts;
    this.#loop ??= new NextEditLoop({
      gate,
      ghostText,
      onState: (sentence) => {
        this.#stateChanged.fire(sentence);
      },
      requests: new NextEditRequests(client, log),
      isInline: () => this.#mode === 'inline',
    });
    this.#loop.update();
  }
}
