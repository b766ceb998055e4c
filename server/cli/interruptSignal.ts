// Ctrl+C ends a decode after its current round and keeps the text so far. A second one kills the process.

export function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  process.once('SIGINT', () => {
    process.exitCode = 130;
    controller.abort('cancelled');
  });
  return controller.signal;
}
