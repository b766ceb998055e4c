// Measuring what widths cost: step by step, so that requests go first, and without a trace when it is given up.
// How long anything takes is no test's business.
import assert from 'node:assert/strict';
import { calibration } from '../../server/engine/calibration';
import { Engine } from '../../server/engine/engine';
import { liveArrays } from '../../server/models/memory';
import { RecordingTarget } from '../support/recordingTarget';
import { newScript, ScriptedTarget } from '../support/scriptedTarget';
import { TINY_PAIR, tinyOutput, tinyPrompt } from '../support/tinyPair';

const MAX_ROWS = 7;
/** Rows that are read before the first width is measured. */
const CONTEXT = 256;
const target = () => new RecordingTarget(new ScriptedTarget(newScript(1, 1)));

/** Runs up to `steps` steps; returns how many there were, and the result if it ended. */
async function runSteps(steps: number, measured = target()) {
  const running = calibration(measured, MAX_ROWS);
  for (let step = 0; step < steps; step++) {
    const { done, value } = await running.next();
    if (done) return { step, widths: value };
  }
  await running.return(new Map());
  return { step: steps, widths: undefined };
}

describe('calibration', () => {
  it('returns a time for narrow widths and for the widest', async () => {
    const before = liveArrays();
    const { widths } = await runSteps(Infinity);
    assert.deepEqual([...(widths?.keys() ?? [])], [1, 2, 3, 4, 5, 6, 7]);
    for (const milliseconds of widths?.values() ?? [])
      assert.ok(milliseconds > 0 && Number.isFinite(milliseconds));
    assert.equal(liveArrays(), before);
  });

  it('verifies each width several times, always after the same context', async () => {
    const measured = target();
    await runSteps(Infinity, measured);
    const isRound = ({ offset, tokens }: { readonly offset: number; readonly tokens: readonly number[] }) =>
      offset + tokens.length > CONTEXT;
    const rows = measured.passes
      .filter((pass) => !isRound(pass))
      .reduce((sum, pass) => sum + pass.tokens.length, 0);
    assert.equal(rows, CONTEXT);
    const rounds = measured.passes.filter(isRound);
    const runs = rounds.map(({ tokens }) => tokens.length);
    for (let width = 1; width <= MAX_ROWS; width++)
      assert.ok(runs.filter((each) => each === width).length >= 3);
    assert.ok(rounds.every(({ offset }) => offset === rows));
  });

  it('does one short evaluation per step, as requests wait for it', async () => {
    const measured = target();
    const running = calibration(measured, MAX_ROWS);
    for (let passes = 1; !(await running.next()).done; passes++) assert.equal(measured.passes.length, passes);
    assert.ok(measured.passes.every(({ tokens }) => tokens.length <= CONTEXT / 8));
  });

  it('fits into a model with a short context', async () => {
    const short = target();
    Object.defineProperty(short, 'config', { value: { ...short.config, maxPositionEmbeddings: 20 } });
    await runSteps(Infinity, short);
    for (const { offset, tokens } of short.passes) assert.ok(offset + tokens.length <= 20);
  });

  it('leaves nothing behind when it is given up, after whichever step', async () => {
    const before = liveArrays();
    const { step: all } = await runSteps(Infinity);
    for (let steps = 0; steps <= all; steps++) {
      await runSteps(steps);
      assert.equal(liveArrays(), before, `arrays after ${String(steps)} steps`);
    }
  });

  it('leaves nothing behind when the target fails', async () => {
    const before = liveArrays();
    for (const failing of [0, 3]) {
      const broken = new RecordingTarget(new ScriptedTarget(newScript(1, 1)), (pass) => {
        if (pass === failing) throw new Error('out of order');
      });
      await assert.rejects(runSteps(Infinity, broken), /out of order/);
      assert.equal(liveArrays(), before);
    }
  });
});

describe('the calibration of an engine', () => {
  let engine: Engine;
  let unloaded: number;
  let idle: number;
  beforeEach(async () => {
    unloaded = liveArrays();
    engine = await Engine.load(TINY_PAIR);
    idle = liveArrays();
  });
  afterEach(async () => {
    await engine.dispose();
    assert.equal(liveArrays(), unloaded);
  });

  it('fills the profile once', async () => {
    const { signal } = new AbortController();
    assert.equal(engine.profile.costs.calibrated, false);
    await engine.calibrate(signal);
    const { costs } = engine.profile;
    assert.equal(costs.calibrated, true);
    assert.equal(costs.verifyMs.length, 16);
    assert.equal(liveArrays(), idle);
    await engine.calibrate(signal);
    assert.deepEqual(engine.profile.costs, costs, 'what is known is not measured again');
  });

  it('is not needed where another process has left its profile', async () => {
    await engine.calibrate(new AbortController().signal);
    const next = await Engine.load({ ...TINY_PAIR, profile: engine.profile });
    await next.calibrate(new AbortController().signal);
    assert.deepEqual(next.profile, engine.profile);
    await next.dispose();
  });

  it('waits while a request is decoded, of either kind', async () => {
    let calibrated = false;
    const calibrating = engine.calibrate(new AbortController().signal).then(() => (calibrated = true));
    for (const kind of ['inline', 'generate', 'inline', 'generate'] as const) {
      const { tokenIds } = await engine
        .decode(tinyPrompt, { maxTokens: tinyOutput.length, kind, draftLength: 0 })
        .finish();
      assert.deepEqual(tokenIds, tinyOutput);
      assert.equal(calibrated, false, 'the request ended first');
    }
    await calibrating;
    assert.equal(engine.profile.costs.calibrated, true);
    assert.equal(liveArrays(), idle);
  });

  it('stops with its signal and leaves the profile as it was', async () => {
    const before = engine.profile;
    for (const wait of [0, 1, 4]) {
      const controller = new AbortController();
      const calibrating = engine.calibrate(controller.signal);
      for (let turn = 0; turn < wait; turn++) await new Promise((resolve) => setImmediate(resolve));
      controller.abort();
      await calibrating;
      assert.deepEqual(engine.profile, before);
      assert.equal(liveArrays(), idle);
    }
    const { tokenIds } = await engine.decode(tinyPrompt, { maxTokens: 4 }).finish();
    assert.deepEqual(tokenIds, tinyOutput.slice(0, 4));
  });

  it('stops when the engine is disposed', async () => {
    const before = liveArrays();
    const other = await Engine.load(TINY_PAIR);
    const calibrating = other.calibrate(new AbortController().signal);
    await new Promise((resolve) => setImmediate(resolve));
    await other.dispose();
    await calibrating;
    assert.equal(other.profile.costs.calibrated, false);
    assert.equal(liveArrays(), before);
    await other.calibrate(new AbortController().signal);
    assert.equal(liveArrays(), before);
  });
});
