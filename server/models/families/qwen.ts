// Qwen2, Qwen2.5 and Qwen3, tied or untied. The first two are the Llama shape with biases on queries, keys and values
// that no field of config.json mentions; Qwen3, with MLPs or experts, has a norm per head on queries and keys instead.
import type { ConfigFields } from '../checkpoint/configFields';
import { parseDecoderConfig, type DecoderConfig } from '../decoder/decoderConfig';
import { parseSparseConfig } from '../decoder/sparseMlp';

/** Defaults of transformers. With experts, the default head width follows from the other sizes. */
const DEFAULTS = { max_position_embeddings: 32768 };
const QWEN3_DEFAULTS = { head_dim: 128 };

/** Parses the config of Qwen2 or Qwen2.5. Throws UserError for a variant that is not supported. */
export function parseQwen2Config(fields: ConfigFields): DecoderConfig {
  return { ...parseQwenConfig(fields), attentionBias: true, outputBias: false };
}

/** Parses the config of a dense Qwen3. Throws UserError for a variant that is not supported. */
export function parseQwen3Config(fields: ConfigFields): DecoderConfig {
  return { ...parseQwenConfig(fields.withDefaults(QWEN3_DEFAULTS)), headNorms: true };
}

function parseQwenConfig(fields: ConfigFields): DecoderConfig {
  fields.allowOnly('use_sliding_window', [false]);
  return parseDecoderConfig(fields.withDefaults(DEFAULTS));
}

/** Parses the config of Qwen3 with experts. Throws UserError for a variant that is not supported. */
export function parseQwen3MoeConfig(fields: ConfigFields): DecoderConfig {
  const sparse = parseSparseConfig(fields, { normTopkProb: false });
  return { ...parseQwenConfig(fields), headNorms: true, sparse };
}
