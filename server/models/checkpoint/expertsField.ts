// The number of experts in a config.json, by which a mixture is recognised.
import type { ConfigFields } from './configFields';

/** Returns the name of the field with the number of experts; undefined for dense models. */
export function expertsField(text: ConfigFields): string | undefined {
  // transformers 5 writes the second name for some families.
  return ['num_experts', 'num_local_experts'].find((name) => text.isSet(name));
}
