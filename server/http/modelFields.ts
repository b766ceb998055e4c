// The model fields of requests and answers: what is asked of a model, and what is said about it.
import type { LoadedModel } from '../hosting/loadedModel';
import { HttpError } from './httpError';

/** Throws HttpError if a request names another model than the one that is served, where names are to be right. */
export function requireModel(name: string | undefined, { info }: LoadedModel): void {
  if (name === undefined || name === '' || name === info.target) return;
  const message = `Expected the model "${info.target}", got another name; see GET /v1/models, or leave the model out`;
  throw new HttpError(404, message, { param: 'model', code: 'model_not_found' });
}

/** Throws HttpError for a model that came without a tokenizer. */
export function tokenizerOf({ engine, info }: LoadedModel): NonNullable<LoadedModel['engine']['tokenizer']> {
  if (engine.tokenizer) return engine.tokenizer;
  const message = `Expected a model with a tokenizer, got ${info.target}, which has none; add its tokenizer.json`;
  throw new HttpError(501, message, { code: 'not_supported' });
}

/** An entry of GET /v1/models. */
export function modelEntry({ info, engine }: LoadedModel, startedAt: number) {
  return {
    id: info.target,
    object: 'model',
    created: startedAt,
    owned_by: 'flashline',
    // As vLLM says it.
    max_model_len: engine.config.maxPositionEmbeddings,
    // As llama.cpp says it.
    meta: {
      n_vocab: engine.config.vocabSize,
      n_ctx: engine.config.maxPositionEmbeddings,
      n_ctx_train: engine.config.maxPositionEmbeddings,
    },
  };
}
