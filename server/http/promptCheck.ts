// The check of a prompt: one that cannot be decoded is refused before anything is streamed, as an answer that has begun
// cannot change its status any more.
import type { LoadedModel } from '../hosting/loadedModel';
import type { Choice } from './generation';
import { HttpError } from './httpError';

/** About as many as a token of a usual text has. */
const CHARACTERS_PER_TOKEN = 4;

/**
 * Throws HttpError for a text that is longer than the context, without encoding more of it than shows that: everybody
 * waits while a text is encoded.
 */
export function requireRoom(
  text: string,
  encode: (text: string) => readonly number[],
  { engine }: LoadedModel,
  field = 'prompt',
): void {
  const { maxPositionEmbeddings: context } = engine.config;
  for (let length = CHARACTERS_PER_TOKEN * context; length < text.length; length *= 2)
    if (encode(text.slice(0, length)).length >= context) throw tooLong(context, 'more', field);
}

/** `field` is where the prompt comes from. */
export function requirePrompt(
  { promptIds, request: { sampling = {} } }: Choice,
  { engine, info }: LoadedModel,
  field = 'prompt',
): void {
  const { vocabSize, maxPositionEmbeddings: context } = engine.config;
  if (promptIds.length === 0)
    throw wrong('at least one token in the prompt', 'none', 'send some text', field);
  if (promptIds.length >= context) throw tooLong(context, String(promptIds.length), field);
  const requireIds = (ids: readonly number[], from: string): void => {
    if (ids.every((id) => Number.isInteger(id) && id >= 0 && id < vocabSize)) return;
    throw wrong(
      `token ids below ${String(vocabSize)}`,
      'another',
      `use the tokenizer of ${info.target}`,
      from,
    );
  };
  requireIds(promptIds, field);
  const { forbiddenTokens = [], logitBias = [] } = sampling;
  requireIds([...forbiddenTokens, ...logitBias.map(([id]) => id)], 'logit_bias');
}

function tooLong(context: number, got: string, field: string): HttpError {
  const expected = `a prompt of fewer than ${String(context)} tokens`;
  return wrong(expected, got, 'send less', field, 'context_length_exceeded');
}

function wrong(expected: string, got: string, remedy: string, param: string, code = 'invalid_value') {
  return new HttpError(400, { message: `Expected ${expected}, got ${got}; ${remedy}`, param, code });
}
