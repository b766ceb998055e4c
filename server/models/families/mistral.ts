// Mistral: the Llama shape without biases, even if its config.json says otherwise, and with a window in the first
// releases. From Small 3.1 on it is the text part of models that also read images; Ministral 3 scales queries by their
// position.
import { unsupportedFamily } from '../checkpoint/unsupportedFamily';
import type { ConfigFields } from '../checkpoint/configFields';
import { parseDecoderConfig, textFields, type DecoderConfig } from '../decoder/decoderConfig';

/** Defaults of transformers. A window of null, as in later releases, means none. */
const DEFAULTS = { max_position_embeddings: 131072 };
const DEFAULT_WINDOW = 4096;
/** Defaults of Ministral 3. */
const MINISTRAL_DEFAULTS = {
  head_dim: 128,
  max_position_embeddings: 262144,
  rms_norm_eps: 1e-5,
  sliding_window: null,
  rope_parameters: {
    rope_type: 'yarn',
    rope_theta: 1e6,
    factor: 16,
    original_max_position_embeddings: 16384,
    beta_fast: 32,
    beta_slow: 1,
    mscale: 1,
    mscale_all_dim: 1,
    llama_4_scaling_beta: 0.1,
  },
};
const IMAGE_PART = /^(model\.)?(vision_tower|multi_modal_projector)\./;

/** Parses the config of a Mistral without images. Throws UserError for a variant that is not supported. */
export function parseMistralConfig(file: ConfigFields): DecoderConfig {
  const hasWindow = file.raw('sliding_window') !== undefined;
  const fields = file.withDefaults(DEFAULTS).with(hasWindow ? {} : { sliding_window: DEFAULT_WINDOW });
  const noBias = { attentionBias: false, outputBias: false };
  if (!fields.isSet('sliding_window')) return { ...parseDecoderConfig(fields), ...noBias };
  const config = parseDecoderConfig(fields, {
    otherType: 'sliding_attention',
    // If the file has a window but names no layers, all layers have it.
    fullEvery: Infinity,
  });
  const sliding = { rope: config.rope, window: fields.integer('sliding_window') };
  return { ...config, ...noBias, sliding };
}

/**
 * Parses the config of a model that also reads images, whose text part is a Mistral or a Ministral 3, or that of a
 * Ministral 3 by itself. Throws UserError for another text part or an unsupported variant.
 */
export function parseMistral3Config(file: ConfigFields): DecoderConfig {
  const type = file.part('text_config').string('model_type');
  if (type !== 'mistral' && type !== 'ministral3') throw unsupportedFamily(type);
  // Only the text part's `tie_word_embeddings` counts, as the outer one can contradict it in published files. Without
  // it, the weights show whether there is an output head.
  const text = textFields(file, ['eos_token_id'], type === 'ministral3' ? MINISTRAL_DEFAULTS : {});
  const config = parseMistralConfig(text);
  return { ...config, queryScaling: parseQueryScaling(text), otherParts: IMAGE_PART };
}

function parseQueryScaling(text: ConfigFields): DecoderConfig['queryScaling'] {
  const rope = text.part('rope_parameters');
  if (!rope.isSet('llama_4_scaling_beta')) return undefined;
  return {
    beta: rope.number('llama_4_scaling_beta'),
    originalMaxPositionEmbeddings: rope.integer('original_max_position_embeddings'),
  };
}
