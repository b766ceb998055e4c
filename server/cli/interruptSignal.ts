// Ctrl+C ends a decode at its next round; what was generated so far is kept. A second one kills.

export function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  process.once('SIGINT', () => {
    process.exitCode = 130;
    controller.abort('cancelled');
  });
  return controller.signal;
}
