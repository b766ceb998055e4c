// The fill-in-the-middle prompt, in the published form of the model. It is built from token segments, so special
// tokens in the user's text stay text. Knows neither documents nor models.
import type { PromptPart } from '../../rules/promptPart';
import type { Tokenizer } from '../decoder';
import { fimForm, tokensOf } from './fimForm';

export interface FimContext {
  /** Relative path or base name, as in the model's training data. */
  readonly fileName: string;
  readonly prefix: string;
  readonly suffix: string;
  /** Other files, at the start of the prompt. */
  readonly otherFiles?: readonly Segment[];
  /** Other files as comment lines, above the text before the cursor. */
  readonly quoted?: readonly Segment[];
}

/** The tokens of one part of a prompt. */
export interface Segment extends Omit<PromptPart, 'tokens'> {
  readonly ids: readonly number[];
}

/** Share of the room that the text before the cursor gets when texts are cut. */
const PREFIX_SHARE = 0.75;
/** Step of the cuts, as a share of the room: the next key press leaves them where they are. */
const STEP_SHARE = 1 / 8;
/** No text averages this many characters per token, so the rest of a longer one need not be encoded. */
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
  const tokens = start.length + name.length + tokensOf(form).length;
  const others = [...otherFiles, ...quoted].reduce((sum, { ids }) => sum + ids.length, 0);
  const room = Math.max(0, budget - tokens - others);
  const reach = room * MAX_CHARACTERS_PER_TOKEN;
  const prefixInReach = prefix.slice(leftOut(prefix.length, reach));
  const suffixInReach = suffix.slice(0, reach);
  const before = tokenizer.encodeText(
    prefixInReach === '' || quoted.length > 0 ? prefixInReach : space + prefixInReach,
  );
  const after = tokenizer.encodeText(suffixInReach);
  const kept = keptTokens(before.length, after.length, room);
  const sized = (name: 'before' | 'after', text: string, all: readonly number[], ids: readonly number[]) => {
    return { name, characters: (ids.length === all.length ? text : tokenizer.decode(ids)).length, ids };
  };
  const texts = new Map<string, readonly Segment[]>([
    ['name', [{ name: 'fileName', characters: fileName.length, ids: name }]],
    [
      'before',
      [...quoted, sized('before', prefixInReach, before, before.slice(before.length - kept.before))],
    ],
    ['after', [sized('after', suffixInReach, after, after.slice(0, kept.after))]],
  ]);
  const special = (token: string): Segment =>
    format([tokenizer.specialTokenId(token)].filter((id) => id !== undefined));
  const partIds = parts.flatMap((part) => texts.get(part) ?? special(part));
  return [format(start), ...otherFiles, ...partIds];
}

function format(ids: readonly number[]): Segment {
  return { name: 'format', characters: 0, ids };
}

/** Returns how many tokens stay on each side: all that fit, or up to a step fewer. */
function keptTokens(before: number, after: number, room: number): { before: number; after: number } {
  if (before + after <= room) return { before, after };
  // A short side leaves its room to the other one.
  const most = Math.max(Math.floor(room * PREFIX_SHARE), room - after);
  const taken = Math.min(most, inSteps(before, room));
  return { before: before - leftOut(before, most, room), after: Math.min(after, room - taken) };
}

/** Returns how much to leave out at the far end so that at most `most` stays; the step is a share of `whole`. */
function leftOut(length: number, most: number, total = most): number {
  return Math.min(length, inSteps(Math.max(0, length - most), total));
}

function inSteps(length: number, total: number): number {
  const step = Math.max(1, Math.floor(total * STEP_SHARE));
  return Math.ceil(length / step) * step;
}
