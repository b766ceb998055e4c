// DFlash, the block-diffusion drafter with z-lab semantics (speculative-decoding.md B): a block is the anchor and the
// masks after it, and all it sees of a decode are the target's taps.
import type { Drafter, DraftState, Proposal } from '../drafter';
import type { KVCache } from '../kvCache';
import { dispose, keep, scope } from '../memory';
import * as mx from '../ops';
import type { ModelFiles, TargetConfig, TargetModel } from '../target';
import { tokenArray } from '../tokenArray';
import { loadDraftNetwork, type DraftNetwork } from './draftNetwork';

export async function loadDFlash(files: ModelFiles, target: TargetConfig): Promise<Drafter> {
  const network = await loadDraftNetwork(files, target);
  const { config } = network;
  return {
    name: 'dflash',
    isFree: false,
    maxDraftTokens: config.blockSize - 1,
    minBlockSize: config.minBlockSize,
    maxPositions: config.maxPositionEmbeddings,
    maskTokenId: config.maskTokenId,
    taps: config.targetLayerIds,
    newState: (model, expectedRows) =>
      new DFlashState(network, model, network.newContexts(expectedRows + config.blockSize)),
    adopt(state, model) {
      if (!(state instanceof DFlashState))
        throw new TypeError(`Expected a state of dflash, got ${state.constructor.name}`);
      state.network = network;
      state.target = model;
    },
    dispose: () => {
      network.dispose();
    },
  };
}

/** Rows of taps that may wait: rare drafts project many at once, and without drafts they cost next to nothing. */
const MAX_PENDING = 64;

class DFlashState implements DraftState {
  /** Taps that no context has absorbed yet, [1, rows, taps · hiddenSize] each. */
  #pending: readonly mx.MxArray[] = [];

  constructor(
    public network: DraftNetwork,
    public target: TargetModel,
    /** One per layer: keys and values of the taps of all committed positions but the pending ones. */
    readonly contexts: readonly KVCache[],
  ) {}

  get offset(): number {
    return this.#absorbed + rowsOf(this.#pending);
  }

  get #absorbed(): number {
    return this.contexts[0]?.offset ?? 0;
  }

  relate(): void {
    // It sees only what the target has read: related text that the target has not seen makes no token likelier.
  }

  commit(tokens: readonly number[], taps: mx.MxArray | undefined): void {
    if (taps?.shape[1] !== tokens.length) {
      throw new RangeError(`Expected taps of ${String(tokens.length)} rows, got ${String(taps?.shape[1])}`);
    }
    this.#pending = [...this.#pending, keep(mx.slice(taps, 1, 0, tokens.length))];
    if (rowsOf(this.#pending) >= MAX_PENDING) this.#absorb();
  }

  #absorb(): void {
    const condition = this.#takePending();
    if (condition) this.network.absorb(condition, this.contexts);
  }

  /** The pending taps as every layer sees them, [1, rows, hiddenSize]. Nothing is pending afterwards. */
  #takePending(): mx.MxArray | undefined {
    const [first] = this.#pending;
    if (!first) return undefined;
    const condition = this.network.condition(
      this.#pending.length === 1 ? first : mx.concatenate(this.#pending, 1),
    );
    this.#forgetPending();
    return condition;
  }

  #forgetPending(): void {
    dispose(this.#pending);
    this.#pending = [];
  }

  propose(anchor: number, count: number): Proposal {
    const { network, target } = this;
    const { maskTokenId, minBlockSize } = network.config;
    // Most drafters were trained on full blocks only, and lose most of their acceptance in a narrower one.
    const masks = Math.max(count, minBlockSize - 1);
    const block = [anchor, ...Array<number>(masks).fill(maskTokenId)];
    const embedded = target.embed(tokenArray(block, target.config.vocabSize));
    // Pending taps go through the layers with the block: as many operations as for the block alone.
    const h = network.forward(embedded, this.contexts, this.#takePending());
    // Row 0 is the anchor's own; rows that were not requested never reach the head.
    const states = network.normed(mx.slice(h, 1, 1, 1 + count));
    const logits = mx.add(target.logits(states), network.penalty);
    return { logits, selector: network.selector?.(anchor, states) };
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
  }

  fork(length: number, expectedRows: number): DraftState {
    scope((): undefined => {
      this.#absorb();
    });
    const rows = expectedRows + this.network.config.blockSize;
    const contexts = this.contexts.map((context) => context.fork(length, rows));
    return new DFlashState(this.network, this.target, contexts);
  }

  arrays(): mx.MxArray[] {
    return [...this.#pending, ...this.contexts.flatMap((context) => context.arrays())];
  }

  dispose(): void {
    this.#forgetPending();
    for (const context of this.contexts) context.dispose();
  }
}

function rowsOf(taps: readonly mx.MxArray[]): number {
  return taps.reduce((sum, { shape }) => sum + (shape[1] ?? 0), 0);
}
