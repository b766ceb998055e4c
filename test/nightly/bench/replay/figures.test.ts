// The figures of a replay, against sums made by hand.
import assert from 'node:assert/strict';
import { figures } from '../../../../bench/replay/figures';
import type { Played } from '../../../../bench/replay/typist';
import { asked, row } from './askedSample';

const NOTHING: Played = {
  asked: [],
  rows: [],
  typedCharacters: 0,
  acceptedCharacters: 0,
  accepts: 0,
  seconds: 0,
  texts: [],
  interrupted: false,
};

const COLD = row({ timeToFirstTokenMs: 25 });
const WARM = row({ promptTokens: 120, reusedTokens: 100, prefillMs: 5, timeToFirstTokenMs: 12 });
const BROKEN = row({ emittedTokens: 0, prefillMs: 8, decodeMs: 0, finishReason: 'cancelled' });
const AHEAD = row({ prefillMs: 10, decodeMs: 30 }, 'prefetch');
const PLAYED: Played = {
  ...NOTHING,
  asked: [
    asked({ ms: 90, rows: [COLD] }),
    asked({ ms: 2, cause: 'typedAlong' }),
    asked({ ms: 60, cancelMs: 7, text: undefined, rows: [BROKEN] }),
    asked({ ms: 1, cancelMs: 1, text: undefined }),
    asked({ ms: 45, rows: [WARM] }),
    asked({ ms: 3, text: undefined }),
  ],
  rows: [COLD, BROKEN, AHEAD, WARM, row({}, 'generate')],
  typedCharacters: 10,
};

describe('the figures of a replay', () => {
  it('are null where nothing was measured', () => {
    const { cases, withoutDebounce, ...rest } = figures(NOTHING, 0);
    for (const { count, p50, p95, p99, reuseRate } of Object.values(cases))
      assert.deepEqual([count, p50, p95, p99, reuseRate], [0, null, null, null, null]);
    assert.equal(withoutDebounce.coldFile.p50, null);
    const { cancelMsP95, waitMsP95, engineMsPerCharacter, reuseRate, warmOverCold, coldOverWarmPrefill } =
      rest;
    const all = [cancelMsP95, waitMsP95, engineMsPerCharacter, reuseRate, warmOverCold, coldOverWarmPrefill];
    assert.deepEqual(new Set(all), new Set([null]));
  });

  it('time the first line of what was computed and has several', () => {
    const several = { text: 'a {\n}', rows: [WARM] };
    const { firstLines, firstLineOverWhole } = figures(
      {
        ...NOTHING,
        asked: [
          asked({ ...several, ms: 200, firstMs: 80 }),
          asked({ ...several, rows: [], firstMs: 1 }),
          asked({ ms: 45, firstMs: 2, rows: [WARM] }),
        ],
      },
      0,
    );
    assert.deepEqual([firstLines.count, firstLines.p50, firstLineOverWhole], [1, 80, 0.4]);
  });

  it('count what came on screen once, and how much of it was right', () => {
    const offers = [true, false, undefined, true, false].map((isRight) => asked({ isRight }));
    const unseen = asked({ isRight: true, cancelMs: 5 });
    const { offered, right, rightRate } = figures({ ...NOTHING, asked: [...offers, unseen] }, 0);
    assert.deepEqual([offered, right, rightRate], [4, 2, 0.5]);
  });

  it('count each request once, and time those that were shown by their case', () => {
    const { cases, requests, shown, nothing, cancelled, shownRate } = figures(PLAYED, 0);
    assert.deepEqual([requests, shown, nothing, cancelled, shownRate], [6, 3, 1, 2, 0.5]);
    assert.deepEqual(
      [cases.coldFile, cases.typedThrough, cases.warmSingleLine].map(({ count, p50 }) => [count, p50]),
      [
        [1, 90],
        [1, 2],
        [1, 45],
      ],
    );
    assert.equal(cases.coldFile.reuseRate, 0);
    assert.equal(cases.warmSingleLine.reuseRate, 100 / 120);
    assert.equal(cases.typedThrough.reuseRate, null);
  });

  it('time cancellations only where the engine was at work', () => {
    const { brokenOff, cancelMsP50, cancelMsP95 } = figures(PLAYED, 0);
    assert.deepEqual([brokenOff, cancelMsP50, cancelMsP95], [1, 7, 7]);
  });

  it('tell how long a decode waited before its own work', () => {
    const { waitMsP50, waitMsP95 } = figures(PLAYED, 0);
    assert.deepEqual([waitMsP50, waitMsP95], [5, 7]);
  });

  it('tell what suggestions took besides their decodes, without the debounce', () => {
    const { outsideEngineMsP50, outsideEngineMsP95 } = figures(PLAYED, 0);
    // 45 - 45 and 90 - 60.
    assert.deepEqual([outsideEngineMsP50, outsideEngineMsP95], [0, 30]);
    assert.equal(figures(PLAYED, 10).outsideEngineMsP95, 20);
  });

  it('add up the engine time per typed character, with prefetching and without, but no generated code', () => {
    const { engineMsPerCharacter, engineMsPerCharacterWithoutPrefetch, decodes, prefetches, generates } =
      figures(PLAYED, 0);
    assert.equal(engineMsPerCharacterWithoutPrefetch, (60 + 8 + 45) / 10);
    assert.equal(engineMsPerCharacter, (60 + 8 + 45 + 40) / 10);
    assert.deepEqual([decodes, prefetches, generates], [3, 1, 1]);
  });

  it('compare warm with cold', () => {
    const { reuseRate, coldOverWarmPrefill, warmOverCold, typedThroughP95 } = figures(PLAYED, 0);
    assert.equal(reuseRate, 100 / 320);
    // The broken-off decode came after the document was read: 100 and 20 tokens.
    assert.equal(coldOverWarmPrefill, 100 / 60);
    assert.equal(warmOverCold, 45 / 90);
    assert.equal(typedThroughP95, 2);
  });

  it('can leave the debounce out, which only requests to the engine wait for', () => {
    const { cases, withoutDebounce } = figures(PLAYED, 40);
    assert.deepEqual([cases.warmSingleLine.p50, withoutDebounce.warmSingleLine.p50], [45, 5]);
    assert.deepEqual([cases.typedThrough.p50, withoutDebounce.typedThrough.p50], [2, 2]);
  });
});
