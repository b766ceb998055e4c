// Recognises a lack of file handles, whose remedy is the same wherever a file cannot be opened.

/** Remedy if no file handle is left. */
export const FREE_FILES = 'close some, or raise the limit (ulimit -n)';

/** Returns whether an error or one of its causes is a lack of file handles. */
export function isOutOfFiles(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    ['EMFILE', 'ENFILE'].includes((error as NodeJS.ErrnoException).code ?? '') || isOutOfFiles(error.cause)
  );
}

/** Returns the value found and the remedy for an error of a process with too many open files; undefined for others. */
export function tooManyOpenFiles(error: unknown): { got: string; remedy: string } | undefined {
  return isOutOfFiles(error) ? { got: 'too many open files', remedy: FREE_FILES } : undefined;
}
