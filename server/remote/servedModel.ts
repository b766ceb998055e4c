// The model that a remote engine serves, from its /v1/models.
import * as z from 'zod/mini';
import { parseJson } from '../rules/json';
import type { RemoteConnection } from './remoteConnection';
import { RemoteError, brokenAnswer } from './remoteError';

/** Context length (tokens) if the server does not report it. */
const USUAL_CONTEXT = 4096;

const TOKENS = z.catch(z.nullish(z.int().check(z.positive())), undefined);
const MODELS = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      owned_by: z.catch(z.nullish(z.string()), undefined),
      // Field of vLLM and SGLang.
      max_model_len: TOKENS,
      // Field of llama.cpp.
      meta: z.catch(z.nullish(z.object({ n_ctx: TOKENS })), undefined),
    }),
  ),
});
/** Maximum number of model names in an error, and of characters of each. */
const MAX_NAMES = 5;
const MAX_NAME_LENGTH = 80;

export interface ServedModel {
  readonly name: string;
  readonly contextTokens: number;
  /** Whether the server is llama.cpp's, which fills in at another path. */
  readonly isLlama: boolean;
}

/**
 * Finds the model of that name, or the only one for an empty name. Throws RemoteError if the server cannot be used or
 * has no such model.
 */
export async function servedModel(connection: RemoteConnection, name: string): Promise<ServedModel> {
  const { address, context } = connection;
  const models = parseModels(await connection.jsonText(`${address.api}/models`));
  if (models === undefined) throw brokenAnswer(context, 'sent no list of models');
  const found =
    models.find(({ id }) => id === name) ?? (name === '' && models.length === 1 ? models[0] : undefined);
  if (found !== undefined)
    return {
      name: found.id,
      contextTokens: found.max_model_len ?? found.meta?.n_ctx ?? USUAL_CONTEXT,
      isLlama: found.owned_by === 'llamacpp',
    };
  const names = models
    .slice(0, MAX_NAMES)
    .map(({ id }) => id.slice(0, MAX_NAME_LENGTH).replace(/\p{Cc}/gu, ' '));
  if (models.length === 0) throw new RemoteError(`${address.host} serves no model. Load one there.`);
  const problem = name === '' ? 'serves several models' : `does not have the model ${name}`;
  const remedy = `Name one of its ${String(models.length)} models as the remote model: ${names.join(', ')}.`;
  throw new RemoteError(`${address.host} ${problem}. ${remedy}`);
}

function parseModels(text: string): z.infer<typeof MODELS>['data'] | undefined {
  try {
    return MODELS.parse(parseJson(text)).data;
  } catch {
    return undefined;
  }
}
