// Waits for the person to stop typing.

export type Settle = (milliseconds: number, signal: AbortSignal) => Promise<void>;

/** Ends early when the signal aborts. */
export const settle: Settle = async (milliseconds, signal) => {
  if (milliseconds <= 0 || signal.aborted) return;
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener('abort', end);
  });
};
