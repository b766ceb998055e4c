// An LSP cancellation token as an AbortSignal for the layers below, for as long as a request runs.
// Knows no request; what a failed one says goes to the log.
import { LSPErrorCodes, ResponseError, type CancellationToken } from 'vscode-languageserver/node';
import { failureLine } from '../inputError';

/** Runs `work` with a signal that aborts when the client cancels, or `ended` does; the listener ends with the work. */
export async function withRequestSignal<T>(
  token: CancellationToken,
  ended: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const abort = (): void => {
    controller.abort('cancelled');
  };
  if (token.isCancellationRequested) abort();
  const listener = token.onCancellationRequested(abort);
  try {
    return await work(AbortSignal.any([controller.signal, ended]));
  } finally {
    listener.dispose();
  }
}

export interface RequestParts {
  /** What the request does, in a word. */
  readonly name: string;
  /** Aborts when the connection ends. */
  readonly ended: AbortSignal;
  readonly log: (line: string) => void;
}

/** A handler of a request of our own. Clients may leave out parameters, or send some where there are none. */
export function requestHandler<T>(
  { name, ended, log }: RequestParts,
  work: (params: unknown, signal: AbortSignal) => Promise<T>,
): (...given: unknown[]) => Promise<T> {
  return async (...given) => {
    const token = given.at(-1) as CancellationToken;
    try {
      return await withRequestSignal(token, ended, (signal) =>
        work(given.length > 1 ? given[0] : undefined, signal),
      );
    } catch (error) {
      // A refusal is an answer; it says to the client what to do.
      if (!(error instanceof ResponseError)) log(failureLine(name, error));
      throw error;
    }
  };
}

/** What a client must put right. */
export function refused(message: string): ResponseError<void> {
  return new ResponseError(LSPErrorCodes.RequestFailed, message);
}

/** Of parameters; nothing of what is no object. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
