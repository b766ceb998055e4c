// The errors of requests that the server refuses. Their messages say what the client or the user can do.
import { LSPErrorCodes, ResponseError } from 'vscode-languageserver/node';

export const NO_MODEL = 'No model is loaded. The status has the reason.';

/** Creates the error response of a refused request. */
export function refused(message: string): ResponseError<void> {
  return new ResponseError(LSPErrorCodes.RequestFailed, message);
}

/** Returns whether a handler threw the error as its response, as opposed to an unexpected failure. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ResponseError;
}
