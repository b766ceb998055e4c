// A drafter that knows what the target will say, and is right exactly as often as a test wants.
// What it remembers of the context is another drafter's business, or a list of what the taps have shown.
import assert from 'node:assert/strict';
import type { Drafter, DraftState, Proposal } from '../../server/models/drafters/drafter';
import * as mx from '../../server/models/mlx/ops';
import type { TargetModel } from '../../server/models/decoder/target';
import { astray, certainLogits } from './scriptedTarget';

export interface Oracle {
  /** Prompt and output. */
  readonly tokens: readonly number[];
  /** Rows of a block, the anchor included. */
  readonly block: number;
  /** How many leading drafts are right, round by round, from the start again after the last. */
  readonly right: readonly number[];
  readonly form?: 'tokens' | 'logits' | undefined;
  /** What is drafted in place of a token; by default what the target itself would say after a wrong draft. */
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
    const { vocabSize } = target.config;
    return new OracleState(this.oracle, vocabSize, this.memory.newState(target, expectedRows));
  }

  dispose(): void {
    // The memory is borrowed.
  }
}

class OracleState implements DraftState {
  #round = 0;

  constructor(
    private readonly oracle: Oracle,
    private readonly vocabSize: number,
    private readonly memory: DraftState,
  ) {}

  get offset(): number {
    return this.memory.offset;
  }

  relate(tokens: readonly number[]): void {
    this.memory.relate(tokens);
  }

  commit(tokens: readonly number[], taps: mx.MxArray | undefined): void {
    this.memory.commit(tokens, taps);
  }

  propose(anchor: number, count: number): Proposal {
    const { tokens, right, form, wrong = astray } = this.oracle;
    assert.equal(anchor, tokens[this.offset], 'the anchor is the token after the context');
    const rightNow = right[this.#round++ % right.length] ?? 0;
    const drafts = Array.from({ length: count }, (_, i) => {
      const token = tokens[this.offset + 1 + i];
      return token !== undefined && i < rightNow ? token : wrong(token);
    });
    return form === 'logits'
      ? { logits: certainLogits(drafts, this.vocabSize) }
      : { tokens: drafts, confidence: drafts.map(() => 1) };
  }

  reachable(length: number): number {
    return this.memory.reachable(length);
  }

  trimTo(length: number): void {
    this.memory.trimTo(length);
  }

  fork(length: number, expectedRows: number): DraftState {
    return new OracleState(this.oracle, this.vocabSize, this.memory.fork(length, expectedRows));
  }

  arrays(): mx.MxArray[] {
    return this.memory.arrays();
  }

  dispose(): void {
    this.memory.dispose();
  }
}

/** Remembers the tokens that the taps of a ScriptedTarget show, which must be those it is told of. */
const tapMemory: Drafter = {
  name: 'taps',
  isFree: true,
  maxDraftTokens: 0,
  taps: [0],
  newState: () => new TapMemory(),
  dispose: () => undefined,
};

class TapMemory implements DraftState {
  readonly #seen: number[] = [];

  get offset(): number {
    return this.#seen.length;
  }

  relate(): void {
    // Taps are all it knows.
  }

  commit(tokens: readonly number[], taps: mx.MxArray | undefined): void {
    assert.ok(taps, 'a commit comes with taps');
    const shown = mx.numbers(mx.reshape(taps, -1));
    assert.deepEqual(shown, tokens, 'the taps belong to the committed tokens');
    this.#seen.push(...shown);
  }

  propose(): Proposal {
    return { tokens: [], confidence: [] };
  }

  reachable(length: number): number {
    return Math.min(length, this.#seen.length);
  }

  trimTo(length: number): void {
    this.#seen.length = length;
  }

  fork(length: number): DraftState {
    const copy = new TapMemory();
    copy.#seen.push(...this.#seen.slice(0, length));
    return copy;
  }

  arrays(): [] {
    return [];
  }

  dispose(): void {
    this.#seen.length = 0;
  }
}
