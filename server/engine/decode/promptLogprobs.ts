// Log-probabilities of a prompt's own tokens, for requests that echo their prompt. Every row goes through the output
// head, so the prompt is read in small passes, without the prompt cache.
import { useDevice, type DeviceName } from '../../models/mlx/device';
import { dispose, scope } from '../../models/mlx/memory';
import { evaluate, giveTurns } from '../../models/mlx/evaluation';
import type { TargetModel } from '../../models/decoder/target';
import { tokenArray } from '../../models/mlx/tokenArray';
import { largestOf } from '../../rules/extremes';
import { samplingOf } from '../request/sampling';
import { QueueTicket } from '../request/queueTicket';
import { tokenLogprobs } from '../sampling/processRow';
import { readLogitRows } from '../sampling/readLogitRows';
import { requireFinite } from '../sampling/requireFinite';
import type { TokenLogprobs } from '../sampling/sampler';
import type { Scheduler } from '../scheduler';
import { DecodeMemory } from './decodeMemory';

export interface PromptLogprobsRequest {
  /** Number of most probable tokens to report at each position. */
  readonly count: number;
  readonly ticket?: QueueTicket | undefined;
  /** Ends the computation before its next pass when it aborts; `logprobs` then rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Rows per pass: each has as many logits as the vocabulary has tokens. */
const CHUNK_ROWS = 16;
/** Logits read in addition to the requested ones, so that a whole row is rarely needed. */
const EXTRA_LOGITS = 16;

export class PromptReader {
  readonly #memory: DecodeMemory;

  /** `promptIds` are valid token ids of `target`. */
  constructor(
    private readonly target: TargetModel,
    private readonly device: DeviceName,
    private readonly scheduler: Scheduler,
    private readonly promptIds: readonly number[],
  ) {
    this.#memory = DecodeMemory.empty(target, [], promptIds.length);
  }

  /** Returns an entry for each token after the first, which has no context. Call once. */
  async logprobs({
    count,
    ticket = new QueueTicket(),
    signal,
  }: PromptLogprobsRequest): Promise<TokenLogprobs[]> {
    const logprobs: TokenLogprobs[] = [];
    try {
      while (logprobs.length < this.promptIds.length - 1) {
        const release = await this.scheduler.acquire(ticket);
        try {
          // The signal can abort during the wait, after which the weights can be freed.
          signal?.throwIfAborted();
          useDevice(this.device);
          logprobs.push(...(await this.#pass(logprobs.length, count)));
        } finally {
          release();
        }
        await giveTurns();
      }
      return logprobs;
    } finally {
      this.#memory.dispose();
    }
  }

  /** Reads the next rows from row `from` on. Throws ModelFault if their logits are not finite. */
  async #pass(from: number, count: number): Promise<TokenLogprobs[]> {
    const { target, promptIds } = this;
    const chunk = promptIds.slice(from, Math.min(from + CHUNK_ROWS, promptIds.length - 1));
    const next = promptIds.slice(from + 1, from + 1 + chunk.length);
    const pending = scope(() => {
      const { hidden } = target.forward(tokenArray(chunk, target.config.vocabSize), this.#memory.caches, []);
      const named = next.map((token) => [token]);
      return readLogitRows(target.logits(hidden), {
        largest: EXTRA_LOGITS + count,
        named,
        temperatures: [1],
      });
    });
    await evaluate(pending, this.#memory.arrays());
    try {
      const rows = pending.read();
      requireFinite(rows.map(({ logits }) => largestOf(logits)));
      const sampling = samplingOf({ logprobs: count });
      return rows.map((row, i) => tokenLogprobs(next[i] ?? 0, row, new Map<number, number>(), sampling));
    } finally {
      dispose(pending);
    }
  }
}
