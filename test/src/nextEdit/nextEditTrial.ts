// A window with next edits, a fake editor, and a server whose answers a test sets.
import assert from 'node:assert/strict';
import type { CancellationToken } from 'vscode';
import type { InlineEdit, InlineEditParams, NextEditStatus } from '../../../server/protocol/nextEditMessages';
import { readSettings } from '../../../src/configuration';
import type { FlashlineClient } from '../../../src/connection/client';
import { NextEdit } from '../../../src/nextEdit/nextEdit';
import { ManualClock } from '../../lsp/manualClock';
import { fake } from '../../support/fake';
import { window, workspace } from '../support/fakeVscode';
import { FakeEditor } from './fakeEditor';

export const SUM = 'let n = 0;\nfor (const x of xs) n += x;\nreturn n;\n';

export class NextEditTrial {
  readonly clock = new ManualClock();
  /** Editor of the last `open`. */
  editor!: FakeEditor;
  nextEdit!: NextEdit;
  requests: InlineEditParams[] = [];
  sentMessages: string[] = [];
  readonly ghostText = { isRequesting: false, isOffered: false };
  /** Sentence last reported for the status. */
  state: string | undefined;
  /** Reason of the gate to allow no suggestions in any editor. */
  gateReason: 'snoozed' | 'unknownLanguage' | undefined;
  cancelledCount = 0;
  /** State of next edits that the server has reported. */
  status: NextEditStatus | undefined;
  /** Answers each request of the client. */
  answer: (params: InlineEditParams) => Promise<readonly InlineEdit[]> | readonly InlineEdit[] = () => [];

  /** Opens an editor with a text, in a mode of next edits. */
  open(text: string, mode = 'inline'): void {
    this.editor = new FakeEditor(text);
    workspace.settings = { 'flashline.nextEdit': mode };
    const request = async (_: string, params: object, token?: CancellationToken): Promise<unknown> => {
      if ('command' in params) return void this.sentMessages.push(String(params.command));
      token?.onCancellationRequested(() => (this.cancelledCount += 1));
      this.requests.push(params as InlineEditParams);
      return { edits: await this.answer(params as InlineEditParams) };
    };
    this.nextEdit = new NextEdit({
      configuration: fake({
        get settings() {
          return readSettings();
        },
      }),
      client: fake<FlashlineClient>({
        isRunning: true,
        notify: (method) => void this.sentMessages.push(method),
        request: request as FlashlineClient['request'],
      }),
      gate: fake({ whyNoSuggestion: () => this.gateReason }),
      ghostText: {
        isRequesting: () => this.ghostText.isRequesting,
        isOffered: () => this.ghostText.isOffered,
      },
      log: fake({ error: assert.fail }),
      status: () => this.status,
    });
    this.nextEdit.onDidChangeState((sentence) => (this.state = sentence));
    this.nextEdit.update();
  }

  /** Creates the server's edit that replaces the last `old` of the text. */
  replacing(old: string, text: string, more: Partial<InlineEdit> = {}): InlineEdit {
    const { document } = this.editor;
    const offset = this.editor.text.lastIndexOf(old);
    return {
      text,
      range: { start: document.positionAt(offset), end: document.positionAt(offset + old.length) },
      textDocument: { uri: String(document.uri), version: document.version },
      command: { title: '', command: 'flashline.didAcceptNextEdit', arguments: ['1'] },
      ...more,
    };
  }

  /** Types `total` in place of the first n, and waits for the answer. */
  async rename(): Promise<void> {
    this.editor.moveTo('let n', 5);
    this.editor.type('total', 1);
    await this.clock.pass(1000);
  }

  dispose(): void {
    this.nextEdit.dispose();
    window.activeTextEditor = undefined;
    workspace.settings = {};
  }
}
