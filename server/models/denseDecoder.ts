// A family whose layers are all plain blocks with a gated MLP: then its configuration says everything.
// Knows no family.
import type { ConfigFields } from './configFields';
import { DecoderBlock } from './decoderBlock';
import type { DecoderConfig } from './decoderConfig';
import { DecoderStack } from './decoderStack';
import { GatedMlp } from './layers';
import type { LoadTarget } from './target';

/** `parse` reads config.json, whose directory may hold more about the model. */
export function denseDecoder(parse: (directory: string, fields: ConfigFields) => DecoderConfig): LoadTarget {
  return async (directory, fields, device, onProgress) => {
    const config = parse(directory, fields);
    return await DecoderStack.load({ directory, fields, device, onProgress }, config, (weights, path) =>
      DecoderBlock.load(weights, path, config, GatedMlp.load(weights, `${path}.mlp`, config)),
    );
  };
}
