// Compares the drafts of the n-gram drafter with a reference that searches by comparing lists: the longest match, of
// equal ones the most recent, and the tokens after it. The drafter contract tests its state.
import assert from 'node:assert/strict';
import type { DraftState } from '../../../server/models/drafters/drafter';
import { ngramDrafter } from '../../../server/models/drafters/ngramDrafter';
import { loadTarget } from '../../support/loadModels';
import type { TargetModel } from '../../../server/models/decoder/target';
import { testDevice } from '../../support/testDevice';
import { QWEN3 } from '../../support/fixtures';
import { seededIntegers, seededRandom } from '../../support/seededRandom';

interface Drafted {
  readonly tokens: readonly number[];
  /** Confidence level from 0 to 5, the same for all tokens; 0 without tokens. */
  readonly level: number;
}

const NOTHING: Drafted = { tokens: [], level: 0 };

describe('the n-gram drafter', () => {
  let target: TargetModel;
  before(async () => (target = await loadTarget(QWEN3, testDevice)));
  after(() => target.dispose());

  it('finds the same drafts as an exhaustive search in random texts', () => {
    const levels = new Set<number>();
    for (let seed = 0; seed < 300; seed++) {
      const { committed, anchor, related, count } = randomCase(seed);
      const state = ngramDrafter().newState(target, 1);
      state.commit(committed, undefined);
      const actual = draft(state, anchor, count, related);
      assert.deepEqual(actual, longestMatch([...committed, anchor], related, count), `seed ${String(seed)}`);
      levels.add(actual.level);
    }
    assert.deepEqual([...levels].sort(), [0, 1, 2, 3, 4], 'the random texts have other confidence levels');
  });
});

/** Returns the drafts and their confidence level, which must be the same for all of them. */
function draft(state: DraftState, anchor: number, count: number, related: readonly number[]): Drafted {
  const proposal = state.propose(anchor, count, related);
  assert.ok('tokens' in proposal);
  const { tokens, confidence } = proposal;
  const [first = 0] = confidence;
  assert.deepEqual(confidence, Array(tokens.length).fill(first));
  return { tokens, level: LEVELS.filter((least) => first > least).length };
}

/** Bounds between the confidences of matches of 1, 2, 3, 5, 8 and 16 tokens. */
const LEVELS = [0.35, 0.5, 0.7, 0.8, 0.9];

/** Returns the expected confidence level for a match of this many tokens, including the anchor. */
function levelOf(match: number): number {
  return [2, 3, 5, 8, 16].filter((least) => match >= least).length;
}

function randomCase(seed: number) {
  const random = seededRandom(seed);
  const upTo = (most: number): number => Math.floor(random() * (most + 1));
  const vocabulary = 1 + upTo(4);
  return {
    committed: seededIntegers(3 * seed + 1, upTo(40), 0, vocabulary),
    anchor: upTo(vocabulary),
    related: seededIntegers(3 * seed + 2, upTo(30), 0, vocabulary),
    count: 1 + upTo(14),
  };
}

/** Searches `text` before `related` for each length of match, longest first, from the end. */
function longestMatch(text: readonly number[], related: readonly number[], count: number): Drafted {
  for (let match = 16; match >= 1; match--) {
    if (match > text.length) continue;
    const suffix = text.slice(-match).join();
    for (const source of [text, related]) {
      for (let start = source.length - match - 1; start >= 0; start--) {
        if (source.slice(start, start + match).join() !== suffix) continue;
        const continued = [...source];
        const from = start + match;
        // At the end of the text, drafts continue with the first drafts, as the text would repeat itself.
        for (let i = 0; i < count && source === text; i++) continued.push(continued[from + i] ?? NaN);
        return { tokens: continued.slice(from, from + count), level: levelOf(match) };
      }
    }
  }
  return NOTHING;
}
