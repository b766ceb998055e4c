// Tests measurements of the doctor: matrix products by number of rows, both sizes of command buffers, the time limit.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderReport } from '../../server/cli/doctorReport';
import type { Examination } from '../../server/doctor/examine';
import { timeKernels, type KernelPlan, type Kernels } from '../../server/doctor/kernels';
import { measureMachine } from '../../server/doctor/measurements';
import { processAsker, type Task } from '../../server/doctor/tasks';
import { liveArrays } from '../../server/models/mlx/memory';
import { EXAMINED_MACHINE } from '../support/examinedMachine';
import { temporaryFolder } from '../support/temporaryFolder';

const SMALL: KernelPlan = {
  layers: [{ name: 'tiny', products: [[256, 512]] }],
  mixture: { experts: 4, expertsPerRow: 2, hidden: 256, width: 256 },
  rows: [1, 6, 33],
  bits: [4, 8, 16],
  budgetMs: 60_000,
};
const KERNELS: Kernels = {
  layers: [
    { layer: '4B', bits: 4, ms: { 1: 0.5, 6: 2.25, 33: 4.5 } },
    { layer: '4B', bits: 16, ms: { 1: 1 } },
  ],
  mixture: { 1: 0.4, 256: 25.6 },
};
const EXAMINATION: Examination = {
  verdict: 'passed',
  nearTies: { float32: 0.001, bfloat16: 0.5 },
  machine: EXAMINED_MACHINE,
  seconds: 20,
  checks: [],
};

describe('the doctor (measurements)', function () {
  this.timeout(600_000);

  it('times layers in all bits and a mixture of experts, and leaves no arrays', async () => {
    const before = liveArrays();
    const { layers, mixture } = await timeKernels('cpu', SMALL);
    assert.deepEqual(
      layers.map(({ layer, bits, ms }) => [layer, bits, Object.keys(ms)]),
      [4, 8, 16].map((bits) => ['tiny', bits, ['1', '6', '33']]),
    );
    for (const ms of [...layers.flatMap((costs) => Object.values(costs.ms)), ...Object.values(mixture ?? {})])
      assert.ok(ms > 0 && ms < 60_000, String(ms));
    assert.deepEqual(Object.keys(mixture ?? {}), ['1', '256']);
    assert.equal(liveArrays(), before);
  });

  it('times nothing once the time is over', async () => {
    const { layers, mixture } = await timeKernels('cpu', { ...SMALL, budgetMs: 0 });
    assert.deepEqual(
      layers.map(({ ms }) => ms),
      [{}, {}, {}],
    );
    assert.deepEqual(mixture, {});
  });

  it('alternates 10 and 40 operations per buffer on a GPU, whatever else fails', async () => {
    const bufferLimits: string[] = [];
    const ask = async ({ name, env = {} }: Task) => {
      await Promise.resolve();
      if (name.includes('products')) throw Object.assign(new Error(), { code: 1, stderr: 'no kernel' });
      bufferLimits.push(env['MLX_MAX_OPS_PER_BUFFER'] ?? 'none');
      return String(bufferLimits.length);
    };
    const options = { device: 'gpu', budgetMs: 60_000, ask, progress: () => undefined } as const;
    const measured = await measureMachine(options);
    assert.deepEqual(bufferLimits, ['10', '40', '10', '40']);
    assert.deepEqual(measured.steps, [
      { operations: 10, ms: [1, 3] },
      { operations: 40, ms: [2, 4] },
    ]);
    assert.deepEqual(measured.problems, ['GPU matrix products by rows: the process ended with 1: no kernel']);
    const late = await measureMachine({ ...options, budgetMs: 0 });
    assert.equal(bufferLimits.length, 4);
    assert.deepEqual([late.kernels, late.steps, late.problems.length], [undefined, [], 5]);
  });

  it('reports an answer that is not JSON', async () => {
    const ask = async () => await Promise.resolve('Segmentation fault');
    const options = { device: 'gpu', budgetMs: 60_000, ask, progress: () => undefined } as const;
    const { problems } = await measureMachine(options);
    assert.match(problems[0] ?? '', /: the process answered with a text that is not JSON$/);
  });

  it('passes the number of operations on to the process that loads the addon', async () => {
    const program = join(temporaryFolder(), 'env.cjs');
    writeFileSync(program, 'process.stdout.write(process.env.MLX_MAX_OPS_PER_BUFFER)');
    const env = { MLX_MAX_OPS_PER_BUFFER: '10' };
    const task = { name: 'step', question: { measure: 'step' }, env, limitMs: 60_000 } as const;
    assert.equal(await processAsker(program, [])(task), '10');
  });

  it('reports times as multiples of the time of one row, and lists missing measurements', () => {
    const steps = [
      { operations: 10, ms: [8, 8.5] },
      { operations: 40, ms: [6, 6.5] },
    ];
    const problems = ['a thing: no time was left'];
    const text = renderReport(EXAMINATION, { kernels: KERNELS, steps, problems });
    for (const part of [
      '4B, 4 bit',
      '2.25 (4.5x)',
      '4.50 (9.0x)',
      'no time',
      'step, 40 operations per buffer',
      '6.0 ms, 6.5 ms',
      '4.0x as fast as row by row',
      '- not measured: a thing: no time was left',
    ])
      assert.ok(text.includes(part), `${part} in ${text}`);
  });
});
