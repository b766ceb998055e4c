// The check of a prompt: one that cannot be decoded is refused before anything is streamed, as an answer that has begun
// cannot change its status any more.
import { HolePrompt, type FillIn, type Hole } from '../completion/prompt/fillIn';
import { fimForm } from '../completion/prompt/fimForm';
import type { LoadedModel } from '../hosting/loadedModel';
import { encodeApart, type Encoding } from '../models/text/encodeApart';
import type { Choice } from './generation';
import { HttpError } from './httpError';
import { tokenizerOf } from './modelFields';

/** About as many as a token of a usual text has. */
const CHARACTERS_PER_TOKEN = 4;

/**
 * Encodes a prompt. Throws HttpError for one that is longer than the context, without encoding more of it than shows
 * that.
 */
export async function encodeFitting(
  encoding: Encoding,
  model: LoadedModel,
  field?: string,
): Promise<readonly number[]> {
  const tokenizer = tokenizerOf(model);
  const { input } = encoding;
  const text = typeof input === 'string' ? input : input.map((part) => part.text).join('');
  await requireRoom(text, model, field);
  return await encodeApart(tokenizer, encoding);
}

/** The prompt of a hole. Throws HttpError for a model that cannot fill in. */
export async function encodeHole(hole: Hole, model: LoadedModel, maxTokens: number): Promise<FillIn> {
  const { engine, info, layout, otherFiles } = model;
  const { maxPositionEmbeddings: contextTokens } = engine.config;
  const tokenizer = tokenizerOf(model);
  const prompt = new HolePrompt(hole, { tokenizer, contextTokens, layout, otherFiles }, maxTokens);
  const isKnown = fimForm(tokenizer) !== undefined;
  for (const text of isKnown ? prompt.texts : [])
    await encodeApart(tokenizer, { how: 'encodeText', input: text });
  const filled = prompt.read();
  if (filled) return filled;
  const message = `Expected a model with fill-in-the-middle tokens, got ${info.target}, which has none; use another model, or /v1/completions without a suffix`;
  throw new HttpError(501, message, { code: 'not_supported' });
}

/** Throws HttpError for a text that is longer than the context. */
export async function requireRoom(text: string, model: LoadedModel, field = 'prompt'): Promise<void> {
  const { maxPositionEmbeddings: context } = model.engine.config;
  for (let length = CHARACTERS_PER_TOKEN * context; length < text.length; length *= 2) {
    const begun = await encodeApart(tokenizerOf(model), { how: 'encodeText', input: text.slice(0, length) });
    if (begun.length >= context) throw tooLong(context, 'more', field);
  }
}

/** Throws HttpError for more tokens than the context has. */
export function requireFewer(tokens: number, { engine }: LoadedModel, field: string): void {
  const { maxPositionEmbeddings: context } = engine.config;
  if (tokens >= context) throw tooLong(context, 'more', field);
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
  return new HttpError(400, `Expected ${expected}, got ${got}; ${remedy}`, { param, code });
}
