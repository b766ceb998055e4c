// Recognises drafters of algorithms that are not supported. Many of their files look like those of a small Llama, so
// that without this the error would name a tensor instead of the algorithm.
import type { ConfigFields } from './configFields';

/** Algorithms by a pattern of the architecture or the model_type; narrower patterns come first. */
const ALGORITHMS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/p-?eagle/i, 'P-EAGLE'],
  [/eagle-?3/i, 'EAGLE-3'],
  [/eagle/i, 'EAGLE'],
  [/medusa/i, 'Medusa'],
  [/domino/i, 'Domino'],
  [/mtp|assistant/i, 'MTP'],
];
/** Fields of EAGLE-3 drafters whose architecture is LlamaForCausalLM. Targets do not have them. */
const EAGLE3_FIELDS = ['eagle_config', 'draft_vocab_size'];
/** Matches the architectures of drafters of any other algorithm. */
const DRAFTER = /draft|speculator/i;

/** Returns the algorithm of a drafter that is not supported, or its architecture; undefined for a target. */
export function otherAlgorithm(fields: ConfigFields): string | undefined {
  const names = [fields.raw('model_type'), fields.raw('architectures')].flat();
  const named = (pattern: RegExp) =>
    names.find((name): name is string => typeof name === 'string' && pattern.test(name));
  const [, algorithm] = ALGORITHMS.find(([pattern]) => named(pattern) !== undefined) ?? [];
  if (algorithm !== undefined) return algorithm;
  return named(DRAFTER) ?? (EAGLE3_FIELDS.some((name) => fields.isSet(name)) ? 'EAGLE-3' : undefined);
}
