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

/** A handler of a request of our own. Clients may leave out parameters, or send some where there are none. */
export function requestHandler<T>(
  work: (params: unknown, signal: AbortSignal) => Promise<T>,
): (...given: unknown[]) => Promise<T> {
  return (...given) => {
    const token = given.at(-1) as CancellationToken;
    return withRequestSignal(token, (signal) => work(given.length > 1 ? given[0] : undefined, signal));
  };
}
