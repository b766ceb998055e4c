// config.json of a Gemma 2 checkpoint. Field names as in the file, in camelCase.
import type { ConfigFields } from '../configFields';
import type { DecoderConfig } from '../decoderConfig';
import { parseGemmaFields } from '../gemmaFields';
import { parseLayerTypes, windowedLayers } from '../layerKind';
import { parseRope } from '../ropeConfig';

/** Every second layer sees everything. */
const FULL_EVERY = 2;

export function parseGemma2Config(directory: string, fields: ConfigFields): DecoderConfig {
  const common = parseGemmaFields(directory, fields);
  const rope = parseRope(fields, common.headDim);
  const window = fields.has('sliding_window') ? fields.integer('sliding_window') : 4096;
  const types = parseLayerTypes(fields, common.numHiddenLayers, FULL_EVERY);
  return {
    ...common,
    headNorms: false,
    rope,
    queryScale: fields.number('query_pre_attn_scalar') ** -0.5,
    attnLogitSoftcapping: parseCap(fields, 'attn_logit_softcapping', 50),
    finalLogitSoftcapping: parseCap(fields, 'final_logit_softcapping', 30),
    layerKinds: windowedLayers(types, rope, window),
  };
}

/** Null means none, an absent field the published value. */
function parseCap(fields: ConfigFields, name: string, published: number): number | undefined {
  if (fields.has(name)) return fields.number(name);
  return fields.raw(name) === null ? undefined : published;
}
