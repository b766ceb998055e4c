// Ends a process that is no child of this one: asks it, and makes it end when it does not.

const ASK_MS = 3_000;
const POLL_MS = 20;

/** Resolves when it has gone. */
export async function endProcess(processId: number): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (!send(processId, signal)) return;
    for (const end = Date.now() + ASK_MS; Date.now() < end;) {
      if (!send(processId, 0)) return;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }
}

/** Whether there was such a process of this user. */
function send(processId: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(processId, signal);
  } catch {
    return false;
  }
}
