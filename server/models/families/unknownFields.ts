// Finds fields of a config.json that no parser has read and that are not known to be harmless, so that the log names
// them.
import type { ConfigFields } from '../checkpoint/configFields';
import { WITHOUT_EFFECT_IF_KNOWN } from './fieldsWithoutEffect';

/** Fields about images and sounds. */
const MEDIA_FIELD = /^(vision|audio|image|video|boi|eoi|boa|eoa|mm|multimodal|projector|spatial)_/;

/** Lists the names of unread fields that are not known to be harmless. Call it after the parser. */
export function unknownFields(fields: ConfigFields): string[] {
  const unread = new Set([...fields.unread(), ...fields.part('text_config').unread()]);
  return [...unread].filter((name) => !WITHOUT_EFFECT_IF_KNOWN.has(name) && !MEDIA_FIELD.test(name));
}
