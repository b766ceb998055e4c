// Decides whether a server that ended without a request of this window is started again, and logs why it ended.
import { CloseAction, type ErrorHandler } from 'vscode-languageclient/node';
import type { LogOutputChannel } from 'vscode';
import type { ServerLink } from './serverLink';

export class RestartPolicy {
  /** The library's counter of crashes; the fifth within three minutes ends the restarts. */
  #crashes: ErrorHandler | undefined;

  constructor(private readonly log: LogOutputChannel) {}

  /** Forgets the crashes so far, for a restart by the user. */
  reset(): void {
    this.#crashes = undefined;
  }

  /** Returns whether to start a server in place of that of `link`. An end that it has announced is not a crash. */
  async allowsRestart({ client, shared, isEnding }: ServerLink, error: unknown): Promise<boolean> {
    if (isEnding) {
      this.log.info('The shared server was restarted; connecting to the new one.');
      return true;
    }
    this.#crashes ??= client.createDefaultErrorHandler();
    const willRestart = (await this.#crashes.closed()).action === CloseAction.Restart;
    const message = willRestart
      ? 'The server exited; restarting it.'
      : 'The server keeps crashing; not restarting it.';
    this.log.error(message, error ?? '');
    const output = shared?.lastOutput() ?? '';
    if (output !== '') this.log.error(`Its last output:\n${output}`);
    return willRestart;
  }
}
