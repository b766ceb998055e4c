// Recognises drafters of algorithms that are not supported. The files of many look like those of a small Llama: without
// this check, the error would name a tensor instead of the algorithm.
import { orUserError, UserError } from '../../rules/userError';
import type { ConfigFields } from './configFields';
import { Shards } from './shards';

/** Algorithms by a pattern of the architecture or the model_type; narrower patterns come first. */
const ALGORITHMS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/p-?eagle/i, 'P-EAGLE'],
  [/eagle-?3/i, 'EAGLE-3'],
  // Not Eagle2 of NVIDIA, which is a model that reads images.
  [/eagle(?![\d_]*(vl|chat))/i, 'EAGLE'],
  [/medusa/i, 'Medusa'],
  [/domino/i, 'Domino'],
  [/mtp|assistant/i, 'MTP'],
];
/** Fields of EAGLE-3 drafters whose architecture is LlamaForCausalLM. Targets do not have them. */
const EAGLE3_FIELDS = ['eagle_config', 'draft_vocab_size'];
/** Matches the architecture or the model_type of most drafters. */
const DRAFTER = /draft|speculator/i;

/**
 * Returns the algorithm of a drafter, or its architecture or model_type if these name no algorithm; undefined for a
 * target.
 */
export function otherAlgorithm(fields: ConfigFields): string | undefined {
  const names = [fields.raw('model_type'), fields.raw('architectures')].flat();
  const named = (pattern: RegExp) =>
    names.find((name): name is string => typeof name === 'string' && pattern.test(name));
  const [, algorithm] = ALGORITHMS.find(([pattern]) => named(pattern) !== undefined) ?? [];
  if (algorithm !== undefined) return algorithm;
  return named(DRAFTER) ?? (EAGLE3_FIELDS.some((name) => fields.isSet(name)) ? 'EAGLE-3' : undefined);
}

/**
 * Returns the algorithm of the drafter in a folder, like `otherAlgorithm`. The first EAGLE drafters differ from a Llama
 * of one layer only by the tensor fc.weight, which joins the embedding of a token with the target's output.
 */
export function otherAlgorithmIn(directory: string, fields: ConfigFields): string | undefined {
  const named = otherAlgorithm(fields);
  if (named !== undefined || fields.raw('num_hidden_layers') !== 1) return named;
  const shards = orUserError(() => new Shards(directory));
  // Loading the model reports weights that cannot be read.
  const shape = shards instanceof UserError ? undefined : shards.tensors.get('fc.weight')?.shape;
  const [rows = 0, columns] = shape ?? [];
  return shape?.length === 2 && columns === 2 * rows ? 'EAGLE' : undefined;
}
