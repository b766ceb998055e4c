// Converts the cancellation of an LSP request to an AbortSignal.
import type { CancellationToken } from 'vscode-languageserver/node';

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
