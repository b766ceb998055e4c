export interface RetryOptions {
  attempts: number;
  delayMs: number;
  factor?: number;
  signal?: AbortSignal;
  shouldRetry?: (error: unknown) => boolean;
}

export class TimeoutError extends Error {
  constructor(readonly timeoutMs: number) {
    super(`Timed out after ${timeoutMs} ms`);
    this.name = 'TimeoutError';
  }
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export async function retry<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { attempts, delayMs, factor = 2, signal, shouldRetry = () => true } = options;
  let delay = delayMs;
  let lastError: unknown;
  for (let attempt = 1; attempt <= attempts; attempt++) {
    signal?.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      lastError = error;
      if (attempt === attempts || !shouldRetry(error)) break;
      await sleep(delay);
      delay *= factor;
    }
  }
  throw lastError;
}

export async function withTimeout<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeoutError(timeoutMs)), timeoutMs);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

export async function mapLimited<T, R>(
  items: readonly T[],
  limit: number,
  map: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const pending = items.entries();
  async function worker(): Promise<void> {
    for (const [index, item] of pending) {
      results[index] = await map(item);
    }
  }
  await Promise.all(Array.from({ length: limit }, worker));
  return results;
}
