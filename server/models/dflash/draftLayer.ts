// One layer of a DFlash drafter: a decoder layer whose context is rows of the target's taps (speculative-decoding.md B).
import type { DecoderBlock, SeenRows } from '../decoderBlock';
import type { KVCache } from '../kvCache';
import type * as mx from '../ops';
import type { Rotate } from '../rope';
import type { DraftLayerKind } from './config';

export class DraftLayer {
  constructor(
    readonly kind: DraftLayerKind,
    readonly block: DecoderBlock,
  ) {}

  /** Context rows have keys and values only: no norm, no query, no MLP. */
  absorb(condition: mx.MxArray, rotate: Rotate, context: KVCache): void {
    const { selfAttn } = this.block;
    context.append(selfAttn.keys(condition, rotate), selfAttn.values(condition));
  }

  /**
   * Block rows see the context, the rows that it absorbs with them, and each other. Their own keys and values are
   * dropped again: O(1), no copy.
   */
  forward(
    h: mx.MxArray,
    rotate: Rotate,
    mask: mx.Mask,
    context: KVCache,
    absorbed: SeenRows | undefined,
  ): mx.MxArray {
    const output = this.block.forward(h, rotate, mask, context, absorbed);
    context.trimTo(context.offset - (h.shape[1] ?? 0));
    return output;
  }
}
