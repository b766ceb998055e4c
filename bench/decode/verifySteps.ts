// Verify passes after a context of fixed length, one after the other: what a round with that many rows costs.
import { DecodeMemory } from '../../server/engine/decode/decodeMemory';
import { commit, verify, accept } from '../../server/engine/decode/round';
import { greedySampler } from '../../server/engine/sampling/greedySampler';
import type { Drafted, Sampler } from '../../server/engine/sampling/sampler';
import { Stopwatch } from '../../server/engine/decode/roundStart';
import { dispose, giveTurns, scope, evaluateAsync } from '../../server/models/mlx/memory';
import type { TargetModel } from '../../server/models/decoder/target';
import { tokenArray } from '../../server/models/mlx/tokenArray';

/** Maximum number of rows of a step. */
export const MAX_WIDTH = 16;
/** Rows that the first step attends to, in addition to its own. */
const CONTEXT_TOKENS = 256;

export interface VerifyStep {
  readonly ms: number;
  /** The accepted drafts and the target's own next token. */
  readonly tokens: readonly number[];
}

export class VerifySteps {
  private constructor(
    private readonly memory: DecodeMemory,
    /** The context, and what may be verified after it. */
    private readonly tokens: readonly number[],
  ) {}

  /** Reads the context, which is made from `prompt`. */
  static async prepare(target: TargetModel, prompt: readonly number[]): Promise<VerifySteps> {
    const tokens = repeatTo(prompt, CONTEXT_TOKENS + MAX_WIDTH);
    const memory = DecodeMemory.empty(target, [], tokens.length);
    const context = tokenArray(tokens.slice(0, CONTEXT_TOKENS), target.config.vocabSize);
    const hidden = scope(() => target.forward(context, memory.caches, []).hidden);
    await evaluateAsync(hidden);
    dispose(context, hidden);
    return new VerifySteps(memory, tokens);
  }

  /** Milliseconds for an anchor and `drafts` drafts, none of which stays. */
  async run(drafts: number): Promise<number> {
    const tokens = this.tokens.slice(CONTEXT_TOKENS, CONTEXT_TOKENS + drafts);
    return (await this.verify({ tokens }, greedySampler)).ms;
  }

  /** An anchor and the drafts, none of which stays, whatever the verdict. */
  async verify(drafted: Drafted, sampler: Sampler): Promise<VerifyStep> {
    const { memory } = this;
    const history = this.tokens.slice(0, CONTEXT_TOKENS);
    const at = { history, position: 0 };
    const startedAt = performance.now();
    const start = { memory, uncached: history.slice(-1), sampler, at, watch: new Stopwatch() };
    const verified = await verify(start, drafted);
    const { tokens } = accept(drafted.tokens, verified.targetRows.read().tokenAt);
    const ms = performance.now() - startedAt;
    commit(start, verified, 0);
    await giveTurns();
    return { ms, tokens };
  }

  dispose(): void {
    this.memory.dispose();
  }
}

/** A prompt of an exact length, made from a shorter or longer one. */
export function repeatTo(tokens: readonly number[], length: number): number[] {
  return Array.from({ length }, (_, i) => tokens[i % tokens.length] ?? 0);
}
