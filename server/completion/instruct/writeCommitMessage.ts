// From what changes in files to a commit message, streamed. Models that follow instructions are asked in words; others
// continue a text that has the changes and begins the message.
import { InputError } from '../../rules/inputError';
import { ChatCode, codeFence, trimmed } from './chatCode';
import type { Decoder } from '../decoder';
import { turnEndTokenIds, type Prompt } from '../prompt/prompt';

export interface CommitMessageRequest {
  /** Of files that may enter prompts. */
  readonly changes: readonly Change[];
  /** What the message begins with; not written again. */
  readonly begun: string;
  readonly maxTokens: number;
  readonly signal: AbortSignal;
}

type Asked = Pick<Prompt, 'ids' | 'stopStrings'>;

/** More takes minutes to read on a small machine, and the message gets no better. */
const MOST_CHARACTERS = 16_000;
/** Fewer say nothing. */
const LEAST_CHARACTERS = 100;
const FENCE = codeFence('');

/** Pieces of what follows `begun`. Throws an InputError if the model has no room for any change. */
export async function* writeCommitMessage(
  request: CommitMessageRequest,
  decoder: Decoder,
): AsyncGenerator<string, void, undefined> {
  const { begun, signal } = request;
  const opening = begun.trimEnd();
  const hasSpace = opening === '' || opening !== begun;
  const maxTokens = Math.min(request.maxTokens, decoder.contextTokens >> 1);
  const { ids, stopStrings } = fitting(request, opening, decoder.contextTokens - maxTokens, decoder);
  const stopTokenIds = turnEndTokenIds(decoder.tokenizer);
  const message = new ChatCode(FENCE, '', '');
  // The answer goes on in its last line.
  message.push(opening);
  yield* trimmed(message.in(decoder.decode(ids, { maxTokens, stopStrings, stopTokenIds, signal })), hasSpace);
}

/** The prompt with as much of the changes as it has room for, in tokens. */
function fitting(
  { changes }: CommitMessageRequest,
  opening: string,
  budget: number,
  decoder: Decoder,
): Asked {
  for (let characters = MOST_CHARACTERS; characters >= LEAST_CHARACTERS;) {
    const asked = prompt(changesText(changes, characters), opening, decoder);
    if (asked.ids.length <= budget) return asked;
    characters = Math.floor(characters * Math.min(0.9, budget / asked.ids.length));
  }
  throw new InputError({
    expected: 'a model with room for the changes',
    got: `one of ${String(decoder.contextTokens)} tokens`,
    remedy: 'choose another model, or write less into the box',
  });
}

function prompt(changes: string, opening: string, decoder: Decoder): Asked {
  const { tokenizer } = decoder;
  const fence = codeFence(changes);
  const asked = decoder.encodeChat([
    {
      role: 'system',
      content:
        'You write commit messages. Answer with one code block that has the message and nothing else: one line of at ' +
        'most 72 characters that says what the change does, in the imperative, and only if that is not enough, a ' +
        'blank line and a few lines that say why.',
    },
    { role: 'user', content: `${fence}diff\n${changes}${fence}\n\nWrite the commit message of this change.` },
  ]);
  if (asked) return { ids: [...asked, ...tokenizer.encodeText(`${FENCE}\n${opening}`)], stopStrings: [] };
  const { ids: start, space } = tokenizer.textStart;
  const text = `${space}${changes}Commit message:${opening === '' ? '' : ` ${opening}`}`;
  // The lines behind it would be of the next text of this kind.
  return { ids: [...start, ...tokenizer.encodeText(text)], stopStrings: ['\n'] };
}

// What changes in files, as a prompt quotes it: file by file, each with its share of the room. Short changes are quoted
// in full, and long ones share what these leave.

export interface Change {
  readonly path: string;
  /** In the unified format; empty if only the name is to be quoted. */
  readonly diff: string;
}

/** Of a line that is quoted in full. */
const LONGEST_LINE = 300;
const CUT = '...\n';
/** Lines above the first hunk that say more than the name. */
const TELLING = /^(new file|deleted file|rename|Binary files)/;

/** At most `characters` UTF-16 units. */
export function changesText(changes: readonly Change[], characters: number): string {
  const texts = changes.map(textOf);
  const shares = sharesOf(
    texts.map(({ length }) => length),
    characters,
  );
  return texts.map((text, i) => cut(text, shares[i] ?? 0)).join('');
}

function textOf({ path, diff }: Change): string {
  const name = `File ${path.replace(/\p{Cc}+/gu, ' ')}\n`;
  const start = diff.search(/^@@/m);
  const hunks = start < 0 ? diff.length : start;
  const head = diff.slice(0, hunks).split(/\r?\n/);
  const told = head.filter((line) => TELLING.test(line));
  const lines = diff === '' ? ['(not shown)'] : [...told, ...diff.slice(hunks).trimEnd().split(/\r?\n/)];
  return `${name}${lines.map(shortLine).join('\n').trim()}\n\n`;
}

function shortLine(line: string): string {
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}...` : line;
}

/** Nobody gets more than needed, and nobody who needs more gets less than another. */
function sharesOf(needed: readonly number[], total: number): number[] {
  const shares = needed.map(() => 0);
  let left = total;
  const byNeed = [...needed.keys()].sort((a, b) => (needed[a] ?? 0) - (needed[b] ?? 0));
  byNeed.forEach((index, i) => {
    const share = Math.min(needed[index] ?? 0, Math.floor(left / (needed.length - i)));
    shares[index] = share;
    left -= share;
  });
  return shares;
}

/** At the end of a line, and with a mark; nothing if there is no room for a line. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = text.lastIndexOf('\n', length - CUT.length - 1) + 1;
  return end === 0 ? '' : text.slice(0, end) + CUT;
}
