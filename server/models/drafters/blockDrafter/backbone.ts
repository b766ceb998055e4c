// The network of a block drafter: one pass over a block of rows. The target's taps enter
// as keys and values only. Knows neither what the rows predict nor anything about decoding.
import {
  loadAttention,
  type PreparedAttention,
  sightMask,
  type Sight,
  type AttentionSizes,
} from '../../decoder/attention';
import { compiled, type Arrays } from '../../mlx/compiled';
import { decoderBlock, type BlockSizes } from '../../decoder/decoderBlock';
import type { DrafterFiles } from '../drafter';
import { gatedMlp, type MlpSizes } from '../../decoder/experts';
import { KVCache } from '../../decoder/kvCache';
import * as mx from '../../mlx/ops';
import { newRope } from '../../decoder/rope';
import type { TargetConfig } from '../../decoder/target';
import { Weights } from '../../checkpoint/weights';
import { convolved, type ConvSizes } from './groupedConv';
import { quoted } from '../../../rules/inputError';
import type { ConfigFields } from '../../checkpoint/configFields';
import type { RopeConfig } from '../../decoder/ropeConfig';

/** Before all names, where an exporter wraps the drafter. */
export const PREFIXES = ['', 'model.'];
/** Norms, heads, convolutions and what the taps go through are small, and stay as they are stored. */
const REPACKED = /^(layers\.\d+\.(self_attn|mlp)\.|embed_tokens$|lm_head$)/;

/** Has `build` take the weights of a drafter, in the width that was asked for. */
export async function loadWeights<T>(files: DrafterFiles, build: (weights: Weights) => T): Promise<T> {
  const { bits } = files;
  const repacking = bits === undefined ? undefined : { bits, modules: REPACKED };
  return await Weights.load({ ...files, prefixes: PREFIXES, repacking }, build);
}

export type Backbone = ReturnType<typeof loadBackbone>;

export function loadBackbone(weights: Weights, config: BlockConfig, target: TargetConfig) {
  const { hiddenSize, targetLayerIds, maskTokenId, rmsNormEps, numKeyValueHeads: heads, headDim } = config;
  const { dtype } = weights.device;
  const layers = config.layerSights.map((sight, i) => {
    const path = `layers.${String(i)}`;
    const attention = loadAttention(weights, `${path}.self_attn`, config);
    const prepare = (x: mx.MxArray, rows: number, seen?: mx.MxArray): PreparedAttention => [
      ...attention.keysValues(seen ? mx.concatenate([seen, x], 1) : x, rows + (seen?.shape[1] ?? 0)),
      ...attention.queries(x, rows),
    ];
    const plain = { attention: { ...attention, prepare }, mlp: gatedMlp(weights, `${path}.mlp`, config) };
    const ends = config.conv ? convolved(weights, path, { ...config, conv: config.conv }, plain) : plain;
    const { before, after } = decoderBlock(weights, path, config, ends.attention, ends.mlp);
    const finish = compiled(weights, (rows, h: mx.MxArray, ...mixed: Arrays) => [after(h, mixed, rows)]);
    return { sight, attention, before, finish };
  });
  const rotateAt = newRope(config.rope, weights);
  const fc = weights.linear('fc', hiddenSize, targetLayerIds.length * target.hiddenSize);
  const hiddenNorm = weights.vector('hidden_norm.weight', hiddenSize);
  const norm = weights.vector('norm.weight', hiddenSize);

  const isMask = (id: number) => (id === maskTokenId ? -Infinity : 0);

  return {
    /** What is added to all logits: 0, or -Infinity for the mask token, [vocabSize]. */
    penalty: weights.constant(Array.from({ length: target.vocabSize }, (_, id) => isMask(id))),

    /** One per layer: the keys and values of taps, as far as the layer sees. */
    newContexts: (expectedRows: number): KVCache[] =>
      layers.map(({ sight: { window } }) => new KVCache({ heads, headDim, dtype, window }, expectedRows)),

    /** Taps [1, rows, taps · hiddenSize] as every layer sees them, [1, rows, hiddenSize]. */
    condition: (taps: mx.MxArray): mx.MxArray => mx.rmsNorm(fc.forward(taps), hiddenNorm, rmsNormEps),

    /** Shows them to every layer: context rows have keys and values only, no norm, no query, no MLP. */
    absorb(condition: mx.MxArray, contexts: readonly KVCache[]): void {
      const rows = condition.shape[1] ?? 0;
      const rotate = rotateAt(offsetOf(contexts), rows);
      for (const [i, { attention }] of layers.entries()) {
        const [keys, values] = attention.keysValues(condition, rows);
        contexts[i]?.append(rotate(keys), values);
      }
    },

    /**
     * A block of embedded rows [1, rows, hiddenSize] to the same shape. They see the contexts, the rows of `condition`,
     * which the contexts absorb in the same operations, and each other.
     */
    forward(rows: mx.MxArray, contexts: readonly KVCache[], condition?: mx.MxArray): mx.MxArray {
      const count = rows.shape[1] ?? 0;
      const absorbed = offsetOf(contexts);
      const waiting = condition?.shape[1] ?? 0;
      const start = absorbed + waiting;
      const rotate = rotateAt(start, count);
      const rotateAll = condition ? rotateAt(absorbed, waiting + count) : rotate;
      const sights = new Set(config.layerSights);
      const masks = new Map([...sights].map((sight) => [sight, sightMask(sight, start, count, dtype)]));
      return layers.reduce((h, { attention, before, finish, sight }, i) => {
        const context = contexts[i];
        if (context === undefined) return h;
        const [keys, values, queries, ...gates] = before(h, count, condition);
        const seen = context.append(rotateAll(keys), values, count);
        const mixed = attention.attend([queries, ...gates], { rotate, mask: masks.get(sight) }, seen);
        // The block's own keys and values are dropped again: O(1), no copy.
        context.trimTo(start);
        return finish(count, h, ...mixed)[0];
      }, rows);
    },

    /** After the final norm, as output heads take them. */
    normed: (h: mx.MxArray): mx.MxArray => mx.rmsNorm(h, norm, rmsNormEps),
  };
}

