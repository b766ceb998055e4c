// Encodes prompts, and refuses those that the model cannot take: before anything is streamed, as the status of a
// response cannot change afterwards.
import { FillInPrompt, type FillIn, type Hole } from '../completion/prompt/fillIn';
import { fimForm } from '../completion/prompt/fimForm';
import { withLf } from '../completion/prompt/lineEnds';
import type { LocalModel } from '../hosting/model';
import { encodeInTurns } from '../models/text/encodeInTurns';
import type { Encoding } from '../models/text/encodingThread';
import type { Choice } from './generation';
import { HttpError } from './httpError';
import type { WireRequest } from './wireRequest';

/** Approximate characters per token in ordinary text. */
const CHARACTERS_PER_TOKEN = 4;

/** Returns the tokenizer of a model. Throws HttpError for a model that came without one. */
export function tokenizerOf({ engine, info }: LocalModel): NonNullable<LocalModel['engine']['tokenizer']> {
  if (engine.tokenizer) return engine.tokenizer;
  const message = `The model ${info.target} has no tokenizer. Add its tokenizer.json.`;
  throw new HttpError(501, message, { code: 'not_supported' });
}

/** Encodes a prompt. Throws HttpError as `requireRoom` does; `requirePrompt` finds the other ones that are too long. */
export async function encodeFitting(encoding: Encoding, model: LocalModel): Promise<readonly number[]> {
  const { input } = encoding;
  const text = typeof input === 'string' ? input : input.map((part) => part.text).join('');
  await requireRoom(text, model);
  return await encodeInTurns(tokenizerOf(model), encoding);
}

/** Encodes the prompt for a gap between two texts. Throws HttpError for a model that cannot fill in. */
export async function encodeHole(hole: Hole, model: LocalModel, maxTokens: number): Promise<FillIn> {
  const { engine, info } = model;
  const { maxPositionEmbeddings: contextTokens } = engine.config;
  const tokenizer = tokenizerOf(model);
  const prompt = new FillInPrompt(hole, { tokenizer, contextTokens }, maxTokens);
  // Encodes the texts in turns, so that `build` finds their ids in the tokenizer's cache and blocks no other request.
  const hasForm = fimForm(tokenizer) !== undefined;
  for (const text of hasForm ? prompt.texts : [])
    await encodeInTurns(tokenizer, { method: 'encodeText', input: text });
  const filled = prompt.build();
  if (filled) return filled;
  const message = `The model ${info.target} has no fill-in-the-middle tokens. Use another model, or /v1/completions without a suffix.`;
  throw new HttpError(501, message, { code: 'not_supported' });
}

/** Adds the repetition guard to a request, as in the editor. Its stop strings get \n as line end, like the prompt. */
export function holeRequest(request: WireRequest): WireRequest {
  return { ...request, repetitionGuard: true, stopStrings: request.stopStrings?.map(withLf) };
}

/**
 * Throws HttpError for a text of which a part already fills the context, without encoding the rest. Does not check
 * texts short enough to be encoded whole, although they can have too many tokens.
 */
export async function requireRoom(text: string, model: LocalModel, field = 'prompt'): Promise<void> {
  const { maxPositionEmbeddings: context } = model.engine.config;
  for (let length = CHARACTERS_PER_TOKEN * context; length < text.length; length *= 2) {
    const firstIds = await encodeInTurns(tokenizerOf(model), {
      method: 'encodeText',
      input: text.slice(0, length),
    });
    if (firstIds.length >= context) throw tooLong(model, 'more', field);
  }
}

/**
 * Throws HttpError for a prompt that is empty or too long, and for token ids outside the vocabulary, in the prompt or
 * in the sampling options. `field` is the request field that the prompt comes from.
 */
export function requirePrompt(
  { promptIds, request: { sampling = {} } }: Choice,
  model: LocalModel,
  field = 'prompt',
): void {
  const { vocabSize, maxPositionEmbeddings: context } = model.engine.config;
  if (promptIds.length === 0) throw invalid('The prompt has no tokens. Send some text.', field);
  if (promptIds.length >= context) throw tooLong(model, String(promptIds.length), field);
  const requireIds = (ids: readonly number[], idField: string): void => {
    if (ids.every((id) => Number.isInteger(id) && id >= 0 && id < vocabSize)) return;
    const message = `The token ids must be whole numbers from 0 to ${String(vocabSize - 1)}.`;
    throw invalid(`${message} Use the tokenizer of ${model.info.target}.`, idField);
  };
  requireIds(promptIds, field);
  const { forbiddenTokens = [], logitBias = [] } = sampling;
  requireIds([...forbiddenTokens, ...logitBias.map(([id]) => id)], 'logit_bias');
}

/** Creates the error for a prompt that is too long. `got` is its number of tokens, or "more" if uncounted. */
export function tooLong({ engine }: LocalModel, got: string, field: string): HttpError {
  const limit = String(engine.config.maxPositionEmbeddings);
  const message = `Expected a prompt of fewer than ${limit} tokens, got ${got}; send less`;
  return invalid(message, field, 'context_length_exceeded');
}

function invalid(message: string, param: string, code = 'invalid_value'): HttpError {
  return new HttpError(400, message, { param, code });
}
