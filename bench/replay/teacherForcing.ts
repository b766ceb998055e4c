// The target's verdict on each token of an existing text: it reads prompt and output in one pass, without writing.
// Shares nothing with decoding but the models, so that a text can be checked with it.
import { useDevice, type DeviceName } from '../../server/models/mlx/device';
import { dispose, scope } from '../../server/models/mlx/memory';
import { evaluateAsync } from '../../server/models/mlx/evaluation';
import * as mx from '../../server/models/mlx/ops';
import type { TargetModel } from '../../server/models/decoder/target';
import { tokenArray } from '../../server/models/mlx/tokenArray';
import { DecodeMemory } from '../../server/engine/decode/decodeMemory';
import { NO_DRAFT } from '../../server/engine/decode/draft';
import type { Pending, Sampler, TargetRows } from '../../server/engine/sampling/sampler';

/** Rows of a pass, and how many of them go through the head, whose logits take much more memory. */
const CHUNK = 256;
const JUDGED = 64;

export interface WrittenText {
  readonly promptIds: readonly number[];
  /** What was emitted after them, at least one token. */
  readonly tokenIds: readonly number[];
  /** How each was chosen; this must not depend on drafts. */
  readonly sampler: Sampler;
}

/** A token that a plain step would not have chosen after those before it. */
export interface Deviation {
  /** Index among the emitted tokens. */
  readonly at: number;
  /** The logit of the token that the step chooses, minus that of the emitted one. */
  readonly gap: number;
}

export class TeacherForcing {
  readonly #memory: DecodeMemory;
  /** What the memory holds, and possibly more. */
  #read: readonly number[] = [];

  constructor(
    private readonly target: TargetModel,
    private readonly device: DeviceName,
  ) {
    this.#memory = DecodeMemory.empty(target, [], CHUNK);
  }

  /** Texts with a common beginning should follow each other: what they share is read once. */
  async deviations(text: WrittenText): Promise<Deviation[]> {
    const { promptIds, tokenIds } = text;
    const tokens = [...promptIds, ...tokenIds.slice(0, -1)];
    const first = promptIds.length - 1;
    this.#forget(tokens, first);
    const found: Deviation[] = [];
    while (this.#memory.length < tokens.length) {
      const from = this.#memory.length;
      const to = Math.min(tokens.length, from + CHUNK, Math.max(from, first) + JUDGED);
      useDevice(this.device);
      found.push(...(await this.#pass(text, tokens.slice(0, to), from)));
    }
    return found;
  }

  dispose(): void {
    this.#memory.dispose();
  }

  /** Forgets all but the common beginning, up to row `first`: rows from there on are judged, so they are read again. */
  #forget(tokens: readonly number[], first: number): void {
    const differs = this.#read.findIndex((token, i) => token !== tokens[i]);
    const shared = Math.min(differs < 0 ? this.#read.length : differs, this.#memory.length, first);
    this.#memory.trimTo(this.#memory.reachable(shared));
    this.#read = tokens;
  }

  /** Reads the tokens from row `from` on, and judges what was emitted after each. */
  async #pass(text: WrittenText, tokens: readonly number[], from: number): Promise<Deviation[]> {
    const { target } = this;
    const begin = Math.max(from, text.promptIds.length - 1);
    const judged = scope(() => {
      const ids = tokenArray(tokens.slice(from), target.config.vocabSize);
      const { hidden } = target.forward(ids, this.#memory.caches, []);
      if (begin >= tokens.length) return undefined;
      const logits = target.logits(mx.slice(hidden, 1, begin - from, tokens.length - from));
      return { logits, steps: plainSteps(logits, tokens, begin, text) };
    });
    await evaluateAsync(judged, this.#memory.arrays());
    const found = judged ? deviationsIn(judged.logits, judged.steps, begin, text) : [];
    dispose(judged);
    return found;
  }
}

type Steps = readonly Pending<TargetRows>[];

/** Lazy. Each row separately, as in a plain step: the code that accepts drafts must not judge itself. */
function plainSteps(
  logits: mx.MxArray,
  tokens: readonly number[],
  begin: number,
  { promptIds, sampler }: WrittenText,
): Steps {
  return Array.from({ length: tokens.length - begin }, (_, row) => {
    const history = tokens.slice(0, begin + row + 1);
    const at = { history, position: history.length - promptIds.length };
    return sampler.verify(mx.slice(logits, 1, row, row + 1), NO_DRAFT, at);
  });
}

/** Once the steps are settled. */
function deviationsIn(
  logits: mx.MxArray,
  steps: Steps,
  begin: number,
  { promptIds, tokenIds }: WrittenText,
): Deviation[] {
  return steps.flatMap((step, row): Deviation[] => {
    const at = begin + row + 1 - promptIds.length;
    const [said = NaN, given = NaN] = [step.read().tokenAt(0), tokenIds[at]];
    return said === given ? [] : [{ at, gap: gapBetween(logits, row, said, given) }];
  });
}

function gapBetween(logits: mx.MxArray, row: number, token: number, other: number): number {
  let values: number[] = [];
  scope(() => {
    values = mx.numbers(mx.reshape(mx.slice(logits, 1, row, row + 1), -1));
    return undefined;
  });
  return (values[token] ?? NaN) - (values[other] ?? NaN);
}
