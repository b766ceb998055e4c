// Tests the doctor: its expected outputs, its checks and report, and that one failure hides no other.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import os, { homedir, hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { pairGoldens } from '../../bench/goldens';
import { renderReport } from '../../server/cli/doctorReport';
import { checkMode, readGoldens, type Mode, type ModeCheck } from '../../server/doctor/checkMode';
import { examine, type Examination } from '../../server/doctor/examine';
import { processAsker, reasonOf, type Task } from '../../server/doctor/tasks';
import { withoutPaths } from '../../server/doctor/withoutPaths';
import { hasGpu } from '../../server/models/mlx/binding';
import { flashline } from '../cli/flashline';
import { temporaryFolder } from '../support/temporaryFolder';

const CPU: Mode = { device: 'cpu', type: 'float32' };
const ADDON: Task = { name: 'addon', question: 'addon', limitMs: 300_000 };
const METAL = { architecture: 'applegpu_g14s', max_recommended_working_set_size: 11e9 };
const PASS: ModeCheck = {
  plain: { verdict: 'pass', largestGap: 0 },
  drafted: { verdict: 'pass', largestGap: 0 },
  measures: {
    passMs: { 1: 20, 16: 30 },
    buildMs: 2,
    prefillTokensPerSecond: 1000,
    plainTokensPerSecond: 50,
    draftedTokensPerSecond: 100,
  },
};

interface Machine {
  readonly gpu?: Readonly<Record<string, unknown>>;
  readonly device?: 'cpu' | 'gpu';
  readonly answer?: (mode: Mode) => ModeCheck;
  readonly progress?: (line: string) => void;
}

async function examined({
  gpu,
  device,
  answer = () => PASS,
  progress = () => undefined,
}: Machine): Promise<Examination> {
  const addon = { version: '0.0.7', gpu: gpu ?? null };
  const ask = async ({ question }: Task) =>
    await Promise.resolve().then(() =>
      JSON.stringify(question === 'addon' ? addon : answer(question as Mode)),
    );
  return await examine({ device, ask, progress });
}

