// The server for other tools, as a window knows it: whether it is on, where it is, and the commands that start and stop
// it. It belongs to the process that all windows share.
import * as vscode from 'vscode';
import { Method, type ServingParams } from '../../server/protocol/messages';
import type { FlashlineClient } from './client';

export class OtherTools {
  #address: string | undefined;

  constructor(private readonly client: Pick<FlashlineClient, 'request'>) {}

  /** Such as http://127.0.0.1:8080; undefined while it is off. */
  get address(): string | undefined {
    return this.#address;
  }

  /** The server process has told where it is, or has gone. */
  heard(address: string | null | undefined): void {
    this.#address = address ?? undefined;
  }

  async start(): Promise<void> {
    const address = await this.#ask(Method.startServing);
    if (address === undefined) return;
    const copy = 'Copy Address';
    const words = `Other tools on this machine can now use the models of Flashline at ${address}.`;
    // Not awaited: the command is done when the server is there.
    void vscode.window.showInformationMessage(words, copy).then(async (chosen) => {
      if (chosen === copy) await vscode.env.clipboard.writeText(address);
    });
  }

  async stop(): Promise<void> {
    await this.#ask(Method.stopServing);
  }

  /** Shows why if it cannot be done. */
  async #ask(method: string): Promise<string | undefined> {
    try {
      const { address } = await this.client.request<ServingParams>(method, {});
      this.heard(address);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      void vscode.window.showErrorMessage(`The server for other tools: ${reason}`);
      return undefined;
    }
    return this.#address;
  }
}