function offsetOf([first]: readonly KVCache[]): number {
  return first?.offset ?? 0;
}

// What config.json of any block drafter says about its block, its taps and its target, checked before a weight is read.

export interface BlockConfig extends AttentionSizes, MlpSizes, BlockSizes {
  /** Rows of a block: the anchor and blockSize - 1 masks. */
  readonly blockSize: number;
  readonly maskTokenId: number;
  readonly targetLayerIds: readonly number[];
  /** What the rows of each layer may see; layers that see alike share one object. */
  readonly layerSights: readonly Sight[];
  readonly rope: RopeConfig;
  /** Of the convolutions around both parts of each layer; undefined when it has none. */
  readonly conv?: ConvSizes | undefined;
  /** Undefined when the file does not say. */
  readonly maxPositionEmbeddings: number | undefined;
}

const MAX_BLOCK_SIZE = 256;
const OTHER_TARGET = {
  remedy: 'use the drafter that was trained for this target, or none',
  command: '--drafter none',
};

/** The object that holds a field: files write some of them at the top level or into an object of their own. */
export type SourceOf = (name: string) => ConfigFields;

/** The first of two objects that has it. */
export function eitherOf(first: ConfigFields, other: ConfigFields): SourceOf {
  return (name) => (first.has(name) ? first : other);
}

/** What a file says of the token that a row predicts, and what it must say if it does; null for nothing. */
type RowSemantic = Readonly<Record<string, string | boolean | null>>;

/** Rows that predict another token are off by one, which nobody would see: the text stays right, only slow. */
export function requireRows(sourceOf: SourceOf, semantic: RowSemantic, remedy: string): void {
  for (const [name, own] of Object.entries(semantic)) {
    const fields = sourceOf(name);
    if (!fields.has(name) || fields.raw(name) === own) continue;
    const expected = own === null ? `no ${name}` : `${name} ${String(own)}`;
    throw fields.refusal(expected, quoted(fields.raw(name)), remedy);
  }
}

/** `fields` hold it. A round verifies so many rows `beyond` those of a block, which the target must take back. */
export function parseBlockSize(
  fields: ConfigFields,
  target: TargetConfig,
  { min, beyond }: Readonly<Record<'min' | 'beyond', number>>,
): number {
  const max = Math.min((target.maxBlockSize ?? Infinity) - beyond, MAX_BLOCK_SIZE);
  return fields.integer('block_size', { min, max });
}

/** Positions that the drafter was made for. */
export function parseMaxPositions(fields: ConfigFields): number | undefined {
  const name = 'max_position_embeddings';
  return fields.has(name) ? fields.integer(name) : undefined;
}

/** Throws InputError for what was trained for another target. */
export function requireTarget(
  fields: ConfigFields,
  config: Pick<BlockConfig, 'hiddenSize' | 'targetLayerIds' | 'maskTokenId'>,
  target: TargetConfig,
): void {
  const equal = (field: string, own: number, theirs: number): void => {
    if (own !== theirs)
      throw fields.refusal(`${field} ${String(theirs)}, as the target has`, String(own), OTHER_TARGET);
  };
  equal('hidden_size', config.hiddenSize, target.hiddenSize);
  equal('vocab_size', fields.integer('vocab_size'), target.vocabSize);
  if (fields.has('num_target_layers')) {
    equal('num_target_layers', fields.integer('num_target_layers'), target.numHiddenLayers);
  }
  // The last layer's raw output is not what drafters were trained on (it is seen after the final norm there).
  const outside = config.targetLayerIds.find((id) => id >= target.numHiddenLayers - 1);
  if (outside !== undefined || config.targetLayerIds.length === 0) {
    const range = `target_layer_ids from 0 to ${String(target.numHiddenLayers - 2)}`;
    throw fields.refusal(range, outside === undefined ? 'none' : String(outside), OTHER_TARGET);
  }
  if (config.maskTokenId >= target.vocabSize) {
    throw fields.refusal(
      `mask_token_id below ${String(target.vocabSize)}`,
      String(config.maskTokenId),
      OTHER_TARGET,
    );
  }
}
