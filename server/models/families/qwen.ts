// Qwen2, Qwen2.5 and Qwen3, tied or untied. The first two are the Llama shape with biases on queries, keys and values
// that no field of the file mentions; Qwen3 has a norm per head on queries and keys instead, also with experts in place
// of MLPs.
import type { ConfigFields } from '../configFields';
import { parseDecoderConfig, requireValue, type DecoderConfig } from '../decoderConfig';
import { parseSparseConfig } from '../sparseMlp';

export function parseQwen2Config(directory: string, fields: ConfigFields): DecoderConfig {
  requireValue(fields, 'use_sliding_window', false);
  return { ...parseDecoderConfig(directory, fields), attentionBias: true, outputBias: false };
}

export function parseQwen3Config(directory: string, fields: ConfigFields): DecoderConfig {
  requireValue(fields, 'use_sliding_window', false);
  return { ...parseDecoderConfig(directory, fields), headNorms: true };
}

export function parseQwen3MoeConfig(directory: string, fields: ConfigFields): DecoderConfig {
  const sparse = {
    ...parseSparseConfig(fields, { normTopkProb: false }),
    sharedExpertIntermediateSize: undefined,
  };
  return { ...parseQwen3Config(directory, fields), sparse };
}
