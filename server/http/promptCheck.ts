// The check of a prompt: one that cannot be decoded is refused before anything is streamed, as an answer that has begun
// cannot change its status any more.
import { HolePrompt, type FillIn, type Hole } from '../completion/prompt/fillIn';
import { fimEndTokenIds, fimForm, type SpecialTokens } from '../completion/prompt/fimForm';
import { withLf } from '../completion/text/lineEnds';
import type { LoadedModel } from '../hosting/loadedModel';
import { encodeApart, type Encoding } from '../models/text/encodeApart';
import type { Choice } from './generation';
import { HttpError } from './httpError';
import type { WireRequest } from './wireRequest';

/** About as many as a token of a usual text has. */
const CHARACTERS_PER_TOKEN = 4;

/** Throws HttpError for a model that came without a tokenizer. */
export function tokenizerOf({ engine, info }: LoadedModel): NonNullable<LoadedModel['engine']['tokenizer']> {
  if (engine.tokenizer) return engine.tokenizer;
  const message = `Expected a model with a tokenizer, got ${info.target}, which has none; add its tokenizer.json`;
  throw new HttpError(501, message, { code: 'not_supported' });
}

/**
 * Encodes a prompt. Throws HttpError for one that is longer than the context, without encoding more of it than shows
 * that.
 */
export async function encodeFitting(encoding: Encoding, model: LoadedModel): Promise<readonly number[]> {
  const { input } = encoding;
  const text = typeof input === 'string' ? input : input.map((part) => part.text).join('');
  await requireRoom(text, model);
  return await encodeApart(tokenizerOf(model), encoding);
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

/** With what ends a text in a hole, as in the editor. */
export function holeRequest(request: WireRequest, tokenizer: SpecialTokens): WireRequest {
  return {
    ...request,
    repetitionGuard: true,
    stopStrings: request.stopStrings?.map(withLf),
    stopTokenIds: [...fimEndTokenIds(tokenizer), ...request.stopTokenIds],
  };
}

/** Throws HttpError for a text that is longer than the context. */
export async function requireRoom(text: string, model: LoadedModel, field = 'prompt'): Promise<void> {
  const { maxPositionEmbeddings: context } = model.engine.config;
  for (let length = CHARACTERS_PER_TOKEN * context; length < text.length; length *= 2) {
    const begun = await encodeApart(tokenizerOf(model), { how: 'encodeText', input: text.slice(0, length) });
    if (begun.length >= context) throw tooLong(model, 'more', field);
  }
}

/** `field` is where the prompt comes from. */
export function requirePrompt(
  { promptIds, request: { sampling = {} } }: Choice,
  model: LoadedModel,
  field = 'prompt',
): void {
  const { vocabSize, maxPositionEmbeddings: context } = model.engine.config;
  if (promptIds.length === 0)
    throw wrong('at least one token in the prompt', 'none', 'send some text', field);
  if (promptIds.length >= context) throw tooLong(model, String(promptIds.length), field);
  const requireIds = (ids: readonly number[], from: string): void => {
    if (ids.every((id) => Number.isInteger(id) && id >= 0 && id < vocabSize)) return;
    const expected = `token ids below ${String(vocabSize)}`;
    throw wrong(expected, 'another', `use the tokenizer of ${model.info.target}`, from);
  };
  requireIds(promptIds, field);
  const { forbiddenTokens = [], logitBias = [] } = sampling;
  requireIds([...forbiddenTokens, ...logitBias.map(([id]) => id)], 'logit_bias');
}

export function tooLong({ engine }: LoadedModel, got: string, field: string): HttpError {
  const expected = `a prompt of fewer than ${String(engine.config.maxPositionEmbeddings)} tokens`;
  return wrong(expected, got, 'send less', field, 'context_length_exceeded');
}

function wrong(expected: string, got: string, remedy: string, param: string, code = 'invalid_value') {
  return new HttpError(400, `Expected ${expected}, got ${got}; ${remedy}`, { param, code });
}
