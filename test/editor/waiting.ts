// Waits for conditions by polling, with a time limit.

export const WAIT_MS = 180_000;
const POLL_MS = 20;

/**
 * Polls until `read` returns a truthy value, and returns that. Throws after `limitMs`, with `condition` in the message.
 */
export async function until<T>(
  condition: string,
  read: () => T | Promise<T>,
  limitMs = WAIT_MS,
): Promise<Exclude<T, false | null | undefined>> {
  const end = Date.now() + limitMs;
  for (;;) {
    const value = await read();
    if (value) return value as Exclude<T, false | null | undefined>;
    if (Date.now() > end) throw new Error(`Waited ${limitMs / 1000} s in vain until ${condition}.`);
    await pause(POLL_MS);
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
