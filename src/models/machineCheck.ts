// The command "Flashline: Check This Machine": runs `flashline doctor` in a separate process, with a notification that
// can cancel it, and shows the report in a new document, from which it can be pasted into an issue.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import * as vscode from 'vscode';
import { failureOf } from '../../server/rules/failure';

export class MachineCheck implements vscode.Disposable {
  readonly #closing = new AbortController();
  #running: Promise<void> | undefined;

  /** `program` is the path of the command line's bundle. */
  constructor(private readonly program: string) {}

  /** Runs a check, or joins the running one; resolves once its report is shown. */
  run(): Promise<void> {
    return (this.#running ??= this.#run().finally(() => (this.#running = undefined)));
  }

  dispose(): void {
    this.#closing.abort();
  }

  async #run(): Promise<void> {
    try {
      const options = {
        location: vscode.ProgressLocation.Notification,
        title: 'Checking this machine',
        cancellable: true,
      };
      const result = await vscode.window.withProgress(options, (notification, token) => {
        const cancelled = new AbortController();
        token.onCancellationRequested(() => {
          cancelled.abort();
        });
        const signal = AbortSignal.any([cancelled.signal, this.#closing.signal]);
        return runDoctor(this.program, signal, (message) => {
          notification.report({ message });
        });
      });
      if (result === undefined) return;
      const { report, hasPassed } = result;
      const document = await vscode.workspace.openTextDocument({ language: 'markdown', content: report });
      await vscode.window.showTextDocument(document);
      const summary = hasPassed
        ? 'Models give correct results on this machine.'
        : 'Something is wrong on this machine. The report says what; please paste it into an issue.';
      const copy = 'Copy Report';
      const show = hasPassed ? vscode.window.showInformationMessage : vscode.window.showWarningMessage;
      // Not awaited: the command is done once the report is shown.
      void show(summary, copy).then(async (chosen) => {
        if (chosen === copy) await vscode.env.clipboard.writeText(report);
      });
    } catch (error) {
      const { message } = failureOf(error);
      void vscode.window.showErrorMessage(`This machine could not be checked: ${message}`);
    }
  }
}

/**
 * Returns the report in Markdown; undefined if the check was cancelled. Rejects with the last line of the program if
 * there is no report. `onProgress` is called with each progress line, such as "2/3 GPU bfloat16".
 */
function runDoctor(program: string, signal: AbortSignal, onProgress: (line: string) => void) {
  return new Promise<{ report: string; hasPassed: boolean } | undefined>((resolve, reject) => {
    const child = spawn(process.execPath, [program, 'doctor'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ELECTRON_RUN_AS_NODE: '1', ELECTRON_NO_ASAR: '1' },
      signal,
    });
    let report = '';
    let lastLine = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (report += text));
    createInterface(child.stderr).on('line', (line) => {
      lastLine = line;
      onProgress(line);
    });
    child.once('error', (error) => {
      if (!signal.aborted) reject(error);
    });
    child.once('close', (code) => {
      if (signal.aborted) resolve(undefined);
      else if (report === '')
        reject(new Error(lastLine || 'The check ended without a report. Run it again.'));
      else resolve({ report, hasPassed: code === 0 });
    });
  });
}
