// Verify passes after a context of fixed length, one after the other: what a round of that many rows costs.
import { DecodeMemory } from '../../engine/decodeMemory';
import { commitRound, verifyRound } from '../../engine/round';
import { greedySampler } from '../../engine/sampling/greedySampler';
import { Stopwatch } from '../../engine/stopwatch';
import { dispose, scope, settle } from '../../models/memory';
import type { TargetModel } from '../../models/target';
import { tokenArray } from '../../models/tokenArray';
import { repeatTo } from './repeatTo';

/** Most rows of a step. */
export const MAX_WIDTH = 16;
/** Rows that the first step attends to, besides its own. */
const CONTEXT_TOKENS = 256;

export class VerifySteps {
  private constructor(
    private readonly memory: DecodeMemory,
    /** Context and what may be verified after it. */
    private readonly tokens: readonly number[],
  ) {}

  /** Reads the context, which is made from `prompt`. */
  static async prepare(target: TargetModel, prompt: readonly number[]): Promise<VerifySteps> {
    const tokens = repeatTo(prompt, CONTEXT_TOKENS + MAX_WIDTH);
    const memory = DecodeMemory.empty(target, [], tokens.length);
    const context = tokenArray(tokens.slice(0, CONTEXT_TOKENS), target.config.vocabSize);
    const hidden = scope(() => target.forward(context, memory.caches, []).hidden);
    await settle(hidden);
    dispose(context, hidden);
    return new VerifySteps(memory, tokens);
  }

  /** Milliseconds for an anchor and `drafts` drafts, none of which stays. */
  async run(drafts: number): Promise<number> {
    const { memory, tokens } = this;
    const anchor = tokens[CONTEXT_TOKENS - 1] ?? 0;
    const at = { history: tokens.slice(0, CONTEXT_TOKENS), position: 0 };
    const block = tokens.slice(CONTEXT_TOKENS, CONTEXT_TOKENS + drafts);
    const startedAt = performance.now();
    const start = { memory, unread: [anchor], sampler: greedySampler, at, watch: new Stopwatch() };
    const round = await verifyRound(start, { tokens: block });
    const elapsed = performance.now() - startedAt;
    commitRound(start, round, 0);
    return elapsed;
  }

  dispose(): void {
    this.memory.dispose();
  }
}
