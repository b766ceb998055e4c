// Tests the limit of processor time for code of model files; time in which the process is suspended does not count.
import assert from 'node:assert/strict';
import { CpuLimit, CpuLimitReached } from '../../server/machine/cpuLimit';

const LIMIT_MS = 100;
/** Suspension of several times the limit. */
const PAUSE_MS = 500;

/** Blocks this thread without processor time, as if the process were suspended. */
function suspend(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
}

/** Works for much longer than the limit. It ends, so that without a limit the tests fail instead of hanging. */
function workForLong(): void {
  for (const end = performance.now() + 100 * LIMIT_MS; performance.now() < end;);
}

/** Calls `work` while this process seems to get no processor time. */
function withoutCpuTime(work: () => void): void {
  const measured = process as { threadCpuUsage?: unknown; cpuUsage: typeof process.cpuUsage };
  const { threadCpuUsage, cpuUsage } = measured;
  measured.threadCpuUsage = undefined;
  measured.cpuUsage = () => ({ user: 0, system: 0 });
  try {
    work();
  } finally {
    Object.assign(measured, { threadCpuUsage, cpuUsage });
  }
}

describe('the limit of processor time', () => {
  const limit = new CpuLimit('The template of a test');

  it('runs work again after a suspension for longer than the limit, and returns its result', () => {
    let calls = 0;
    const result = limit.run(LIMIT_MS, () => {
      calls += 1;
      if (calls === 1) suspend();
      return calls;
    });
    assert.ok(result >= 2);
  });

  it('returns the result of work within the limit, even if each attempt is suspended for longer than that', () => {
    const result = limit.run(LIMIT_MS, () => {
      suspend();
      return 'done';
    });
    assert.equal(result, 'done');
  });

  it('ends work above the limit with an error that names the subject, and runs later work', () => {
    assert.throws(
      () => limit.run(LIMIT_MS, workForLong),
      (error) =>
        error instanceof CpuLimitReached &&
        error.message.startsWith('The template of a test used 0.1 s of processor time'),
    );
    assert.equal(
      limit.run(LIMIT_MS, () => 3),
      3,
    );
  });

  it('ends work that the machine keeps interrupting, with an error that blames other programs', () => {
    withoutCpuTime(() => {
      assert.throws(() => limit.run(1, workForLong), /The template of a test .*other programs/);
    });
  });

  it('passes on the errors of the work, and limits nested work by the outer limit', () => {
    const thrown = new Error('of the work');
    assert.throws(
      () =>
        limit.run(LIMIT_MS, () => {
          throw thrown;
        }),
      thrown,
    );
    assert.throws(() => limit.run(LIMIT_MS, () => limit.run(600_000, workForLong)), CpuLimitReached);
  });
});
