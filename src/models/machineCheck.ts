// "Flashline: Check This Machine": runs the doctor behind a notification that can cancel it, and shows its report in a
// new document, to be pasted into an issue.
import * as vscode from 'vscode';
import { runDoctor } from './runDoctor';
import { t } from '../translate';

export class MachineCheck implements vscode.Disposable {
  readonly #closing = new AbortController();
  #running: Promise<void> | undefined;

  /** `program` is the path of the command line's bundle. */
  constructor(private readonly program: string) {}

  /** One check at a time; resolves when its report is shown. */
  run(): Promise<void> {
    return (this.#running ??= this.#run().finally(() => (this.#running = undefined)));
  }

  dispose(): void {
    this.#closing.abort();
  }

  async #run(): Promise<void> {
    try {
      const result = await this.#check();
      if (result === undefined) return;
      const { report, hasPassed } = result;
      const document = await vscode.workspace.openTextDocument({ language: 'markdown', content: report });
      await vscode.window.showTextDocument(document);
      const words = hasPassed
        ? t('Models give correct results on this machine.')
        : t('Something is wrong on this machine. The report says what; please paste it into an issue.');
      const copy = t('Copy Report');
      const show = hasPassed ? vscode.window.showInformationMessage : vscode.window.showWarningMessage;
      // Not awaited: the command is done when the report is there.
      void show(words, copy).then(async (chosen) => {
        if (chosen === copy) await vscode.env.clipboard.writeText(report);
      });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      void vscode.window.showErrorMessage(t('This machine could not be checked: {0}', reason));
    }
  }

  #check() {
    const options = {
      location: vscode.ProgressLocation.Notification,
      title: t('Checking this machine'),
      cancellable: true,
    };
    return vscode.window.withProgress(options, (notification, token) => {
      const cancelled = new AbortController();
      token.onCancellationRequested(() => {
        cancelled.abort();
      });
      return runDoctor({
        program: this.program,
        onProgress: (message) => {
          notification.report({ message });
        },
        signal: AbortSignal.any([cancelled.signal, this.#closing.signal]),
      });
    });
  }
}
