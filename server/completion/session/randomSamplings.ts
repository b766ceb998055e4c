// Returns sampling options for the alternatives of an explicit request. Seeds depend on the text around the cursor, so
// the same place gets the same alternatives again.
import type { DecodeLimits } from '../decoder';
import type { CompletionContext } from '../prompt/context';
import type { SuggestionRequest } from './suggestionRequest';

/** Number of texts to draw. Few, as the user waits for all of them, and a confident model repeats the same text. */
const DRAWS = 3;
/** Leaves out the many tokens that are rarely right. */
const TOP_P = 0.95;
/** Characters on each side of the cursor that determine the seeds. */
const SEED_REACH = 4096;

/** Returns the options of each draw; none for an automatic request or at temperature 0. */
export function randomSamplings({
  context,
  trigger,
  settings,
}: SuggestionRequest): NonNullable<DecodeLimits['sampling']>[] {
  const temperature = trigger === 'explicit' ? settings.alternatives.temperature : 0;
  const seed = seedAt(context);
  return Array.from({ length: temperature > 0 ? DRAWS : 0 }, (_, i) => ({
    temperature,
    topP: TOP_P,
    seed: (seed + i) >>> 0,
  }));
}

/** Returns a hash (FNV-1a) of the text around the cursor, below 2^32. */
function seedAt({ prefix, suffix }: CompletionContext): number {
  const text = `${prefix.slice(-SEED_REACH)}\0${suffix.slice(0, SEED_REACH)}`;
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
