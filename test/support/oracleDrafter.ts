// A drafter that knows the target's text; a test chooses how many of its drafts are right in each round. It keeps the
// context in the state of another drafter, or as a list of tokens read from the taps.
import assert from 'node:assert/strict';
import type { Drafter, DraftState } from '../../server/models/drafters/drafter';
import * as mx from '../../server/models/mlx/ops';
import type { TargetModel } from '../../server/models/decoder/target';
import { noDrafter, tokenState } from './noDrafter';
import { overlaid } from './overlaid';
import { certainLogits, wrongToken } from './scriptedTarget';

export interface Oracle {
  /** Tokens of the prompt and the output. */
  readonly tokens: readonly number[];
  /** Rows of a block, the anchor included. */
  readonly block: number;
  /** Number of leading drafts that are right in each round; starts over after the last entry. */
  readonly right: readonly number[];
  /** Form of a proposal; tokens by default. */
  readonly form?: 'tokens' | 'logits' | undefined;
  /** Returns the wrong draft for a token; by default the token that a scripted target would write off its script. */
  readonly wrong?: (token: number | undefined) => number;
}

export class OracleDrafter implements Drafter {
  readonly name = 'oracle';
  readonly isFree = false;
  readonly maxDraftTokens: number;
  readonly taps: readonly number[];

  constructor(
    private readonly oracle: Oracle,
    private readonly memory: Drafter = tapMemory,
  ) {
    this.maxDraftTokens = oracle.block - 1;
    this.taps = memory.taps;
  }

  newState(target: TargetModel, expectedRows: number): DraftState {
    return oracleState(this.oracle, target.config.vocabSize, this.memory.newState(target, expectedRows));
  }

  dispose(): void {
    // The memory is borrowed.
  }
}

function oracleState(oracle: Oracle, vocabSize: number, memory: DraftState): DraftState {
  const { tokens, right, form, wrong = wrongToken } = oracle;
  let round = 0;
  return overlaid(memory, {
    propose: (anchor, count) => {
      assert.equal(anchor, tokens[memory.offset], 'the anchor is not the token after the context');
      const rightNow = right[round++ % right.length] ?? 0;
      const drafts = Array.from({ length: count }, (_, i) => {
        const token = tokens[memory.offset + 1 + i];
        return token !== undefined && i < rightNow ? token : wrong(token);
      });
      return form === 'logits'
        ? { logits: certainLogits(drafts, vocabSize) }
        : { tokens: drafts, confidence: drafts.map(() => 1) };
    },
    fork: (length, expectedRows) => oracleState(oracle, vocabSize, memory.fork(length, expectedRows)),
  });
}

/** Remembers the tokens in the taps of a ScriptedTarget, and asserts that they equal the committed ones. */
const tapMemory: Drafter = {
  ...noDrafter,
  name: 'taps',
  taps: [0],
  newState: () =>
    tokenState((committed) => ({
      commit: (tokens, taps) => {
        assert.ok(taps, 'a commit has no taps');
        const tapped = mx.numbers(mx.reshape(taps, -1));
        assert.deepEqual(tapped, tokens, 'the taps are not those of the committed tokens');
        committed.push(...tapped);
      },
    })),
};
