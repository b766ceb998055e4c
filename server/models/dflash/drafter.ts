// DFlash block-diffusion drafter, z-lab semantics (speculative-decoding.md B): one pass over [anchor, MASK ...]
// in which row k predicts the token at its own position. Target taps enter as keys and values only.
import type { ConfigFields } from '../configFields';
import { DecoderBlock, type SeenRows } from '../decoderBlock';
import type { Device } from '../device';
import type { Drafter, DraftState, Proposal } from '../drafter';
import { KVCache } from '../kvCache';
import { GatedMlp } from '../layers';
import type { Linear } from '../linear';
import { dispose, keep, scope } from '../memory';
import * as mx from '../ops';
import { newRope, type Rope } from '../rope';
import type { TargetConfig, TargetModel } from '../target';
import { tokenArray } from '../tokenArray';
import { Weights } from '../weights';
import { CandidateSelector } from './candidateSelector';
import { parseDFlashConfig, type DFlashConfig } from './config';
import { DraftLayer } from './draftLayer';
import { draftMask } from './draftMask';
import { DraftVocabulary, type Forbidden } from './draftVocabulary';

export class DFlash implements Drafter {
  readonly name = 'dflash';
  readonly isFree = false;
  readonly maxDraftTokens: number;
  readonly minBlockSize: number;
  readonly maxPositions: number | undefined;
  readonly maskTokenId: number;
  readonly taps: readonly number[];

  private constructor(
    readonly config: DFlashConfig,
    readonly device: Device,
    private readonly weights: Weights,
    readonly rope: Rope,
    readonly fc: Linear,
    readonly hiddenNorm: mx.MxArray,
    readonly layers: readonly DraftLayer[],
    readonly norm: mx.MxArray,
    readonly selector: CandidateSelector | undefined,
    /** The mask token, an unused row of the table. */
    readonly forbidden: Forbidden,
  ) {
    this.maxDraftTokens = config.blockSize - 1;
    this.minBlockSize = config.minBlockSize;
    this.maxPositions = config.maxPositionEmbeddings;
    this.maskTokenId = config.maskTokenId;
    this.taps = config.targetLayerIds;
  }

  static async load(
    directory: string,
    fields: ConfigFields,
    target: TargetConfig,
    device: Device,
  ): Promise<DFlash> {
    const config = parseDFlashConfig(fields, target);
    const { hiddenSize, targetLayerIds, maskTokenId } = config;
    return await Weights.load(directory, { fields, device, prefixes: ['', 'model.'] }, (weights) => {
      const rope = newRope(config.rope, device, weights);
      const fc = weights.linear('fc', hiddenSize, targetLayerIds.length * target.hiddenSize);
      const hiddenNorm = weights.vector('hidden_norm.weight', hiddenSize);
      const layers = config.layerKinds.map((kind, i) => {
        const path = `layers.${String(i)}`;
        const mlp = GatedMlp.load(weights, `${path}.mlp`, config);
        return new DraftLayer(kind, DecoderBlock.load(weights, path, config, mlp));
      });
      const norm = weights.vector('norm.weight', hiddenSize);
      const selector = config.selector && CandidateSelector.load(weights, config.selector, target);
      const penalty = weights.constant(
        Array.from({ length: target.vocabSize }, (_, id) => (id === maskTokenId ? -Infinity : 0)),
      );
      const forbidden = { token: maskTokenId, penalty };
      return new DFlash(config, device, weights, rope, fc, hiddenNorm, layers, norm, selector, forbidden);
    });
  }

  newState(target: TargetModel, expectedRows: number): DraftState {
    const { numKeyValueHeads: heads, headDim, blockSize } = this.config;
    const contexts = this.layers.map(
      () => new KVCache({ heads, headDim, dtype: this.device.dtype }, expectedRows + blockSize),
    );
    return new DFlashState(this, target, contexts, new DraftVocabulary(target, this.forbidden));
  }

  adopt(state: DraftState, target: TargetModel): DraftState {
    if (state instanceof DFlashState) return state.onto(this, target);
    throw new TypeError(`Expected a state of ${this.name}, got ${state.constructor.name}`);
  }

  dispose(): void {
    this.weights.dispose();
  }
}

/** Rows of taps that may wait: who drafts rarely projects many at once, and who never does pays next to nothing. */
const MAX_PENDING = 64;

class DFlashState implements DraftState {
  /** Taps that no context has absorbed yet, [1, rows, taps · hiddenSize] each. */
  #pending: readonly mx.MxArray[] = [];

  constructor(
    private readonly drafter: DFlash,
    private readonly target: TargetModel,
    /** One per layer: keys and values of the taps of all committed positions but the pending ones. */
    readonly contexts: readonly KVCache[],
    private readonly vocabulary: DraftVocabulary,
  ) {}

  get offset(): number {
    return this.#absorbed + rowsOf(this.#pending);
  }

