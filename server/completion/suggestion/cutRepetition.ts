// Step: cuts a text where it starts to repeat itself. (runsOn.ts finds the place.) GhostTextEnd cuts an output there; this
// step also finds the repetitions that a completed end tag or an added closer makes.
import type { CompletionContext } from '../prompt/context';
import { runsOn } from './runsOn';

/** Cuts between repeated lines, or between repeated items of a list. */
export function cutRepetition(text: string, context: CompletionContext): string {
  for (const { index } of text.matchAll(/\n|$/g)) {
    const cut = runsOn(text.slice(0, index), context);
    if (cut !== undefined) return text.slice(0, cut);
  }
  return text;
}
