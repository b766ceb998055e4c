// config.json of a Gemma 3 checkpoint, of text alone or the text part of one that reads images too. Field names as
// in the file, in camelCase.
import { ConfigFields } from '../configFields';
import { requireValue, type DecoderConfig } from '../decoderConfig';
import { parseGemmaFields } from '../gemmaFields';
import { parseLayerTypes, type LayerKind } from '../layerKind';
import { parseLayerRopes } from '../ropeConfig';

/** The published files leave out what has the value that transformers gives it. */
const USUAL = {
  vocab_size: 262208,
  num_attention_heads: 8,
  num_key_value_heads: 4,
  head_dim: 256,
  rms_norm_eps: 1e-6,
  max_position_embeddings: 131072,
  query_pre_attn_scalar: 256,
  sliding_window: 4096,
};

/** Of layers that see everything. */
const USUAL_THETA = 1e6;

export function parseGemma3Config(directory: string, fields: ConfigFields): DecoderConfig {
  const text = textFields(fields);
  for (const name of ['attn_logit_softcapping', 'final_logit_softcapping']) requireValue(text, name, null);
  const common = parseGemmaFields(directory, text);
  const ropes = parseLayerRopes(text, common.headDim, { ropeTheta: USUAL_THETA });
  const sliding: LayerKind = { rope: ropes.slidingAttention, window: text.integer('sliding_window') };
  const full: LayerKind = { rope: ropes.fullAttention };
  return {
    ...common,
    headNorms: true,
    rope: ropes.fullAttention,
    queryScale: text.number('query_pre_attn_scalar') ** -0.5,
    layerKinds: parseLayerTypes(text, common.numHiddenLayers, parsePattern(text)).map((type) =>
      type === 'sliding_attention' ? sliding : full,
    ),
  };
}

/** Image models nest the fields of their text part, but not the end tokens. */
function textFields(fields: ConfigFields): ConfigFields {
  const text = fields.has('text_config') ? fields.nested('text_config') : fields;
  const ends = fields.has('eos_token_id') ? { eos_token_id: fields.raw('eos_token_id') } : {};
  return new ConfigFields(text.source, { ...USUAL, ...text.object, ...ends });
}

/** Every so many layers one sees everything. */
function parsePattern(text: ConfigFields): number {
  const name = ['sliding_window_pattern', '_sliding_window_pattern'].find((field) => text.has(field));
  return name === undefined ? 6 : text.integer(name);
}
