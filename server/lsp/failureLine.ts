// A failed request as one line of the log, so that each request has one line whatever became of it.
// Knows no request and sends nothing.

/** The stack stands in the same line. */
export function failureLine(what: string, error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `${what} failed: ${text.replace(/\s*\n\s*/g, ' ')}`;
}
