// What else to suggest to who asks: texts drawn by chance, whose seeds follow from the document, so that asking again
// at the same place gives the same list. Knows neither prompts nor where an output ends.
import type { CompletionContext } from './context';
import type { Sampling } from './decoder';

export interface AlternativesRequest {
  readonly context: CompletionContext;
  /** 0 draws nothing. */
  readonly temperature: number;
  readonly signal: AbortSignal;
  /** What would be shown of one output; an empty text is no suggestion. */
  readonly draw: (sampling: Sampling) => Promise<string>;
}

/** Of one request, the most probable text included. */
export const MAX_SUGGESTIONS = 3;
/** Whoever asks waits for all of them, and a model that is sure draws the same again. */
const DRAWS = 3;
/** Cuts off the many tokens that are hardly ever right. */
const TOP_P = 0.95;
/** Characters on each side of the cursor that the seeds follow from. */
const AROUND = 4096;

/** Texts that differ from `shown` and from each other. When the signal aborts, those that were complete. */
export async function alternatives(
  { context, temperature, signal, draw }: AlternativesRequest,
  shown: string,
): Promise<string[]> {
  const texts = new Set([shown]);
  const first = seedAt(context);
  for (let i = 0; temperature > 0 && i < DRAWS && texts.size < MAX_SUGGESTIONS; i++) {
    const text = await draw({ temperature, topP: TOP_P, seed: (first + i) >>> 0 });
    if (signal.aborted) break;
    if (text !== '') texts.add(text);
  }
  return [...texts].slice(1);
}

/** A hash (FNV-1a) below 2^32. */
function seedAt({ prefix, suffix }: CompletionContext): number {
  const text = `${prefix.slice(-AROUND)}\0${suffix.slice(0, AROUND)}`;
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
