// What else to suggest to who asks: how further texts are drawn by chance. The seeds follow from the document, so that
// asking again at the same place gives the same list. Knows neither prompts nor where an output ends.
import type { CompletionContext } from './context';
import type { Sampling } from './decoder';

/** Whoever asks waits for all of them, and a model that is sure draws the same again. */
const DRAWS = 3;
/** Cuts off the many tokens that are hardly ever right. */
const TOP_P = 0.95;
/** Characters on each side of the cursor that the seeds follow from. */
const AROUND = 4096;

/** One for each text; a temperature of 0 draws nothing. */
export function alternatives(context: CompletionContext, temperature: number): Sampling[] {
  const first = seedAt(context);
  return Array.from({ length: temperature > 0 ? DRAWS : 0 }, (_, i) => ({
    temperature,
    topP: TOP_P,
    seed: (first + i) >>> 0,
  }));
}

/** A hash (FNV-1a) below 2^32. */
function seedAt({ prefix, suffix }: CompletionContext): number {
  const text = `${prefix.slice(-AROUND)}\0${suffix.slice(0, AROUND)}`;
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
