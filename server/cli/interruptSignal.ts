// Makes Ctrl+C end the work of a command cleanly: a decode ends after its current round and keeps its text, and a
// download keeps the part that has arrived. A second Ctrl+C kills the process.

/** Returns a signal that aborts at the first Ctrl+C, which also sets the exit code to 130. */
export function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  process.once('SIGINT', () => {
    process.exitCode = 130;
    controller.abort('cancelled');
  });
  return controller.signal;
}
