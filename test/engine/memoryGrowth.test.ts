// Memory does not grow with the number of decodes: arrays are counted exactly on the tiny pair, and the embedded pair is
// measured in a process of its own, so that neither what mocha holds nor what other tests left behind counts.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Engine } from '../../server/engine/engine';
import { liveArrays } from '../../server/models/mlx/memory';
import { DSPARK } from '../support/fixtures';
import { fullSize } from '../support/fullSize';
import { seededIntegers } from '../support/seededRandom';
import { TINY_PAIR } from '../support/tinyPair';
import type { MemoryReport } from './memoryProbe';

const DECODES = fullSize ? 100 : 40;
const DRAFT_LENGTHS = ['full', 0, 3, 'adaptive'] as const;
const ACCEPTANCE = ['match', 'rejection'] as const;
const PEAK_BYTES = 900e6;
const GROWTH = 1.15;

describe('memory', () => {
  const pairs = {
    DFlash: TINY_PAIR,
    DSpark: { ...TINY_PAIR, drafterDirectory: join(DSPARK, 'rnn') },
  };
  for (const [name, pair] of Object.entries(pairs))
    it(`holds exactly the same arrays after each of many decodes of the tiny pair with ${name}`, async () => {
      const unloaded = liveArrays();
      const engine = await Engine.load(pair);
      const loaded = liveArrays();
      const promptTokens = seededIntegers(1, DECODES, 1, 40);
      const maxTokens = seededIntegers(2, DECODES, 1, 8);
      for (const [i, count] of promptTokens.entries()) {
        const prompt = seededIntegers(i, count, 0, engine.config.vocabSize - 1);
        const draftLength = DRAFT_LENGTHS[i % DRAFT_LENGTHS.length] ?? 'full';
        const sampling = { temperature: i % 3 === 0 ? 1 : 0, acceptance: ACCEPTANCE[i % 2], seed: i };
        const limits = {
          maxTokens: maxTokens[i] ?? 1,
          draftLength,
          sampling,
          confidenceThreshold: (i % 5) / 5,
        };
        const { tokenIds } = await engine.decode(prompt, limits).finish();
        assert.ok(tokenIds.length > 0);
        assert.equal(liveArrays(), loaded, `after decode ${String(i)}`);
      }
      await engine.dispose();
      assert.equal(liveArrays(), unloaded);
    });
});

describe('memory of the embedded pair', () => {
  let report: MemoryReport;
  before(async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(__dirname, 'memoryProbe.js')]);
    report = JSON.parse(stdout) as MemoryReport;
  });

  it('stays under 900 MB at its peak', () => {
    assert.ok(report.emittedTokens > report.decodes, 'the decodes gave tokens');
    assert.ok(report.peakBytes < PEAK_BYTES, `${String(report.peakBytes)} bytes`);
  });

  it('is held by the same number of arrays after each decode as before it', () => {
    assert.equal(report.liveArrays.length, 1, `array counts ${report.liveArrays.join(', ')}`);
  });

  if (fullSize)
    it('does not grow over 300 decodes', () => {
      assert.equal(report.decodes, 300);
      const growth = report.finalBytes / report.settledBytes;
      assert.ok(growth <= GROWTH, `${String(report.settledBytes)} bytes became ${String(report.finalBytes)}`);
    });
});
