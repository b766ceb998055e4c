// Registers the handlers of a client's messages: each gets checked parameters. Reports messages that do not follow the
// protocol in the status, and failures of handlers in the log.
import type { CancellationToken, Connection } from 'vscode-languageserver/node';
import type { ClientNotifications, Requests } from '../protocol/messages';
import { failureLine, failureOf } from '../rules/failure';
import { type ClientNotifier, shortName } from './clientNotifier';
import { paramsOf, WrongMessage, type ParamsOf } from './messageSchemas';
import { isRefusal, refused } from './refusal';
import { requestSignal } from './requestSignal';

export class MessageHandlers {
  constructor(
    private readonly connection: Connection,
    private readonly client: ClientNotifier,
    /** Aborts all requests when the connection ends. */
    private readonly ended: AbortSignal,
  ) {}

  /** Registers a notification. Wrong parameters are reported in the status, as a notification has no response. */
  onNotification<M extends keyof ClientNotifications>(
    method: M,
    handler: (params: ParamsOf<M>) => void,
  ): void {
    this.connection.onNotification(method, (received: unknown) => {
      try {
        handler(paramsOf(method, received));
      } catch (error) {
        if (!(error instanceof WrongMessage)) throw error;
        this.client.reportWrongMessage(method, error);
      }
    });
  }

  /** Registers a request. Clients can omit parameters, or send some although none are expected. */
  onRequest<M extends keyof Requests>(
    method: M,
    handler: (
      params: ParamsOf<M>,
      signal: AbortSignal,
    ) => Requests[M]['result'] | Promise<Requests[M]['result']>,
  ): void {
    this.connection.onRequest(method, async (...received: unknown[]) => {
      const signal = requestSignal(received.at(-1) as CancellationToken, this.ended);
      try {
        return await handler(paramsOf(method, received.length > 1 ? received[0] : undefined), signal);
      } catch (error) {
        if (error instanceof WrongMessage) this.client.reportWrongMessage(method, error);
        const { isInput, message } = failureOf(error);
        if (isInput) throw refused(message);
        // Refusals are not logged: the client acts on them.
        if (!isRefusal(error)) this.client.log(failureLine(shortName(method), error));
        throw error;
      }
    });
  }
}
