// The config.json of a DSpark drafter with the layers of Gemma 4.
import { quoted } from '../../rules/userError';
import { UNSUPPORTED, type ConfigFields } from '../checkpoint/configFields';
import { parseLayerTypes } from '../decoder/decoderConfig';
import type { TargetConfig } from '../decoder/target';
import { parseDSparkConfig, type DSparkConfig } from '../drafters/dspark/dsparkConfig';
import { parseGemma4Config } from './gemma4';

/**
 * Parses the config of a drafter with the layers of a dense Gemma 4; no other form is published. Throws
 * UserError if it is not supported or does not fit the target.
 */
export function parseGemma4DSparkConfig(fields: ConfigFields, target: TargetConfig): DSparkConfig {
  const { fullHeads, sharing, perLayer, parallelExperts, ...family } = parseGemma4Config(fields);
  for (const [part, name] of [
    [sharing, 'num_kv_shared_layers'],
    [perLayer, 'hidden_size_per_layer_input'],
    [parallelExperts, 'enable_moe_block'],
  ] as const)
    if (part) throw fields.refusal(`a dense drafter, without ${name}`, quoted(fields.raw(name)), UNSUPPORTED);
  // Throws UserError unless all layers are full ones.
  const types = parseLayerTypes(fields, fields.integer('num_hidden_layers'), { fullEvery: 1 });
  const pattern = { causal: false };
  return parseDSparkConfig(fields, target, {
    ...family,
    ...fullHeads,
    layerPatterns: types.map(() => pattern),
  });
}