  get #absorbed(): number {
    return this.contexts[0]?.offset ?? 0;
  }

  relate(): void {
    // It sees what the target has read and nothing else: tokens that the target has not seen are no likelier for it.
  }

  commit(tokens: readonly number[], taps: mx.MxArray | undefined): void {
    if (taps?.shape[1] !== tokens.length) {
      throw new RangeError(`Expected taps of ${String(tokens.length)} rows, got ${String(taps?.shape[1])}`);
    }
    this.vocabulary.commit(tokens, this.offset);
    this.#pending = [...this.#pending, keep(mx.slice(taps, 1, 0, tokens.length))];
    if (rowsOf(this.#pending) >= MAX_PENDING) this.#absorb();
  }

  /** Shows the pending taps to every layer. */
  #absorb(): void {
    const { layers, rope } = this.drafter;
    const start = this.#absorbed;
    const condition = this.#takePending();
    if (!condition) return;
    const rotate = rope.at(start, condition.shape[1] ?? 0);
    for (const [layer, context] of this.#layers(layers)) layer.absorb(condition, rotate, context);
  }

  /** The pending taps as every layer sees them, [1, rows, hiddenSize]. Nothing is pending afterwards. */
  #takePending(): mx.MxArray | undefined {
    const { fc, hiddenNorm, config } = this.drafter;
    const [first] = this.#pending;
    if (!first) return undefined;
    const taps = this.#pending.length === 1 ? first : mx.concatenate(this.#pending, 1);
    const condition = mx.rmsNorm(fc.forward(taps), hiddenNorm, config.rmsNormEps);
    this.#forgetPending();
    return condition;
  }

  #forgetPending(): void {
    dispose(this.#pending);
    this.#pending = [];
  }

  propose(anchor: number, count: number): Proposal {
    const { config, layers, rope, norm, selector, device } = this.drafter;
    // Most drafters were trained on full blocks only, and lose most of their acceptance in a narrower one.
    const masks = Math.max(count, this.drafter.minBlockSize - 1);
    const block = [anchor, ...Array<number>(masks).fill(config.maskTokenId)];
    const start = this.offset;
    const rotate = rope.at(start, block.length);
    let h = this.target.embed(tokenArray(block, this.target.config.vocabSize));
    // What is pending goes through the layers with the block: as many operations as for the block alone.
    const absorbed = this.#seenWith(block.length);
    for (const [layer, context] of this.#layers(layers)) {
      const mask = draftMask(layer.kind, start, block.length, device.dtype);
      h = layer.forward(h, rotate, mask, context, absorbed);
    }
    // Row 0 is the anchor's own; rows that nobody asked for never reach the head.
    const states = mx.rmsNorm(mx.slice(h, 1, 1, 1 + count), norm, config.rmsNormEps);
    return { ...this.vocabulary.logits(states, anchor), selector: selector?.behind(anchor, states) };
  }

  /** The pending taps, for a pass of `rows` behind them. */
  #seenWith(rows: number): SeenRows | undefined {
    const from = this.#absorbed;
    const condition = this.#takePending();
    return (
      condition && { rows: condition, rotate: this.drafter.rope.at(from, (condition.shape[1] ?? 0) + rows) }
    );
  }

  trimTo(length: number): void {
    const kept = Math.max(0, length - this.#absorbed);
    if (kept < rowsOf(this.#pending)) {
      const shorter =
        kept > 0 ? scope(() => keep(mx.slice(mx.concatenate(this.#pending, 1), 1, 0, kept))) : undefined;
      this.#forgetPending();
      if (shorter) this.#pending = [shorter];
    }
    for (const context of this.contexts) context.trimTo(Math.min(length, context.offset));
    this.vocabulary.trimTo(length);
  }

  fork(length: number, expectedRows: number): DraftState {
    scope(() => {
      this.#absorb();
      return undefined;
    });
    const rows = expectedRows + this.drafter.config.blockSize;
    const contexts = this.contexts.map((context) => context.fork(length, rows));
    return new DFlashState(this.drafter, this.target, contexts, this.vocabulary.fork(length));
  }

  /** This state takes the place of the one it is made of. */
  onto(drafter: DFlash, target: TargetModel): DFlashState {
    const vocabulary = this.vocabulary.fork(this.offset, target, drafter.forbidden);
    this.vocabulary.dispose();
    const state = new DFlashState(drafter, target, this.contexts, vocabulary);
    state.#pending = this.#pending;
    this.#pending = [];
    return state;
  }

  arrays(): mx.MxArray[] {
    const parts = [...this.contexts, this.vocabulary];
    return [...this.#pending, ...parts.flatMap((part) => part.arrays())];
  }

  dispose(): void {
    this.#forgetPending();
    for (const part of [...this.contexts, this.vocabulary]) part.dispose();
  }

  *#layers(layers: readonly DraftLayer[]): Iterable<[DraftLayer, KVCache]> {
    for (const [i, context] of this.contexts.entries()) {
      const layer = layers[i];
      if (layer) yield [layer, context];
    }
  }
}

function rowsOf(taps: readonly mx.MxArray[]): number {
  return taps.reduce((sum, { shape }) => sum + (shape[1] ?? 0), 0);
}
