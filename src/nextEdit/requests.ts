// Sends the messages of next edits to the server, in the form of copilot-language-server.
import type * as vscode from 'vscode';
import {
  NextEditCommand,
  NextEditMethod,
  NextEditTrigger,
  type InlineEdit,
  type InlineEditParams,
} from '../../server/protocol/nextEditMessages';
import type { FlashlineClient } from '../connection/client';

export class NextEditRequests {
  constructor(
    private readonly client: FlashlineClient,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** Requests an edit. Returns undefined if there is none, also after an error and without a server. Never rejects. */
  async edit(
    document: vscode.TextDocument,
    { line, character }: vscode.Position,
    isInvoked: boolean,
    token: vscode.CancellationToken,
  ): Promise<InlineEdit | undefined> {
    if (!this.client.isRunning) return undefined;
    const params: InlineEditParams = {
      textDocument: { uri: document.uri.toString(), version: document.version },
      position: { line, character },
      context: { triggerKind: isInvoked ? NextEditTrigger.invoked : NextEditTrigger.automatic },
    };
    try {
      const result = await this.client.request(NextEditMethod.inlineEdit, params, token);
      return result?.edits[0];
    } catch (error) {
      if (!token.isCancellationRequested) this.log.error('The request for the next edit failed.', error);
      return undefined;
    }
  }

  shown(id: string): void {
    this.client.notify(NextEditMethod.didShow, { item: { command: { arguments: [id] } } });
  }

  accepted(id: string): void {
    void this.#run(NextEditCommand.accept, id);
  }

  rejected(id: string): void {
    void this.#run(NextEditCommand.reject, id);
  }

  /** Never rejects. */
  async #run(command: string, id: string): Promise<void> {
    if (!this.client.isRunning) return;
    try {
      await this.client.request(NextEditMethod.executeCommand, { command, arguments: [id] });
    } catch (error) {
      this.log.error('Reporting an accepted or rejected next edit failed.', error);
    }
  }
}
