// Converts the cancellation of an LSP request to an AbortSignal, and creates the errors of refused requests.
import { LSPErrorCodes, ResponseError, type CancellationToken } from 'vscode-languageserver/node';

/** Returns a signal that aborts when the client cancels or when `ended` aborts. */
export function requestSignal(token: CancellationToken, ended: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const abort = (): void => {
    controller.abort('cancelled');
  };
  if (token.isCancellationRequested) abort();
  token.onCancellationRequested(abort);
  return AbortSignal.any([controller.signal, ended]);
}

export const NO_MODEL = 'No model is loaded. The status has the reason.';

/** Creates the error response of a refused request. Its message says what the client or the user can do. */
export function refused(message: string): ResponseError<void> {
  return new ResponseError(LSPErrorCodes.RequestFailed, message);
}

/** Returns whether a handler threw the error as its response, as opposed to an unexpected failure. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ResponseError;
}
