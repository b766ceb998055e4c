// Address of the HTTP server for other tools, and the commands that start and stop it. It runs in the server process,
// which windows share unless flashline.shareServer is off.
import * as vscode from 'vscode';
import { Method } from '../../server/protocol/messages';
import { failureOf } from '../../server/rules/failure';
import type { FlashlineClient } from './client';

export class OtherTools {
  #address: string | undefined;

  constructor(private readonly client: FlashlineClient) {}

  /** Address such as http://127.0.0.1:8080; undefined while the server is off. */
  get address(): string | undefined {
    return this.#address;
  }

  /** Stores the address that the server process reports; undefined once that process has ended. */
  onAddress(address: string | null | undefined): void {
    this.#address = address ?? undefined;
  }

  async start(): Promise<void> {
    const isDone = await this.#request(Method.startServing, 'started');
    const address = this.#address;
    if (!isDone || address === undefined) return;
    const copy = 'Copy Address';
    const message = `Other tools on this machine can now use the models of Flashline at ${address}.`;
    // Not awaited: the command is done once the server runs.
    void vscode.window.showInformationMessage(message, copy).then(async (chosen) => {
      if (chosen === copy) await vscode.env.clipboard.writeText(address);
    });
  }

  async stop(): Promise<void> {
    const isDone = await this.#request(Method.stopServing, 'stopped');
    if (isDone && this.#address === undefined)
      vscode.window.setStatusBarMessage('The server for other tools has stopped.', 3000);
  }

  /** Sends a request and returns whether it succeeded; if not, shows an error with the action and the reason. */
  async #request(
    method: typeof Method.startServing | typeof Method.stopServing,
    action: 'started' | 'stopped',
  ): Promise<boolean> {
    try {
      const { address } = await this.client.request(method, {});
      this.onAddress(address);
      return true;
    } catch (error) {
      const { message } = failureOf(error);
      void vscode.window.showErrorMessage(`The server for other tools could not be ${action}: ${message}`);
      return false;
    }
  }
}