describe('flashline doctor', function () {
  this.timeout(600_000);

  it('compares with stored outputs that equal those in the test fixtures', () => {
    assert.deepEqual(readGoldens(), pairGoldens(), 'run "npm run goldens"');
  });

  it('passes on this CPU, and fails when the pair gives another output', async () => {
    const [short = assert.fail()] = readGoldens();
    const right = await checkMode(CPU, [short]);
    assert.deepEqual([right.plain.verdict, right.drafted.verdict], ['pass', 'pass']);
    for (const value of [...Object.values(right.measures.passMs), right.measures.prefillTokensPerSecond])
      assert.ok(value > 0, JSON.stringify(right.measures));
    const wrong = await checkMode(CPU, [{ ...short, promptIds: short.promptIds.map((id) => id + 1) }]);
    assert.deepEqual([wrong.plain.verdict, wrong.drafted.verdict], ['fail', 'fail']);
  });

  it('runs each check in another process, and reports the error output of one that crashes', async () => {
    const ask = processAsker('dist/cli.js', ['doctor', '--answer']);
    assert.match((JSON.parse(await ask(ADDON)) as { version: string }).version, /^\d+\.\d+\.\d+/);
    const program = join(temporaryFolder(), 'abort.cjs');
    writeFileSync(program, "process.stderr.write('terminating: ' + process.argv[2]); process.abort();");
    const examination = await examine({
      device: undefined,
      ask: async (task) =>
        task.question === 'addon'
          ? JSON.stringify({ version: '0.0.7', gpu: METAL })
          : await processAsker(program, [])(task),
      progress: () => undefined,
    });
    assert.equal(examination.verdict, 'failed');
    assert.equal(examination.checks.length, 3);
    assert.match(renderReport(examination), /- GPU bfloat16: the process ended with SIGABRT: terminating: /);
    const endless = join(temporaryFolder(), 'endless.cjs');
    writeFileSync(endless, 'setInterval(() => undefined, 1000);');
    await assert.rejects(processAsker(endless, [])({ ...ADDON, limitMs: 50 }), { killed: true });
  });

  it('ends its running check when it is cancelled', async () => {
    const doctor = spawn(process.execPath, ['dist/cli.js', 'doctor'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    await once(doctor.stderr, 'data');
    const processes = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).split('\n');
    const ids = processes.map((line) => line.trim().split(/\s+/, 2).map(Number));
    const check =
      ids.find(([, parent]) => parent === doctor.pid)?.[0] ?? assert.fail('the doctor has no check');
    // Stops the check, which could otherwise end by itself before it is cancelled.
    process.kill(check, 'SIGSTOP');
    doctor.kill('SIGTERM');
    await once(doctor, 'close');
    // Waits until the check has ended: signal 0 fails then.
    for (;;) {
      try {
        process.kill(check, 0);
      } catch {
        break;
      }
      await setTimeout(20);
    }
  });

  it('ends with an error and no report when the device is missing', async function () {
    if (hasGpu) this.skip();
    const { code, signal, stdout, stderr } = await flashline(['doctor', '--device', 'gpu']);
    assert.deepEqual([code, signal, stdout], [2, null, '']);
    assert.match(stderr, /This machine has no Metal GPU\. Use --device cpu/);
  });

  it('checks one mode of a CPU and two of a GPU', async () => {
    const modes = async (machine: Machine) => (await examined(machine)).checks.map(({ mode }) => mode);
    assert.deepEqual(await modes({}), ['CPU float32']);
    assert.deepEqual(await modes({ gpu: METAL }), ['CPU float32', 'GPU bfloat16', 'GPU float32']);
    assert.deepEqual(await modes({ gpu: METAL, device: 'gpu' }), ['GPU bfloat16', 'GPU float32']);
    assert.deepEqual(await modes({ gpu: METAL, device: 'cpu' }), ['CPU float32']);
    const lines: string[] = [];
    await examined({ gpu: METAL, progress: (line) => void lines.push(line) });
    assert.deepEqual(lines, ['1/3 CPU float32', '2/3 GPU bfloat16', '3/3 GPU float32']);
  });

  it('explains why a process gave no answer, with the beginning of its error output', async () => {
    for (const [error, reason] of [
      [{ killed: true, signal: 'SIGKILL' }, 'the process took too long'],
      [{ signal: 'SIGABRT', code: null }, 'the process ended with SIGABRT'],
      [{ code: 3, stderr: ' no\n  library ' }, 'the process ended with 3: no library'],
      [{ code: 3, stderr: 'x'.repeat(400) }, `the process ended with 3: ${'x'.repeat(300)}`],
    ] as const)
      assert.equal(reasonOf(error), reason);
    const ask = () => Promise.reject(Object.assign(new Error(), { code: 1, stderr: 'no library' }));
    await assert.rejects(
      examine({ device: undefined, ask, progress: () => undefined }),
      /^UserError: The native MLX addon does not load \(the process ended with 1: no library\)\. Reinstall/,
    );
  });

  it('passes with near ties, fails with larger differences, and continues after a failure', async () => {
    assert.equal((await examined({})).verdict, 'passed');
    const tied = { ...PASS, drafted: { verdict: 'near tie' as const, largestGap: 0.2 } };
    assert.equal((await examined({ answer: () => tied })).verdict, 'passed, with near ties');
    const wrong = { ...PASS, plain: { verdict: 'fail' as const, largestGap: 2.5 } };
    const answer = ({ type }: Mode): ModeCheck => (type === 'float32' ? wrong : PASS);
    const examination = await examined({ gpu: METAL, answer });
    assert.equal(examination.verdict, 'failed');
    assert.equal(examination.checks.length, 3);
    const text = renderReport(examination);
    for (const part of [
      '# Flashline doctor: failed',
      'working set 11.0 GB',
      'FAIL (gap 2.5)',
      'verify 16 rows',
    ])
      assert.ok(text.includes(part), `${part} in ${text}`);
  });

  it('reports a gap that is not a finite number', async () => {
    const broken = { ...PASS, plain: { verdict: 'fail' as const, largestGap: null } };
    const text = renderReport(await examined({ answer: () => broken }));
    assert.ok(text.includes('FAIL (gap not a number)'), text);
  });

  it('reports no path, user name or host name', async () => {
    const examination = await examined({
      answer: () => {
        throw Object.assign(new Error('exec'), { code: 1, stderr: `no ${join(homedir(), 'model')} here` });
      },
    });
    const text = renderReport(examination);
    assert.ok(text.includes('the process ended with 1: no (path) here'), text);
    for (const secret of [homedir(), process.cwd(), hostname()])
      if (secret.length > 2)
        assert.ok(!text.includes(secret) && !JSON.stringify(examination).includes(secret), secret);
    const message = `at ${process.cwd()}/dist/cli.js:1:2, file:///etc/x "C:\\Users\\me\\y" by ${userInfo().username}-${hostname()}`;
    for (const part of ['dist', 'etc', 'Users']) assert.ok(!withoutPaths(message).includes(part), message);
    for (const name of [userInfo().username, hostname()])
      if (name.length > 2) assert.ok(!withoutPaths(message).includes(name), message);
    assert.equal(
      withoutPaths('[matmul] only float32/float16, 1 / 2'),
      '[matmul] only float32/float16, 1 / 2',
    );
  });

  it('reports no part of a host name that contains the user name', () => {
    mock.method(os, 'userInfo', () => ({ username: 'anna' }));
    mock.method(os, 'hostname', () => 'annas-laptop.home');
    try {
      assert.equal(withoutPaths('anna on annas-laptop.home, annas-laptop'), '(name) on (name), (name)');
    } finally {
      mock.restoreAll();
    }
  });
});
