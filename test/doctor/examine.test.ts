// An examination, with answers that a test has made up: what is asked, and that one failure hides no other.
import assert from 'node:assert/strict';
import { homedir, hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { renderReport, reportFields, verdictOf } from '../../server/cli/doctorReport';
import type { Check } from '../../server/doctor/checkPair';
import { examine, type Examination } from '../../server/doctor/examine';
import type { Answer, Question } from '../../server/doctor/doctorWorker';
import { findingOf } from '../../server/doctor/finding';
import type { Measures } from '../../server/doctor/measure';
import { withoutPaths } from '../../server/doctor/withoutPaths';

const PASS: Check = { plain: findingOf(25, [], 'float32'), drafted: findingOf(25, [], 'float32') };
const MEASURES: Measures = {
  passMs: { 1: 20, 16: 30 },
  buildMs: 2,
  freeMs: 1,
  prefillTokensPerSecond: 1000,
  plainTokensPerSecond: 50,
  draftedTokensPerSecond: 100,
  longestBlockMs: 40,
  growthBytes: 0,
  leftArrays: 0,
};
const METAL = { architecture: 'applegpu_g14s', max_recommended_working_set_size: 11e9 };

interface Machine {
  readonly gpu?: Readonly<Record<string, unknown>>;
  readonly device?: 'cpu' | 'gpu';
  readonly answer?: (question: Question) => Answer | undefined;
}

async function examined({ gpu, device, answer = () => undefined }: Machine): Promise<Examination> {
  const ask = (question: Question): Promise<Answer> => {
    if (question.kind === 'addon') return Promise.resolve({ result: { version: '0.0.7', gpu } });
    const usual = question.kind === 'measure' ? MEASURES : PASS;
    return Promise.resolve(answer(question) ?? { result: usual });
  };
  const worker = { ask, end: () => undefined };
  return await examine({ version: '1.2.3', device, process: worker, progress: () => undefined });
}

describe('an examination', () => {
  it('checks the built-in pair in two modes of a CPU and four of a GPU', async () => {
    const modes = async (machine: Machine) => {
      const { checks, measures } = await examined(machine);
      return [
        new Set(checks.map(({ mode: { device, type, weights } }) => `${device} ${type} ${weights}`)).size,
        checks.length,
        measures.length,
      ];
    };
    assert.deepEqual(await modes({}), [2, 2, 1]);
    assert.deepEqual(await modes({ gpu: METAL }), [6, 6, 2]);
    assert.deepEqual(await modes({ gpu: METAL, device: 'gpu' }), [4, 4, 1]);
    await assert.rejects(modes({ device: 'gpu' }), /Expected a Metal GPU for --device gpu, got none/);
  });

  it('passes with near ties, fails with anything else, and goes on', async () => {
    assert.equal(verdictOf(await examined({})), 'passed');
    const tie = { result: { ...PASS, drafted: findingOf(25, [0.2], 'bfloat16') } };
    const tied = await examined({ gpu: METAL, answer: ({ kind }) => (kind === 'pair' ? tie : undefined) });
    assert.equal(verdictOf(tied), 'passed, with near ties');
    const failed = await examined({
      answer: (question) =>
        question.kind === 'pair' && question.mode.weights === 'packed'
          ? { problem: 'the process ended with SIGABRT' }
          : undefined,
    });
    assert.equal(verdictOf(failed), 'failed');
    assert.equal(failed.checks.filter(({ plain }) => plain.verdict === 'pass').length, 1);
    const left = { result: { ...MEASURES, leftArrays: 2 } };
    assert.equal(
      verdictOf(await examined({ answer: ({ kind }) => (kind === 'measure' ? left : undefined) })),
      'failed',
    );
  });

  it('is reported in a text for an issue', async () => {
    const fail = { result: { plain: findingOf(25, [2.5], 'float32'), drafted: PASS.drafted } };
    const found = await examined({
      gpu: METAL,
      answer: (question) => {
        if (question.kind === 'pair') return question.mode.device === 'gpu' ? fail : undefined;
        if (question.kind === 'measure' && question.device === 'cpu')
          return { problem: `no ${join(homedir(), 'model')} here` };
        return undefined;
      },
    });
    const text = renderReport(found);
    for (const part of [
      '# Flashline doctor: failed',
      'applegpu_g14s, working set 11.0 GB',
      'FAIL, drafts pass',
      '- GPU bfloat16 packed, built-in pair: 1 of 25 tokens differ, at gaps of up to 2.5 (FAIL)',
      '- measuring the CPU: no (path) here',
      'verify 16 rows',
    ])
      assert.ok(text.includes(part), `${part} in ${text}`);
    const json = JSON.stringify(reportFields(found));
    for (const secret of [homedir(), process.cwd(), hostname()])
      if (secret.length > 2) assert.ok(!text.includes(secret) && !json.includes(secret), secret);
  });

  it('leaves paths and names out', () => {
    const text = `at ${process.cwd()}/dist/cli.js:1:2, file:///etc/x "C:\\Users\\me\\y" by ${userInfo().username}-${hostname()}`;
    const clean = withoutPaths(text);
    for (const part of ['dist', 'etc', 'Users']) assert.ok(!clean.includes(part), clean);
    assert.equal(
      withoutPaths('[matmul] only float32/float16, 1 / 2'),
      '[matmul] only float32/float16, 1 / 2',
    );
  });
});
