// config.json of a DSpark drafter, checked against its target. DeepSpec writes its fields
// at the top level, others into an object of their own.
import { quoted } from '../../../rules/inputError';
import {
  eitherOf,
  parseBlockSize,
  parseMaxPositions,
  requireRows,
  requireTarget,
  type BlockConfig,
  type SourceOf,
} from '../blockDrafter/backbone';
import { UNSUPPORTED, type ConfigFields } from '../../checkpoint/configFields';
import { parseAttentionSizes, parseLayerTypes, requireOneOf, SILU } from '../../decoder/decoderConfig';
import { parseGemma4Config } from '../../families/gemma4';
import { parseRope } from '../../decoder/ropeConfig';
import type { TargetConfig } from '../../decoder/target';

const MARKOV_HEADS = ['vanilla', 'gated', 'rnn'] as const;
/** What a checkpoint has copies of, unless its `has_own_embed_tokens` or `has_own_lm_head` is false. */
export const TABLES = ['embed_tokens', 'lm_head'] as const;

export interface MarkovConfig {
  readonly type: (typeof MARKOV_HEADS)[number];
  /** Width of its tables. */
  readonly rank: number;
}

export interface DSparkConfig extends BlockConfig {
  /** Undefined where the rows know nothing of each other's drafts. */
  readonly markov: MarkovConfig | undefined;
  /** Undefined where there is no confidence head. */
  readonly confidence: { readonly withMarkov: boolean } | undefined;
  /** The tables that the checkpoint has no copies of: those of the target are used. */
  readonly withoutTables: readonly (typeof TABLES)[number][];
  /** Whether the output head of its own is its token table. */
  readonly tieWordEmbeddings: boolean;
  /** What rows of its own token table are multiplied with; nothing where it is left out. */
  readonly embeddingScale?: number | undefined;
  /** Soft limit of what its own output head gives; none where it is left out. */
  readonly finalLogitSoftcapping?: number | undefined;
}

/** What the backbone of a family is, beside what all have. */
type Family = Pick<DSparkConfig, 'embeddingScale' | 'finalLogitSoftcapping' | 'rope'> &
  Omit<BlockConfig, 'layerSights' | 'targetLayerIds' | 'blockSize' | 'maskTokenId' | 'maxPositionEmbeddings'>;

const NEXT_TOKEN = { shift_label: true, projector_type: 'dspark' };
const OTHER_SEMANTIC =
  'use a checkpoint whose rows predict the next token, or one of the architecture DFlashDraftModel';

export function parseQwen3DSparkConfig(fields: ConfigFields, target: TargetConfig): DSparkConfig {
  requireOneOf(fields, 'hidden_act', SILU);
  const sizes = { ...parseAttentionSizes(fields), headNorms: true };
  return parseDSparkConfig(fields, target, {
    ...sizes,
    intermediateSize: fields.integer('intermediate_size'),
    rope: parseRope(fields, sizes.headDim),
  });
}

/** Dense ones only: no other form was ever trained. */
export function parseGemma4DSparkConfig(fields: ConfigFields, target: TargetConfig): DSparkConfig {
  const { fullHeads, sharing, perLayer, expertsBeside, ...family } = parseGemma4Config(fields);
  for (const [part, name] of [
    [sharing, 'num_kv_shared_layers'],
    [perLayer, 'hidden_size_per_layer_input'],
    [expertsBeside, 'enable_moe_block'],
  ] as const)
    if (part) throw fields.refusal(`a dense drafter, without ${name}`, quoted(fields.raw(name)), UNSUPPORTED);
  return parseDSparkConfig(fields, target, { ...family, ...fullHeads });
}

function parseDSparkConfig(fields: ConfigFields, target: TargetConfig, family: Family): DSparkConfig {
  const inner = ['dspark_config', 'dflash_config'].find((name) => fields.has(name));
  const nested = inner === undefined ? fields : fields.nested(inner);
  const sourceOf = eitherOf(fields, nested);
  requireRows(sourceOf, NEXT_TOKEN, OTHER_SEMANTIC);
  const types = parseLayerTypes(fields, fields.integer('num_hidden_layers', { max: 256 }), { every: 1 });
  const sight = { causal: false };
  const config = {
    ...family,
    // All rows draft, and the anchor is verified with them.
    blockSize: parseBlockSize(sourceOf('block_size'), target, { min: 1, beyond: 1 }),
    maskTokenId: sourceOf('mask_token_id').integer('mask_token_id', { min: 0 }),
    targetLayerIds: sourceOf('target_layer_ids').integers('target_layer_ids'),
    layerSights: types.map(() => sight),
    markov: parseMarkov(sourceOf, target),
    confidence: parseConfidence(sourceOf),
    withoutTables: TABLES.filter((table) => {
      const name = `has_own_${table}`;
      return !sourceOf(name).boolean(name, true);
    }),
    tieWordEmbeddings: fields.boolean('tie_word_embeddings', false),
    maxPositionEmbeddings: parseMaxPositions(fields),
  };
  if (config.confidence?.withMarkov && config.markov === undefined)
    throw fields.refusal('a markov_rank above 0 beside confidence_head_with_markov', '0');
  requireTarget(fields, config, target);
  return config;
}

function parseMarkov(sourceOf: SourceOf, { vocabSize }: TargetConfig): MarkovConfig | undefined {
  const rank = sourceOf('markov_rank').integer('markov_rank', { min: 0, max: vocabSize });
  if (rank === 0) return undefined;
  const fields = sourceOf('markov_head_type');
  const name = fields.string('markov_head_type');
  const type = MARKOV_HEADS.find((each) => each === name);
  if (type !== undefined) return { type, rank };
  throw fields.refusal(`markov_head_type ${MARKOV_HEADS.join(', ')}`, name, UNSUPPORTED);
}

function parseConfidence(sourceOf: SourceOf): DSparkConfig['confidence'] {
  if (!sourceOf('enable_confidence_head').boolean('enable_confidence_head', false)) return undefined;
  const name = 'confidence_head_with_markov';
  return { withMarkov: sourceOf(name).boolean(name) };
}
