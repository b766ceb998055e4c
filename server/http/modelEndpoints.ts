// Answers about the model, as in llama.cpp: its properties by GET /v1/models and /props, its tokens and prompts by POST
// /tokenize, /detokenize and /apply-template.
import { isUtf8 } from 'node:buffer';
import { ReadableStream } from 'node:stream/web';
import * as z from 'zod/mini';
import type { LocalModel } from '../hosting/model';
import { encodeInTurns } from '../models/text/encodeInTurns';
import { yieldTurn } from '../machine/turns';
import { version } from '../machine/version';
import { CONVERSATION_FIELDS, conversationOf } from './conversation';
import { renderConversation } from './conversationPrompt';
import { HttpError, wrongField } from './httpError';
import { tokenizerOf } from './promptEncoding';
import { FLAG, IDS, TEXT } from './fieldSchemas';

/** Maximum number of entries formatted before the next yield: a few milliseconds of work. */
const ENTRIES_PER_TURN = 10_000;
/** Maximum number of tokens decoded before the next yield: one or two milliseconds of work while none is cached. */
const TOKENS_PER_TURN = 200;

export const TOKENIZE_BODY = z.object({
  content: TEXT,
  add_special: z._default(FLAG, false),
  parse_special: z._default(FLAG, true),
  with_pieces: z._default(FLAG, false),
});

/** Answers /tokenize. By default, special tokens written as text become tokens, and no start tokens are added. */
export async function tokenize(
  { content, add_special, parse_special, with_pieces }: z.infer<typeof TOKENIZE_BODY>,
  model: LocalModel,
): Promise<Response> {
  const tokenizer = tokenizerOf(model);
  const part = { text: content, from: parse_special ? 'template' : 'message' } as const;
  const textIds = await encodeInTurns(tokenizer, { method: 'encodeParts', input: [part] });
  const { ids: start } = tokenizer.textStart;
  const isStarted = start.every((id, i) => textIds[i] === id);
  const ids = add_special && !isStarted ? [...start, ...textIds] : textIds;
  if (!with_pieces) return tokenList(ids, (id) => id);
  // A token that is only part of a character has no text, so its bytes are sent.
  const piece = (id: number): string | number[] => {
    const bytes = tokenizer.bytes(id);
    return isUtf8(bytes) ? Buffer.from(bytes).toString() : [...bytes];
  };
  return tokenList(ids, (id) => ({ id, piece: piece(id) }));
}

/** Responds with an entry for each token, formatted in parts. */
function tokenList(ids: readonly number[], entry: (id: number) => unknown): Response {
  async function* json(): AsyncGenerator<string> {
    yield '{"tokens":[';
    for (let i = 0; i < ids.length; i += ENTRIES_PER_TURN) {
      yield (i === 0 ? '' : ',') + JSON.stringify(ids.slice(i, i + ENTRIES_PER_TURN).map(entry)).slice(1, -1);
      await yieldTurn();
    }
    yield ']}';
  }
  return jsonResponse(json());
}

/** Responds with JSON piece by piece: formatting megabytes in one go would block all other requests. */
function jsonResponse(json: AsyncGenerator<string>): Response {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    // Faster than Node.js' TextEncoderStream, which looks at each character.
    for await (const piece of json) yield Buffer.from(piece);
  }
  return new Response(ReadableStream.from(bytes()), { headers: { 'content-type': 'application/json' } });
}

export const DETOKENIZE_BODY = z.object({ tokens: IDS });

/** Answers /detokenize. Throws HttpError for an id outside the vocabulary. */
export function detokenize({ tokens }: z.infer<typeof DETOKENIZE_BODY>, model: LocalModel): Response {
  const { vocabSize } = model.engine.config;
  if (tokens.some((id) => id < 0 || id >= vocabSize))
    throw wrongField('tokens', `ids from 0 to ${String(vocabSize - 1)}`, tokens);
  const tokenizer = tokenizerOf(model);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const quoted = (text: string): string => JSON.stringify(text).slice(1, -1);
  async function* json(): AsyncGenerator<string> {
    yield '{"content":"';
    for (let i = 0; i < tokens.length; i += TOKENS_PER_TURN) {
      await yieldTurn();
      const bytes = tokens.slice(i, i + TOKENS_PER_TURN).map((id) => tokenizer.bytes(id));
      yield quoted(decoder.decode(Buffer.concat(bytes), { stream: true }));
    }
    yield `${quoted(decoder.decode())}"}`;
  }
  return jsonResponse(json());
}

export const TEMPLATE_BODY = z.object(CONVERSATION_FIELDS);

/** Answers /apply-template: the prompt of a chat as text. */
export async function applyTemplate(body: z.infer<typeof TEMPLATE_BODY>, model: LocalModel): Promise<object> {
  const parts = await renderConversation(await conversationOf(body), model);
  await yieldTurn();
  return { prompt: parts.map(({ text }) => text).join('') };
}

/** Answers /props. `totalSlots` is the number of requests that decode at a time. */
export function props({ info, engine }: LocalModel, totalSlots: number): object {
  const { maxPositionEmbeddings: context } = engine.config;
  return {
    default_generation_settings: {
      n_ctx: context,
      speculative: info.maxDraftTokens > 0,
      params: { n_predict: -1, temperature: 0, top_k: 0, top_p: 1, min_p: 0, seed: -1, stop: [] },
    },
    total_slots: totalSlots,
    model_alias: info.target,
    model_path: info.target,
    modalities: { vision: false, audio: false },
    is_sleeping: false,
    chat_template: engine.chatTemplateText ?? '',
    build_info: `flashline ${version()}`,
    n_ctx_train: context,
    flashline: info,
  };
}

/** Returns the entry of GET /v1/models. `startedAt` is when the server started, in seconds since 1970. */
export function modelEntry({ info, engine }: LocalModel, startedAt: number) {
  return {
    id: info.target,
    object: 'model',
    created: startedAt,
    owned_by: 'flashline',
    // vLLM's field.
    max_model_len: engine.config.maxPositionEmbeddings,
    // llama.cpp's field.
    meta: {
      n_vocab: engine.config.vocabSize,
      n_ctx: engine.config.maxPositionEmbeddings,
      n_ctx_train: engine.config.maxPositionEmbeddings,
    },
  };
}

/** Throws HttpError if a request names another model than the one that is served. */
export function requireModel(name: string | undefined, { info }: LocalModel): void {
  if (name === undefined || name === '' || name === info.target) return;
  const message = `This server has no other model than "${info.target}". See GET /v1/models, or leave the model out.`;
  throw new HttpError(404, message, { param: 'model', code: 'model_not_found' });
}
