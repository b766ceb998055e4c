// From what changes in files to a commit message, streamed. Models that follow instructions are asked in words; others
// continue a text that has the changes and begins the message.
import { InputError } from '../../rules/inputError';
import { changesText, type Change } from '../prompt/changesText';
import { ChatCode, codeFence, trimmed } from './chatCode';
import type { Decoder } from '../decoder';
import { turnEndTokenIds } from '../prompt/prompt';

export interface CommitMessageRequest {
  /** Of files that may enter prompts. */
  readonly changes: readonly Change[];
  /** What the message begins with; not written again. */
  readonly begun: string;
  readonly maxTokens: number;
  readonly signal: AbortSignal;
}

interface Asked {
  readonly ids: readonly number[];
  readonly stopStrings: readonly string[];
}

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
  const { begun } = request;
  const opening = begun.trimEnd();
  const hasSpace = opening === '' || opening !== begun;
  yield* trimmed(answer(request, opening, decoder), hasSpace);
}

async function* answer(
  request: CommitMessageRequest,
  opening: string,
  decoder: Decoder,
): AsyncGenerator<string, void, undefined> {
  const { signal } = request;
  const maxTokens = Math.min(request.maxTokens, decoder.contextTokens >> 1);
  const { ids, stopStrings } = fitting(request, opening, decoder.contextTokens - maxTokens, decoder);
  const stopTokenIds = turnEndTokenIds(decoder.tokenizer);
  const message = new ChatCode(FENCE, '', '');
  // The answer goes on in its last line.
  message.push(opening);
  yield* message.in(decoder.decode(ids, { maxTokens, stopStrings, stopTokenIds, signal }));
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
