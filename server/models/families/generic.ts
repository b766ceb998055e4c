// A model of an unknown family, which is read as Llama if it is one in all but name: every field of its config.json
// must be known, as an unknown field hints at another computation, and every tensor must have the expected name and
// shape.
import { quoted } from '../../rules/userError';
import { UNSUPPORTED, type ConfigFields } from '../checkpoint/configFields';
import type { DecoderConfig } from '../decoder/decoderConfig';
import { WITHOUT_EFFECT } from './fieldsWithoutEffect';
import { parseLlamaConfig } from './llama';

/** Fields that have no effect if they have this value. */
const HARMLESS_VALUES: Readonly<Record<string, unknown>> = {
  add_cross_attention: false,
  is_encoder_decoder: false,
  partial_rotary_factor: 1,
  use_sliding_window: false,
  sliding_window: null,
};

/** Families that differ although their fields and tensors are those of a Llama: Helium rotates neighbouring pairs. */
const DIFFERENT = ['helium'];

/** Parses a config as that of a Llama. Throws UserError, naming the first field that could change the computation. */
export function parseGenericConfig(fields: ConfigFields): DecoderConfig {
  const type = fields.string('model_type');
  if (DIFFERENT.includes(type))
    throw fields.refusal('a model_type that computes like a Llama', type, UNSUPPORTED);
  for (const [name, harmless] of Object.entries(HARMLESS_VALUES)) fields.allowOnly(name, [harmless]);
  const config = parseLlamaConfig(fields);
  const unread = fields.unread().find((name) => !WITHOUT_EFFECT.has(name));
  if (unread === undefined) return config;
  const got = `${unread} ${quoted(fields.raw(unread))}`;
  throw fields.refusal('only fields of a Llama model', got, UNSUPPORTED);
}
