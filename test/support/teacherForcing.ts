// Judges each token of an existing text by the target, which processes prompt and output without decoding. Shares the
// models, their caches and the samplers with decoding, but neither rounds nor drafts, so that it can verify decoded
// texts.
import { useDevice, type DeviceName } from '../../server/models/mlx/device';
import { dispose, scope } from '../../server/models/mlx/memory';
import { evaluateAndGiveTurns } from '../../server/models/mlx/evaluation';
import * as mx from '../../server/models/mlx/ops';
import type { TargetModel } from '../../server/models/decoder/target';
import { tokenArray } from '../../server/models/mlx/tokenArray';
import { DecodeMemory } from '../../server/engine/decode/decodeMemory';
import { NO_DRAFT } from '../../server/engine/decode/draft';
import type { Pending, Sampler, TargetRows } from '../../server/engine/sampling/sampler';

const MAX_PASS_ROWS = 256;
/** Maximum number of rows of a pass that go through the output head, whose logits need much memory. */
const MAX_JUDGED_ROWS = 64;

export interface WrittenText {
  readonly promptIds: readonly number[];
  /** Emitted tokens, at least one. */
  readonly tokenIds: readonly number[];
  /** Sampler that chose the tokens, which must not depend on drafts. */
  readonly sampler: Sampler;
}

/** A token that a plain step would not have chosen at its position. */
export interface Deviation {
  /** Index among the emitted tokens. */
  readonly at: number;
  /** Logit of the token that the step chooses, minus that of the emitted one. */
  readonly gap: number;
}

export class TeacherForcing {
  readonly #memory: DecodeMemory;
  /** Tokens of the last text. The memory holds the first of them. */
  #tokens: readonly number[] = [];

  constructor(
    private readonly target: TargetModel,
    private readonly device: DeviceName,
  ) {
    this.#memory = DecodeMemory.empty(target, [], MAX_PASS_ROWS);
  }

  /** Returns the deviations of a text. Successive texts with a common beginning share its prefill. */
  async deviations(text: WrittenText): Promise<Deviation[]> {
    const { promptIds, tokenIds } = text;
    const tokens = [...promptIds, ...tokenIds.slice(0, -1)];
    const first = promptIds.length - 1;
    this.#forget(tokens, first);
    const found: Deviation[] = [];
    while (this.#memory.length < tokens.length) {
      const from = this.#memory.length;
      const to = Math.min(tokens.length, from + MAX_PASS_ROWS, Math.max(from, first) + MAX_JUDGED_ROWS);
      useDevice(this.device);
      found.push(...(await this.#pass(text, tokens.slice(0, to), from)));
    }
    return found;
  }

  dispose(): void {
    this.#memory.dispose();
  }

  /** Drops rows after the common beginning, and from row `first` on, which are judged and therefore processed again. */
  #forget(tokens: readonly number[], first: number): void {
    const differs = this.#tokens.findIndex((token, i) => token !== tokens[i]);
    const shared = Math.min(differs < 0 ? this.#tokens.length : differs, this.#memory.length, first);
    this.#memory.trimTo(this.#memory.reachable(shared));
    this.#tokens = tokens;
  }

  /** Processes the tokens from row `from` on, and judges the tokens emitted after them. */
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
    await evaluateAndGiveTurns(judged, this.#memory.arrays());
    const found = judged ? deviationsIn(judged.logits, judged.steps, begin, text) : [];
    dispose(judged);
    return found;
  }
}

type Steps = readonly Pending<TargetRows>[];

/** Builds lazy plain steps, one per row, since the code that accepts drafts must not judge itself. */
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

/** Returns the deviations, once the steps are evaluated. */
function deviationsIn(
  logits: mx.MxArray,
  steps: Steps,
  begin: number,
  { promptIds, tokenIds }: WrittenText,
): Deviation[] {
  return steps.flatMap((step, row): Deviation[] => {
    const at = begin + row + 1 - promptIds.length;
    const chosen = step.read().tokenAt(0);
    const emitted = tokenIds[at] ?? NaN;
    return chosen === emitted ? [] : [{ at, gap: gapBetween(logits, row, chosen, emitted) }];
  });
}

function gapBetween(logits: mx.MxArray, row: number, chosen: number, emitted: number): number {
  const values = scope(() => mx.numbers(mx.reshape(mx.slice(logits, 1, row, row + 1), -1)));
  return (values[chosen] ?? NaN) - (values[emitted] ?? NaN);
}
