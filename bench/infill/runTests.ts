// Runs the tests of a problem with an answer in place. A model wrote the program, so it gets a folder of its own, no
// environment, and limits of time, memory and files; that is no wall against a program that means harm.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Problem } from './problems';

const MOST_SECONDS = 10;
const LIMITS = `import resource as _r
_r.setrlimit(_r.RLIMIT_CPU, (${String(MOST_SECONDS)}, ${String(MOST_SECONDS)}))
_r.setrlimit(_r.RLIMIT_AS, (1 << 30, 1 << 30))
_r.setrlimit(_r.RLIMIT_FSIZE, (0, 0))
_r.setrlimit(_r.RLIMIT_NPROC, (0, 0))
del _r
`;

/** Whether all tests hold with `answer` in place. Rejects if there is no Python. */
export async function passes(problem: Problem, answer: string): Promise<boolean> {
  const { prompt, suffix, test, entry_point } = problem;
  const program = `${LIMITS}${prompt}${answer}${suffix}\n${test}\ncheck(${entry_point})\n`;
  const folder = await mkdtemp(join(tmpdir(), 'flashline-infill-'));
  try {
    // Isolated: no packages of the person and nothing of the folder.
    const python = spawn('python3', ['-I', '-'], {
      cwd: folder,
      env: {},
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const timer = setTimeout(() => python.kill('SIGKILL'), 2000 * MOST_SECONDS);
    // It may end before it has read everything.
    python.stdin.on('error', () => undefined).end(program);
    await once(python, 'close');
    clearTimeout(timer);
    return python.exitCode === 0;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
