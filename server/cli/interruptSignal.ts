// Makes Ctrl+C end a decode after its current round and keep the text so far. A second Ctrl+C kills the process.

/** Returns a signal that aborts at Ctrl+C. */
export function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  process.once('SIGINT', () => {
    process.exitCode = 130;
    controller.abort('cancelled');
  });
  return controller.signal;
}
