// An LSP cancellation token as an AbortSignal for the layers below, for as long as a request runs.
import type { CancellationToken } from 'vscode-languageserver/node';

/** Runs `work` with a signal that aborts when the client cancels; the listener ends with the work. */
export async function withRequestSignal<T>(
  token: CancellationToken,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const abort = (): void => {
    controller.abort('cancelled');
  };
  if (token.isCancellationRequested) abort();
  const listener = token.onCancellationRequested(abort);
  try {
    return await work(controller.signal);
  } finally {
    listener.dispose();
  }
}
