// Cleans a suggestion in an ordered list of steps, each in the file of its name. A step takes a text and the context of
// its cursor, and returns the text that stays. An empty text means that there is no suggestion.
import type { CompletionContext } from '../prompt/context';
import { alignWithSiblings } from './alignWithSiblings';
import { balanceBrackets } from './balanceBrackets';
import { closeElements } from './closeElements';
import { closeOnOwnLine } from './closeOnOwnLine';
import { closeWordBlocks } from './closeWordBlocks';
import { completeEndTags } from './completeEndTags';
import { convertIndentation } from './convertIndentation';
import { cutConflictMarkers } from './cutConflictMarkers';
import { cutGluedKeywords } from './cutGluedKeywords';
import { cutInvisible } from './cutInvisible';
import { cutOtherFileName } from './cutOtherFileName';
import { cutRepetition } from './cutRepetition';
import { cutSurplusEnd } from './cutSurplusEnd';
import { cutSurplusEndTags } from './cutSurplusEndTags';
import { dropDoubledSpace } from './dropDoubledSpace';
import { dropHalfEscape } from './dropHalfEscape';
import { dropLinesThatFollow } from './dropLinesThatFollow';
import { dropLoneMarks } from './dropLoneMarks';
import { keepOneCharacter } from './keepOneCharacter';
import { keepStringsWhole } from './keepStringsWhole';
import { keepWordsWhole } from './keepWordsWhole';
import { removeSuffixOverlap } from './removeSuffixOverlap';
import { setLastComma } from './setLastComma';
import { stayInsideTag } from './stayInsideTag';
import { trimEnd } from './trimEnd';

/** `isPart` means that the text is only the beginning of a suggestion that still grows. */
export type Step = (text: string, context: CompletionContext, isPart?: boolean) => string;

/**
 * The order matters. For example, lines are compared after their indentation was converted to the document's and their
 * tags were completed. removeSuffixOverlap runs before balanceBrackets, since added closers would hide an overlap, and
 * again after it, since cutting surplus closers can reveal one, which later steps would take for the beginning of a
 * word or a string.
 */
const STEPS: readonly Step[] = [
  cutInvisible,
  dropDoubledSpace,
  convertIndentation,
  alignWithSiblings,
  cutConflictMarkers,
  cutGluedKeywords,
  stayInsideTag,
  cutSurplusEndTags,
  completeEndTags,
  cutSurplusEnd,
  cutRepetition,
  dropLinesThatFollow,
  setLastComma,
  removeSuffixOverlap,
  closeElements,
  closeWordBlocks,
  balanceBrackets,
  removeSuffixOverlap,
  trimEnd,
  closeOnOwnLine,
  cutOtherFileName,
  keepWordsWhole,
  keepOneCharacter,
  dropHalfEscape,
  keepStringsWhole,
  dropLoneMarks,
];
/**
 * Maximum rounds. One is mostly enough; another is needed if a late cut leaves a bracket open, or if an added closer
 * completes a repetition.
 */
const MAX_ROUNDS = 3;

/** Applies all steps, in order, until none of them changes the text, but at most MAX_ROUNDS times. */
export function cleanSuggestion(text: string, context: CompletionContext, isPart = false): string {
  return cleaning(text, context, isPart).cleaned;
}

/**
 * Returns the name of the step that leaves no text; `GhostTextEnd` for a text that is empty before the first step, and
 * undefined if a text stays.
 */
export function emptyingStep(text: string, context: CompletionContext): string | undefined {
  return text === '' ? 'GhostTextEnd' : cleaning(text, context).emptiedBy;
}

/** Returns the text that stays, or the name of the step that leaves none. */
function cleaning(
  text: string,
  context: CompletionContext,
  isPart = false,
): { readonly cleaned: string; readonly emptiedBy?: string } {
  let cleaned = text;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const before = cleaned;
    for (const step of STEPS) {
      cleaned = step(cleaned, context, isPart);
      if (cleaned === '') return { cleaned, emptiedBy: step.name };
    }
    if (cleaned === before) break;
  }
  return { cleaned };
}
