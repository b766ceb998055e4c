// The fields of config.json that hybrids of gated delta layers and gated attention have in common, parsed once; the
// text part of models that read images too. Knows no single family.
import { InputError } from '../../inputError';
import { ConfigFields } from '../configFields';
import { parseDecoderConfig, requireValue, type DecoderConfig } from '../decoderConfig';
import { parseSparseConfig, type SparseConfig } from '../sparseConfig';
import type { DeltaSizes } from './projections';

export interface HybridConfig extends DecoderConfig, DeltaSizes {
  /** For each layer whether it is attention; the others are gated delta layers. */
  readonly isAttention: readonly boolean[];
  /** Absent where every layer has an MLP. */
  readonly sparse: SparseConfig | undefined;
}

/** What transformers takes where a file is silent. */
const USUAL = {
  head_dim: 256,
  partial_rotary_factor: 0.25,
  full_attention_interval: 4,
  linear_conv_kernel_dim: 4,
  linear_key_head_dim: 128,
  linear_value_head_dim: 128,
  linear_num_key_heads: 16,
  linear_num_value_heads: 32,
};

export function parseHybridConfig(directory: string, fields: ConfigFields): HybridConfig {
  const text = textFields(fields);
  requireValue(text, 'attn_output_gate', true);
  const common = { ...parseDecoderConfig(directory, text), headNorms: true };
  return {
    ...common,
    ...parseDeltaSizes(text),
    isAttention: parseLayerTypes(text, common.numHiddenLayers),
    sparse:
      text.has('num_experts') && text.raw('num_experts') !== 0
        ? parseSparseConfig(text, { normTopkProb: true })
        : undefined,
  };
}

/** Image models nest the fields of their text part; what they say of the whole counts for it too. */
function textFields(fields: ConfigFields): ConfigFields {
  const text = fields.has('text_config') ? fields.nested('text_config') : fields;
  const whole = Object.fromEntries(
    ['eos_token_id', 'tie_word_embeddings']
      .filter((name) => fields.has(name))
      .map((name) => [name, fields.raw(name)]),
  );
  // Where all layers have experts there may be no other width.
  const width = { intermediate_size: text.raw('moe_intermediate_size') };
  return new ConfigFields(text.source, { ...USUAL, ...width, ...text.object, ...whole });
}

function parseDeltaSizes(text: ConfigFields): Omit<DeltaSizes, 'hiddenSize' | 'rmsNormEps'> {
  const linearNumKeyHeads = text.integer('linear_num_key_heads');
  const linearNumValueHeads = text.integer('linear_num_value_heads');
  if (linearNumValueHeads % linearNumKeyHeads !== 0) {
    throw new InputError({
      expected: `linear_num_value_heads to be a multiple of linear_num_key_heads in ${text.source}`,
      got: `${String(linearNumValueHeads)} and ${String(linearNumKeyHeads)}`,
      remedy: 'correct the file or download it again',
    });
  }
  return {
    linearNumKeyHeads,
    linearNumValueHeads,
    linearKeyHeadDim: text.integer('linear_key_head_dim', { max: 1024 }),
    linearValueHeadDim: text.integer('linear_value_head_dim', { max: 1024 }),
    // A kernel of one row would have no inputs to remember.
    linearConvKernelDim: text.integer('linear_conv_kernel_dim', { min: 2, max: 64 }),
  };
}

/** `layer_types` where the file has it; else every `full_attention_interval`-th layer is attention. */
function parseLayerTypes(text: ConfigFields, numHiddenLayers: number): boolean[] {
  if (!text.has('layer_types')) {
    const every = text.integer('full_attention_interval');
    return Array.from({ length: numHiddenLayers }, (_, i) => (i + 1) % every === 0);
  }
  const types = text.strings('layer_types');
  const other = types.find((type) => type !== 'linear_attention' && type !== 'full_attention');
  if (types.length === numHiddenLayers && other === undefined)
    return types.map((type) => type === 'full_attention');
  throw new InputError({
    expected: `${String(numHiddenLayers)} layer_types of linear_attention or full_attention in ${text.source}`,
    got: other ?? String(types.length),
    remedy: 'correct the file or download it again',
  });
}
