// Runs one generation at a time for the user, with progress, until it ends or is cancelled.
import * as vscode from 'vscode';
import { failureOf } from '../../server/rules/failure';

const CONTEXT_KEY = 'flashline.generating';

export class GenerationRun {
  #running: vscode.CancellationTokenSource | undefined;

  constructor(private readonly log: vscode.LogOutputChannel) {}

  /** Returns whether no generation is running; shows a message if one is. */
  isFree(): boolean {
    if (this.#running === undefined) return true;
    void vscode.window.showInformationMessage('Flashline is already generating code. Cancel that first.');
    return false;
  }

  cancel(): void {
    this.#running?.cancel();
  }

  /** Runs `work` with progress. Shows its error after `failure`, unless it was cancelled. */
  async run(
    title: string,
    failure: string,
    work: (source: vscode.CancellationTokenSource, report: (characters: number) => void) => Promise<void>,
  ): Promise<void> {
    if (!this.isFree()) return;
    const source = new vscode.CancellationTokenSource();
    this.#running = source;
    void vscode.commands.executeCommand('setContext', CONTEXT_KEY, true);
    const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
    try {
      await vscode.window.withProgress(options, async (progress, token) => {
        token.onCancellationRequested(() => {
          source.cancel();
        });
        await work(source, (count) => {
          progress.report({ message: `${count} characters` });
        });
      });
    } catch (error) {
      if (source.token.isCancellationRequested) return;
      this.log.error('Generating failed.', error);
      void vscode.window.showErrorMessage(`${failure}: ${failureOf(error).message}`);
    } finally {
      this.#running = undefined;
      source.dispose();
      void vscode.commands.executeCommand('setContext', CONTEXT_KEY, false);
    }
  }
}
