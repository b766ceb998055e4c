// Reads why an HTTP request failed, and the time to wait before another attempt.

/** Returns the reason for a failed request, in quotes. It is in the cause of the error that fetch throws. */
export function networkWords(error: unknown): string {
  if (error instanceof Error && error.cause instanceof Error) return networkWords(error.cause);
  const { code, message } = (error instanceof Error ? error : {}) as NodeJS.ErrnoException;
  // The messages of fetch say more than its codes (UND_ERR_...).
  const plain = code?.startsWith('UND_') ? message : (code ?? message);
  return `"${plain ?? 'a network failure'}"`;
}

/** Returns the time to wait by a Retry-After header, which has seconds or a date; undefined otherwise. */
export function retryAfterMs(headers: Headers): number | undefined {
  const text = headers.get('retry-after') ?? '';
  const seconds = /^\s*\d+\s*$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds * 1000);
}
