// Sends notifications to one client: status, statistics and log lines. Ignores failures to send, since a client that
// has disconnected must not disturb the work for other clients.
import { isDeepStrictEqual } from 'node:util';
import type { Connection } from 'vscode-languageserver/node';
import {
  Method,
  type ClientSettings,
  type ServerNotifications,
  type StatusParams,
} from '../protocol/messages';
import type { NextEditStatus } from '../protocol/nextEditMessages';
import { visibleText } from '../rules/visibleText';
import type { WrongMessage } from './messageSchemas';

export class ClientNotifier {
  #isPaused = false;
  #nextEdit: NextEditStatus | undefined;
  #wrongMessageCount = 0;

  constructor(
    private readonly connection: Connection,
    /** Returns the current settings. */
    private readonly settings: () => ClientSettings,
    /** Returns the status of the model of suggestions. */
    private readonly status: () => StatusParams,
  ) {}

  notify<M extends keyof ServerNotifications>(method: M, params: ServerNotifications[M]): void {
    void this.#send(() => this.connection.sendNotification(method, params));
  }

  log(line: string): void {
    void this.#send(() => {
      this.connection.console.info(visibleText(line));
    });
  }

  /** Sends the status, with the chosen pair, the pause, the status of next edits and a count of wrong messages. */
  reportStatus(): void {
    const { target, drafter } = this.settings();
    this.notify(Method.status, {
      ...this.status(),
      chosen: { target, drafter },
      ...(this.#isPaused && { paused: 'battery' }),
      ...(this.#nextEdit && { nextEdit: this.#nextEdit }),
      ...(this.#wrongMessageCount > 0 && { wrongMessages: this.#wrongMessageCount }),
    });
  }

  /** Reports whether running on battery pauses automatic requests. */
  paused(isPaused: boolean): void {
    if (isPaused === this.#isPaused) return;
    this.#isPaused = isPaused;
    this.reportStatus();
  }

  /** Reports the state of next edits; undefined while they are off. */
  nextEdit(status: NextEditStatus | undefined): void {
    if (isDeepStrictEqual(status, this.#nextEdit)) return;
    this.#nextEdit = status;
    this.reportStatus();
  }

  /** Reports a message that does not follow the protocol. */
  wrongMessage(method: string, { message }: WrongMessage): void {
    this.#wrongMessageCount += 1;
    void this.#send(() => {
      this.connection.console.error(visibleText(`${shortName(method)} refused: ${message}`));
    });
    this.reportStatus();
  }

  async #send(send: () => unknown): Promise<void> {
    try {
      await send();
    } catch {
      // The client is gone.
    }
  }
}

/** Returns the part of a method's name after the last slash. */
export function shortName(method: string): string {
  return method.replace(/.*\//, '');
}
