// Target passes after the same context again and again, for measurements of single steps.
import { DecodeMemory } from '../../engine/decodeMemory';
import { commitRound, verifyRound, type VerifiedRound } from '../../engine/round';
import type { Drafted, Place, Sampler } from '../../engine/sampling/sampler';
import { Stopwatch } from '../../engine/stopwatch';
import { dispose, scope, settle } from '../../models/memory';
import type { TargetModel } from '../../models/target';
import { tokenArray } from '../../models/tokenArray';
import { repeatTo } from './repeatTo';

/** Rows that each pass attends to, besides its own. */
const CONTEXT_TOKENS = 256;

export interface VerifyStep {
  readonly ms: number;
  readonly verdict: VerifiedRound;
}

export class VerifySteps {
  private constructor(
    private readonly memory: DecodeMemory,
    readonly at: Place,
    /** What the prompt goes on with, to be verified as a draft. */
    readonly continuation: readonly number[],
  ) {}

  /** Reads a context made of the prompt. */
  static async prepare(
    target: TargetModel,
    prompt: readonly number[],
    maxRows: number,
  ): Promise<VerifySteps> {
    const tokens = repeatTo(prompt, CONTEXT_TOKENS + maxRows);
    const memory = DecodeMemory.empty(target, [], tokens.length);
    const history = tokens.slice(0, CONTEXT_TOKENS);
    const context = tokenArray(history, target.config.vocabSize);
    const hidden = scope(() => target.forward(context, memory.caches, []).hidden);
    await settle(hidden);
    dispose(context, hidden);
    return new VerifySteps(memory, { history, position: 0 }, tokens.slice(CONTEXT_TOKENS));
  }

  /** Verifies the drafts after the context and forgets them. */
  async run(sampler: Sampler, drafted: Drafted): Promise<VerifyStep> {
    const { memory, at } = this;
    const start = { memory, unread: at.history.slice(-1), sampler, at, watch: new Stopwatch() };
    const startedAt = performance.now();
    const verdict = await verifyRound(start, drafted);
    const ms = performance.now() - startedAt;
    commitRound(start, verdict, 0);
    return { ms, verdict };
  }

  dispose(): void {
    this.memory.dispose();
  }
}
