// The cancellation of an LSP request as an AbortSignal, and its refusal as an error that the client must act on.
import { LSPErrorCodes, ResponseError, type CancellationToken } from 'vscode-languageserver/node';

/** Returns a signal that aborts when the client cancels, or `ended` aborts. */
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

/** Returns an error that the client must act on. */
export function refused(message: string): ResponseError<void> {
  return new ResponseError(LSPErrorCodes.RequestFailed, message);
}

/** Whether an error is a response with an error code, chosen by a handler. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ResponseError;
}
