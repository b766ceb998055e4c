// The next message of a child process.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Rejects if the process ends instead. */
export async function answerOf(child: ChildProcess): Promise<unknown> {
  const settled = new AbortController();
  const { signal } = settled;
  const exit = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`Expected the engine to answer, got its end (${String(code)}); see what it wrote above`);
  });
  try {
    const [message] = (await Promise.race([once(child, 'message', { signal }), exit])) as unknown[];
    return message;
  } finally {
    settled.abort();
    exit.catch(() => undefined);
  }
}
