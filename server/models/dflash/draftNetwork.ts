// The network of a DFlash drafter (speculative-decoding.md B): one pass over a block of rows, each of which predicts the
// token at its own position. The target's taps enter as keys and values only. Knows nothing about decoding.
import { Attention, type SeenRows } from '../attention';
import { decoderBlock, type DecoderBlock, type FeedForward } from '../decoderBlock';
import type { Device } from '../device';
import { gatedMlp } from '../gatedMlp';
import { KVCache } from '../kvCache';
import type { Linear } from '../linear';
import { draftMask, type BlockSight } from '../masks';
import * as mx from '../ops';
import { newRope, type Rope } from '../rope';
import type { ModelFiles, TargetConfig } from '../target';
import { Weights } from '../weights';
import { candidateSelector, type CandidateSelector } from './candidateSelector';
import { parseDFlashConfig, type DFlashConfig } from './dflashConfig';

interface DraftLayer {
  /** Layers that see alike share one object. */
  readonly sight: BlockSight;
  readonly attention: Attention;
  readonly mlp: FeedForward;
  readonly block: DecoderBlock;
}

export class DraftNetwork {
  private constructor(
    readonly config: DFlashConfig,
    readonly device: Device,
    private readonly weights: Weights,
    private readonly rope: Rope,
    private readonly fc: Linear,
    private readonly hiddenNorm: mx.MxArray,
    private readonly layers: readonly DraftLayer[],
    private readonly norm: mx.MxArray,
    readonly selector: CandidateSelector | undefined,
    /** What is added to all logits: 0, or -Infinity for the mask token, [vocabSize]. */
    readonly penalty: mx.MxArray,
  ) {}

  static async load(files: ModelFiles, target: TargetConfig): Promise<DraftNetwork> {
    const { device } = files;
    const config = parseDFlashConfig(files.fields, target);
    const { hiddenSize, targetLayerIds, maskTokenId } = config;
    return await Weights.load({ ...files, prefixes: ['', 'model.'] }, (weights) => {
      const layers = config.layerSights.map((sight, i) => {
        const path = `layers.${String(i)}`;
        return {
          sight,
          attention: Attention.load(weights, `${path}.self_attn`, config),
          mlp: gatedMlp(weights, `${path}.mlp`, config),
          block: decoderBlock(weights, path, config),
        };
      });
      const isMask = (id: number) => (id === maskTokenId ? -Infinity : 0);
      return new DraftNetwork(
        config,
        device,
        weights,
        newRope(config.rope, device, weights),
        weights.linear('fc', hiddenSize, targetLayerIds.length * target.hiddenSize),
        weights.vector('hidden_norm.weight', hiddenSize),
        layers,
        weights.vector('norm.weight', hiddenSize),
        config.selector && candidateSelector(weights, config.selector, target),
        weights.constant(Array.from({ length: target.vocabSize }, (_, id) => isMask(id))),
      );
    });
  }

  /** One per layer: the keys and values of taps. */
  newContexts(expectedRows: number): KVCache[] {
    const { numKeyValueHeads: heads, headDim } = this.config;
    return this.layers.map(() => new KVCache({ heads, headDim, dtype: this.device.dtype }, expectedRows));
  }

  /** Taps [1, rows, taps · hiddenSize] as every layer sees them, [1, rows, hiddenSize]. */
  condition(taps: mx.MxArray): mx.MxArray {
    return mx.rmsNorm(this.fc.forward(taps), this.hiddenNorm, this.config.rmsNormEps);
  }

  /** Shows them to every layer: context rows have keys and values only, no norm, no query, no MLP. */
  absorb(condition: mx.MxArray, contexts: readonly KVCache[]): void {
    const rotate = this.rope.at(offsetOf(contexts), condition.shape[1] ?? 0);
    for (const [{ attention }, context] of this.#layers(contexts))
      attention.remember(condition, rotate, context);
  }

  /**
   * A block of embedded rows [1, rows, hiddenSize] to the same shape. They see the contexts, the rows of `condition`,
   * which the contexts absorb in the same operations, and each other.
   */
  forward(block: mx.MxArray, contexts: readonly KVCache[], condition?: mx.MxArray): mx.MxArray {
    const { rope, device } = this;
    const rows = block.shape[1] ?? 0;
    const absorbed = offsetOf(contexts);
    const waiting = condition?.shape[1] ?? 0;
    const start = absorbed + waiting;
    const rotate = rope.at(start, rows);
    const before: SeenRows | undefined = condition && {
      rows: condition,
      rotate: rope.at(absorbed, waiting + rows),
    };
    const sights = new Set(this.config.layerSights);
    const masks = new Map([...sights].map((sight) => [sight, draftMask(sight, start, rows, device.dtype)]));
    let h = block;
    for (const [{ attention, mlp, block: layer, sight }, context] of this.#layers(contexts)) {
      const positions = { rotate, mask: masks.get(sight) };
      h = layer(h, (x) => attention.forward(x, positions, context, before), mlp);
      // The block's own keys and values are dropped again: O(1), no copy.
      context.trimTo(start);
    }
    return h;
  }

  /** After the final norm, as the target's head takes them. */
  normed(h: mx.MxArray): mx.MxArray {
    return mx.rmsNorm(h, this.norm, this.config.rmsNormEps);
  }

  dispose(): void {
    this.weights.dispose();
  }

  *#layers(contexts: readonly KVCache[]): Iterable<[DraftLayer, KVCache]> {
    for (const [i, context] of contexts.entries()) {
      const layer = this.layers[i];
      if (layer) yield [layer, context];
    }
  }
}

function offsetOf([first]: readonly KVCache[]): number {
  return first?.offset ?? 0;
}
