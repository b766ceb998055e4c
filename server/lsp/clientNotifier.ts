// Sends notifications to one client: status, statistics and log lines. Ignores failures to send, since a client that
// has disconnected must not disturb the work for other clients.
import { isDeepStrictEqual } from 'node:util';
import type { Connection } from 'vscode-languageserver/node';
import { Method, type ServerNotifications, type StatusParams } from '../protocol/messages';
import { visibleText } from '../rules/visibleText';
import type { WrongMessage } from './messageSchemas';

export class ClientNotifier {
  #lastStatus: StatusParams | undefined;
  #wrongMessageCount = 0;

  constructor(
    private readonly connection: Connection,
    /** Returns the current status, without the count of wrong messages. */
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

  /** Sends the status if it has changed. */
  reportStatus(): void {
    const wrongMessages = this.#wrongMessageCount;
    const status = { ...this.status(), ...(wrongMessages > 0 && { wrongMessages }) };
    if (isDeepStrictEqual(status, this.#lastStatus)) return;
    this.#lastStatus = status;
    this.notify(Method.status, status);
  }

  /** Reports a message that does not follow the protocol. */
  reportWrongMessage(method: string, { message }: WrongMessage): void {
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
