// Block, taps and target of a block drafter, as its config.json describes them, checked against the target before a weight
// is read. Knows the fields that all kinds share.
import { quoted } from '../../../rules/inputError';
import type { ConfigFields } from '../../checkpoint/configFields';
import type { AttentionSizes, Sight } from '../../decoder/attention';
import type { BlockSizes } from '../../decoder/decoderBlock';
import { parseLayerTypes } from '../../decoder/decoderConfig';
import type { MlpSizes } from '../../decoder/experts';
import { parseRope, type RopeConfig } from '../../decoder/ropeConfig';
import type { TargetConfig } from '../../decoder/target';
import type { ConvSizes } from './groupedConv';

export interface BlockConfig extends AttentionSizes, MlpSizes, BlockSizes {
  /** Rows of a block: the anchor and blockSize - 1 masks. */
  readonly blockSize: number;
  /** Index of the first row that drafts: 0 where rows predict the next token, 1 where they predict their own. */
  readonly firstRow: 0 | 1;
  readonly maskTokenId: number;
  readonly targetLayerIds: readonly number[];
  /** Visible positions per layer; layers that see alike share one object. */
  readonly layerSights: readonly Sight[];
  readonly rope: RopeConfig;
  /** Convolutions around both parts of each layer; undefined when it has none. */
  readonly conv?: ConvSizes | undefined;
  /** Positions that the drafter was made for; undefined when the file does not say. */
  readonly maxPositionEmbeddings: number | undefined;
  /** Tokens that it drafts from; the target's vocabulary where it is not reduced. */
  readonly draftVocabSize: number;
  /** Whether its own token table, if it has one without a head, is its head too. */
  readonly tieWordEmbeddings: boolean;
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

/** Values that a file must have if it has the field, by name; null for none. They say which token a row predicts. */
type RowSemantic = Readonly<Record<string, string | boolean | null>>;

/** Refuses rows that predict another token: their drafts are off by one, and the text is right but slow. */
export function requireRows(sourceOf: SourceOf, semantic: RowSemantic, remedy: string): void {
  for (const [name, own] of Object.entries(semantic)) {
    const fields = sourceOf(name);
    if (!fields.has(name) || fields.raw(name) === own) continue;
    const expected = own === null ? `no ${name}` : `${name} ${String(own)}`;
    throw fields.refusal(expected, quoted(fields.raw(name)), remedy);
  }
}

/** Rows of a block whose first drafting row is `firstRow`: a round verifies the anchor and all its drafts. */
export function parseBlockSize(fields: ConfigFields, target: TargetConfig, firstRow: 0 | 1): number {
  const beyond = 1 - firstRow;
  const max = Math.min((target.maxBlockSize ?? Infinity) - beyond, MAX_BLOCK_SIZE);
  return fields.integer('block_size', { min: 1 + firstRow, max });
}

/** Index of the first row that drafts, where files can say so. */
export function parseFirstRow(fields: ConfigFields, usual: 0 | 1): 0 | 1 {
  return fields.boolean('sample_from_anchor', usual === 0) ? 0 : 1;
}

/** Fields that all kinds read alike. */
export function parseCommon(
  fields: ConfigFields,
  { vocabSize }: TargetConfig,
): Pick<BlockConfig, 'maxPositionEmbeddings' | 'draftVocabSize' | 'tieWordEmbeddings'> {
  const positions = 'max_position_embeddings';
  return {
    maxPositionEmbeddings: fields.has(positions) ? fields.integer(positions) : undefined,
    draftVocabSize: fields.integer('draft_vocab_size', { max: vocabSize, usual: vocabSize }),
    tieWordEmbeddings: fields.boolean('tie_word_embeddings', false),
  };
}

/**
 * The rotation of whole heads. Some exporters copy the whole config of a target that turns a part of each head; drafters
 * of this shape never do.
 */
export function parseBlockRope(fields: ConfigFields, headDim: number): RopeConfig {
  const rope = parseRope(fields, headDim);
  return rope.rotaryDim === undefined ? rope : { ...rope, rotaryDim: headDim };
}

/** Full layers see the whole block, sliding ones are causal unless `causal` or the file says otherwise. */
export function parseLayerSights(fields: ConfigFields, count: number, causal?: boolean): Sight[] {
  const types = parseLayerTypes(fields, count, { other: 'sliding_attention', every: 1 });
  const stated = fields.has('is_causal') ? fields.boolean('is_causal') : causal;
  const full = { causal: stated ?? false };
  if (!types.includes('sliding_attention')) return types.map(() => full);
  const sliding = { window: fields.integer('sliding_window'), causal: stated ?? true };
  return types.map((type) => (type === 'sliding_attention' ? sliding : full));
}

/** Throws InputError for a drafter that was trained for another target. */
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
  for (const [field, theirs] of [
    ['num_target_layers', target.numHiddenLayers],
    ['target_hidden_size', target.hiddenSize],
  ] as const)
    if (fields.has(field)) equal(field, fields.integer(field), theirs);
  // Drafters are trained on outputs of inner layers: that of the last one is seen after the final norm only.
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
