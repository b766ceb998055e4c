// Which model a remote engine serves, as /v1/models lists it.
import * as z from 'zod/mini';
import { parseJson } from '../rules/json';
import type { RemoteConnection } from './remoteConnection';
import { brokenAnswer, RemoteError } from './remoteError';

export interface ServedModel {
  readonly name: string;
  /** Undefined where the server does not say. */
  readonly contextTokens?: number | undefined;
  /** llama.cpp's server, which fills in at a path of its own. */
  readonly isLlama: boolean;
}

const TOKENS = z.catch(z.nullish(z.int().check(z.positive())), undefined);
const MODELS = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      owned_by: z.catch(z.nullish(z.string()), undefined),
      // vLLM and SGLang.
      max_model_len: TOKENS,
      // llama.cpp.
      meta: z.catch(z.nullish(z.object({ n_ctx: TOKENS })), undefined),
    }),
  ),
});
/** Names that an error repeats, and how much of each. */
const NAMED = 5;
const NAME_LENGTH = 80;

/** The model of that name; for an empty name the only one. Throws RemoteError unless there is one. */
export async function servedModel(connection: RemoteConnection, name: string): Promise<ServedModel> {
  const { address, party } = connection;
  const text = await connection.text(`${address.api}/models`, 'application/json', AbortSignal.any([]));
  const models = parseModels(text);
  if (models === undefined) throw brokenAnswer(party, 'a list of models', 'something else');
  const found =
    models.find(({ id }) => id === name) ?? (name === '' && models.length === 1 ? models[0] : undefined);
  if (found !== undefined)
    return {
      name: found.id,
      contextTokens: found.max_model_len ?? found.meta?.n_ctx ?? undefined,
      isLlama: found.owned_by === 'llamacpp',
    };
  const names = models.slice(0, NAMED).map(({ id }) => id.slice(0, NAME_LENGTH).replace(/\p{Cc}/gu, ' '));
  throw new RemoteError(
    name === '' ? `the name of a model at ${address.host}` : `the model ${name} at ${address.host}`,
    models.length === 0 ? 'none' : `${String(models.length)}: ${names.join(', ')}`,
    'name one of them as the remote model',
  );
}

function parseModels(text: string): z.infer<typeof MODELS>['data'] | undefined {
  try {
    return MODELS.parse(parseJson(text)).data;
  } catch {
    return undefined;
  }
}
