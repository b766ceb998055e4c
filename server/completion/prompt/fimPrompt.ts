// Builds fill-in-the-middle prompts in the published form of the model, from segments of tokens: special tokens in the
// user's text stay text.
import type { PartSize } from '../../rules/partSize';
import type { Tokenizer } from '../decoder';
import { fimForm, tokensOf } from './fimForm';
import { specialTokenIds } from './specialTokens';

/** Other files in a prompt, in one of two forms. */
export interface OtherFiles {
  /** At the start of the prompt, each after the special token that begins a file. */
  readonly otherFiles?: readonly Segment[];
  /** As comment lines, above the text before the cursor. */
  readonly quoted?: readonly Segment[];
}

export interface FimContext extends OtherFiles {
  /** Relative path or base name, as in the model's training data. */
  readonly fileName: string;
  readonly prefix: string;
  readonly suffix: string;
}

/** The tokens of one part of a prompt. */
export interface Segment extends Omit<PartSize, 'tokens'> {
  readonly ids: readonly number[];
}

/** Share of the room for the text before the cursor, if both texts have to be cut. */
const PREFIX_SHARE = 0.75;
/** Cuts move in steps of this share of the room, so that most keys do not move them. */
const STEP_SHARE = 1 / 8;
/** Upper bound of characters per token, averaged over a text. Text beyond this reach need not be encoded. */
export const MAX_CHARACTERS_PER_TOKEN = 16;

/**
 * Returns the prompt in at most `budget` tokens; text far from the cursor is left out, in steps. Undefined if the
 * tokenizer has the tokens of no form, so that the model cannot fill in.
 */
export function fimSegments(
  { fileName, prefix, suffix, otherFiles = [], quoted = [] }: FimContext,
  tokenizer: Tokenizer,
  budget: number,
): Segment[] | undefined {
  const form = fimForm(tokenizer);
  if (form === undefined) return undefined;
  const { parts } = form;
  const { ids: start, space } = tokenizer.textStart;
  const name = parts.includes('name') ? tokenizer.encodeText(`${fileName}\n`) : [];
  const formatTokens = start.length + name.length + tokensOf(form).length;
  const otherTokens = [...otherFiles, ...quoted].reduce((sum, { ids }) => sum + ids.length, 0);
  const room = Math.max(0, budget - formatTokens - otherTokens);
  const reach = room * MAX_CHARACTERS_PER_TOKEN;
  const prefixInReach = prefix.slice(leftOut(prefix.length, reach));
  const suffixInReach = suffix.slice(0, reach);
  // SentencePiece vocabularies put a space before the first word of a prompt. Quoted files, if any, contain that word.
  const before = tokenizer.encodeText(
    prefixInReach === '' || quoted.length > 0 ? prefixInReach : space + prefixInReach,
  );
  const after = tokenizer.encodeText(suffixInReach);
  const kept = keptTokens(before.length, after.length, room);
  const segment = (
    name: 'before' | 'after',
    text: string,
    all: readonly number[],
    ids: readonly number[],
  ) => {
    return { name, characters: (ids.length === all.length ? text : tokenizer.decode(ids)).length, ids };
  };
  const texts = new Map<string, readonly Segment[]>([
    ['name', [{ name: 'fileName', characters: fileName.length, ids: name }]],
    [
      'before',
      [...quoted, segment('before', prefixInReach, before, before.slice(before.length - kept.before))],
    ],
    ['after', [segment('after', suffixInReach, after, after.slice(0, kept.after))]],
  ]);
  const partSegments = parts.flatMap((part) => texts.get(part) ?? format(specialTokenIds([part], tokenizer)));
  return [format(start), ...otherFiles, ...partSegments];
}

function format(ids: readonly number[]): Segment {
  return { name: 'format', characters: 0, ids };
}

/** Returns how many tokens stay on each side: all if they fit, otherwise up to one step fewer than fit. */
function keptTokens(before: number, after: number, room: number): { before: number; after: number } {
  if (before + after <= room) return { before, after };
  // If one side is short, the other one gets the rest of its room.
  const max = Math.max(Math.floor(room * PREFIX_SHARE), room - after);
  const taken = Math.min(max, inSteps(before, room));
  return { before: before - leftOut(before, max, room), after: Math.min(after, room - taken) };
}

/** Returns how much to leave out at the far end so that at most `max` stays, in steps of a share of `room`. */
function leftOut(length: number, max: number, room = max): number {
  return Math.min(length, inSteps(Math.max(0, length - max), room));
}

/** Rounds a length up to a whole number of steps. */
function inSteps(length: number, room: number): number {
  const step = Math.max(1, Math.floor(room * STEP_SHARE));
  return Math.ceil(length / step) * step;
}
