// What one window brings about must not take the server from the others, so errors that nobody has caught are printed
// and survived, but not without end.

const MAX_ERRORS = 100;

export function surviveUncaughtErrors(): void {
  let errors = 0;
  const survive = (error: unknown): void => {
    errors += 1;
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    // Where so much goes wrong a new process is better.
    if (errors === MAX_ERRORS) process.exit(1);
  };
  process.on('uncaughtException', survive);
  process.on('unhandledRejection', survive);
}
