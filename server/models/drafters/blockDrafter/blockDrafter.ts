// A drafter that drafts a block of rows in one pass. Its state is the keys and values of the target's taps; the latest
// taps are pending until a pass absorbs them.
import type { Drafter, DraftState, Proposal } from '../drafter';
import type { KVCache } from '../../decoder/kvCache';
import { requireReach } from '../../decoder/layerCache';
import { dispose, keep, scope } from '../../mlx/memory';
import * as mx from '../../mlx/ops';
import type { TargetModel } from '../../decoder/target';
import type { Backbone } from './backbone';
import type { BlockConfig } from './blockConfig';

/** The text that a block continues. */
export interface BlockContext {
  readonly target: TargetModel;
  /** Last committed token, which the block begins with. */
  readonly anchor: number;
  /** Keys and values of the text before the anchor, one cache per layer. */
  readonly contexts: readonly KVCache[];
  /** Rows [1, rows, hiddenSize] that the contexts absorb in the same pass. */
  readonly projectedTaps: mx.MxArray | undefined;
}

/** The network of one kind of drafter, which turns the rows of a block into drafts. */
export interface BlockNetwork {
  readonly backbone: Backbone;
  /** Proposes `count` drafts after the anchor. Lazy. */
  propose(count: number, context: BlockContext): Proposal;
  dispose(): void;
}

/**
 * Maximum number of pending rows of taps. They are projected together, so that a drafter that is not used costs next to
 * nothing.
 */
const MAX_PENDING = 64;

class BlockState implements DraftState {
  /** Taps that no context has absorbed yet, [1, rows, taps · hiddenSize] each. */
  #pending: readonly mx.MxArray[] = [];

  constructor(
    private readonly network: BlockNetwork,
    private readonly target: TargetModel,
    /** Keys and values of the taps of all committed positions except the pending ones, one cache per layer. */
    readonly contexts: readonly KVCache[],
    private readonly blockSize: number,
  ) {}

  get offset(): number {
    return this.#absorbed + rowsOf(this.#pending);
  }

  get #absorbed(): number {
    return this.contexts[0]?.offset ?? 0;
  }

  commit(tokens: readonly number[], taps: mx.MxArray | undefined): void {
    if (taps?.shape[1] !== tokens.length) {
      throw new RangeError(`Expected taps of ${String(tokens.length)} rows, got ${String(taps?.shape[1])}`);
    }
    // A slice of all rows, because several states can get the same taps and each disposes its own.
    this.#pending = [...this.#pending, keep(mx.slice(taps, 1, 0, tokens.length))];
    if (rowsOf(this.#pending) >= MAX_PENDING) this.#absorb();
  }

  #absorb(): void {
    const projectedTaps = this.#takePending();
    if (projectedTaps) this.network.backbone.absorb(projectedTaps, this.contexts);
  }

  /** Projects the pending taps to [1, rows, hiddenSize] and empties the list; undefined if it is empty. */
  #takePending(): mx.MxArray | undefined {
    const [first] = this.#pending;
    if (!first) return undefined;
    const projectedTaps = this.network.backbone.project(
      this.#pending.length === 1 ? first : mx.concatenate(this.#pending, 1),
    );
    this.#forgetPending();
    return projectedTaps;
  }

  #forgetPending(): void {
    dispose(this.#pending);
    this.#pending = [];
  }

  propose(anchor: number, count: number): Proposal {
    const { network, target, contexts } = this;
    // Pending rows go through the layers with the block, in as many operations as the block alone needs.
    return network.propose(count, { target, anchor, contexts, projectedTaps: this.#takePending() });
  }

  reachable(length: number): number {
    // Pending rows can be cut at any row.
    if (length >= this.#absorbed) return Math.min(length, this.offset);
    return this.contexts.reduce((shortest, context) => context.reachable(shortest), length);
  }

  trimTo(length: number): void {
    requireReach(this, length);
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
    requireReach(this, length);
    scope((): undefined => {
      this.#absorb();
    });
    // A copy that grows needs room for a block too; one that does not takes no spare rows.
    const rows = expectedRows > length ? expectedRows + this.blockSize : 0;
    const contexts = this.contexts.map((context) => context.fork(length, rows));
    return new BlockState(this.network, this.target, contexts, this.blockSize);
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

/** Creates the drafter that runs `network`. */
export function blockDrafter(
  name: string,
  config: BlockConfig,
  network: BlockNetwork,
  minBlockSize?: number,
): Drafter {
  return {
    name,
    isFree: false,
    maxDraftTokens: config.blockSize - config.firstRow,
    minBlockSize,
    maxPositions: config.maxPositionEmbeddings,
    maskTokenId: config.maskTokenId,
    taps: config.targetLayerIds,
    newState: (target, expectedRows) => {
      const contexts = network.backbone.newContexts(expectedRows + config.blockSize);
      return new BlockState(network, target, contexts, config.blockSize);
    },
    dispose: () => {
      network.dispose();
    },
  };
}
