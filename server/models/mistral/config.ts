// config.json of a Mistral checkpoint: no biases, whatever fields it has, and a window in the first ones.
import type { ConfigFields } from '../configFields';
import { parseDecoderConfig, requireFullAttention, type DecoderConfig } from '../decoderConfig';
import { parseLayerTypes, windowedLayers } from '../layerKind';

/** Where the file has a window but does not name the layers that have it, all do. */
const NEVER_FULL = Infinity;

export function parseMistralConfig(directory: string, fields: ConfigFields): DecoderConfig {
  const config: DecoderConfig = {
    ...parseDecoderConfig(directory, fields),
    attentionBias: false,
    outputBias: false,
    headNorms: false,
  };
  if (!fields.has('sliding_window')) {
    requireFullAttention(fields);
    return config;
  }
  const types = parseLayerTypes(fields, config.numHiddenLayers, NEVER_FULL);
  return { ...config, layerKinds: windowedLayers(types, config.rope, fields.integer('sliding_window')) };
}
