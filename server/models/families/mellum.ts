// Mellum 2: Qwen3 with experts, but three of four layers attend to a window only, and the two kinds of layer have
// different rotations. Mellum 1 is a Llama.
import type { ConfigFields } from '../checkpoint/configFields';
import { parseDecoderFields, SILU, type DecoderConfig } from '../decoder/decoderConfig';
import { parseLayerRopes } from '../decoder/ropeConfig';
import { parseSparseConfig } from '../decoder/sparseMlp';

/** Defaults of transformers, where `use_sliding_window` and `max_window_layers` have no effect. */
const DEFAULTS = { head_dim: 128, max_position_embeddings: 131072 };
/** Default base of the rotation of full layers. */
const DEFAULT_THETA = 5e5;
const MLP_TYPES = ['sparse', 'dense'];

/** Parses the config of Mellum 2. Throws UserError for a variant that is not supported. */
export function parseMellumConfig(file: ConfigFields): DecoderConfig {
  const fields = file.withDefaults(DEFAULTS);
  fields.allowOnly('hidden_act', SILU);
  const common = parseDecoderFields(fields, { otherType: 'sliding_attention', fullEvery: 1 });
  const { layerTypes, headDim } = common;
  const ropes = parseLayerRopes(fields, headDim, DEFAULT_THETA);
  const experts = parseSparseConfig(fields);
  const mlpOnlyLayers = denseLayers(fields, layerTypes.length);
  return {
    ...common,
    headNorms: true,
    rope: ropes.fullAttention,
    sliding: layerTypes.includes('sliding_attention')
      ? { rope: ropes.slidingAttention, window: fields.integer('sliding_window') }
      : undefined,
    sparse: experts && {
      ...experts,
      mlpOnlyLayers,
      decoderSparseStep: 1,
    },
    otherParts: furtherPredictionPattern(layerTypes.length),
  };
}

/** Parses the indices of layers without experts; none by default. */
function denseLayers(fields: ConfigFields, count: number): number[] {
  const name = 'mlp_layer_types';
  if (!fields.has(name)) return [];
  const types = fields.strings(name);
  if (types.length !== count || !types.every((type) => MLP_TYPES.includes(type)))
    throw fields.refusal(`${String(count)} ${name} of ${MLP_TYPES.join(' or ')}`, types.join(', '));
  return types.flatMap((type, layer) => (type === 'dense' ? [layer] : []));
}

/** Returns a pattern of the parts that predict further tokens, stored as `mtp` or as layers after the last one. */
function furtherPredictionPattern(layers: number): RegExp {
  const indices = Array.from({ length: layers }, (_, i) => String(i)).join('|');
  return new RegExp(`^(model\\.)?mtp\\.|^model\\.layers\\.(?!(${indices})\\.)\\d+\\.`);
}
