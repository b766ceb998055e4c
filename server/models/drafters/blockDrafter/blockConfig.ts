// What config.json of any block drafter says about its block, its taps and its target, checked before a weight is read.
import { quoted } from '../../../rules/inputError';
import type { AttentionSizes } from '../../decoder/attention';
import type { ConfigFields } from '../../checkpoint/configFields';
import type { BlockSizes } from '../../decoder/decoderBlock';
import type { MlpSizes } from '../../decoder/gatedMlp';
import type { BlockSight } from '../../decoder/masks';
import type { RopeConfig } from '../../decoder/ropeConfig';
import type { TargetConfig } from '../../decoder/target';
import type { ConvSizes } from './groupedConv';

export interface BlockConfig extends AttentionSizes, MlpSizes, BlockSizes {
  /** Rows of a block: the anchor and blockSize - 1 masks. */
  readonly blockSize: number;
  readonly maskTokenId: number;
  readonly targetLayerIds: readonly number[];
  /** What the rows of each layer may see; layers that see alike share one object. */
  readonly layerSights: readonly BlockSight[];
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
