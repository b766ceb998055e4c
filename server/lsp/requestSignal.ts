// An LSP cancellation token as an AbortSignal for the layers below, and the way our own requests are answered. Knows no
// particular request; failures go to the log.
import {
  LSPErrorCodes,
  ResponseError,
  type CancellationToken,
  type Connection,
} from 'vscode-languageserver/node';
import { failureLine, failureOf } from '../rules/inputError';
import { WrongMessage } from './messageSchemas';

/** Aborts when the client cancels, or `ended` does. */
export function requestSignal(token: CancellationToken, ended: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const abort = (): void => {
    controller.abort('cancelled');
  };
  if (token.isCancellationRequested) abort();
  token.onCancellationRequested(abort);
  return AbortSignal.any([controller.signal, ended]);
}

export type AnswerRequest = ReturnType<typeof requestAnswers>;

/** For our own requests. Clients may omit parameters, or send some where none are expected. */
export function requestAnswers(
  connection: Connection,
  ended: AbortSignal,
  log: (line: string) => void,
  onWrongMessage: (method: string, error: WrongMessage) => void,
) {
  return (method: string, work: (params: unknown, signal: AbortSignal) => Promise<unknown>): void => {
    connection.onRequest(method, async (...given: unknown[]) => {
      const signal = requestSignal(given.at(-1) as CancellationToken, ended);
      try {
        return await work(given.length > 1 ? given[0] : undefined, signal);
      } catch (error) {
        if (error instanceof WrongMessage) onWrongMessage(method, error);
        const { isInput, message } = failureOf(error);
        if (isInput) throw refused(message);
        // A refusal is an answer that tells the client what to do, so it is not logged.
        if (!(error instanceof ResponseError)) log(failureLine(method.replace(/.*\//, ''), error));
        throw error;
      }
    });
  };
}

/** An error that the client must correct. */
export function refused(message: string): ResponseError<void> {
  return new ResponseError(LSPErrorCodes.RequestFailed, message);
}
