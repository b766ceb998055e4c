// config.json of a Qwen3 checkpoint with experts, parsed once. Field names as in the file, in camelCase.
import type { ConfigFields } from '../configFields';
import { parseDecoderConfig, requireValue, type DecoderConfig } from '../decoderConfig';
import { parseSparseConfig, type SparseConfig } from '../sparseConfig';

export type Qwen3MoeConfig = DecoderConfig & SparseConfig;

export function parseQwen3MoeConfig(directory: string, fields: ConfigFields): Qwen3MoeConfig {
  requireValue(fields, 'use_sliding_window', false);
  return {
    ...parseDecoderConfig(directory, fields),
    ...parseSparseConfig(fields, { normTopkProb: false }),
    headNorms: true,
    sharedExpertIntermediateSize: undefined,
  };
}
