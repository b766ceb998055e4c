// Requests as the replay's editor records them, with rows that were written by hand.
import type { Asked } from '../../../../bench/replay/editor';
import type { RequestStats } from '../../../../server/engine/request/stats';
import type { LocalRow } from '../../../../server/protocol/messages';
import { sampleRow } from '../../../src/support/sampleRow';

/** 100 prompt tokens, none reused, 20 ms of prefill that began at once, 40 ms of rounds. */
export function row(stats: Partial<RequestStats> = {}, kind: LocalRow['kind'] = 'inline'): LocalRow {
  const sample = sampleRow({ kind });
  const own = {
    promptTokens: 100,
    reusedTokens: 0,
    emittedTokens: 4,
    prefillMs: 20,
    decodeMs: 40,
    timeToFirstTokenMs: 20,
  };
  return { ...sample, stats: { ...sample.stats, ...own, ...stats } };
}

/** Shown after 10 ms, for an edit, without a decode. */
export function asked(given: Partial<Asked> = {}): Asked {
  return {
    cause: 'edited',
    visit: 1,
    ms: 10,
    firstMs: 10,
    cancelMs: undefined,
    text: 'x',
    isRight: undefined,
    rows: [],
    ...given,
  };
}
