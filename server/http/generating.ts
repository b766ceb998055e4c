// Answers the endpoints that generate: reads the body, waits for a turn and for the model, and runs the generation.
import type * as z from 'zod/mini';
import { QueueTicket, type RequestKind } from '../engine/request/queueTicket';
import { isLocal, type LocalModel } from '../hosting/model';
import type { Lease } from '../hosting/lease';
import type { StatusParams } from '../protocol/messages';
import type { Admission } from './sharedDecodes';
import { type BodyReader, requestBody, type HttpContext } from './requestBody';
import { eventStream, streamAnswer, wholeAnswer, type Generation, type RunParts } from './generation';
import { HttpError, withoutModel } from './httpError';
import { requireModel } from './modelFields';
import { requirePrompt } from './conversation';

export interface GeneratingParts extends RunParts {
  readonly models: Pick<Lease, 'use'>;
  /** What the models are doing. */
  readonly status: () => StatusParams;
  readonly admission: Admission;
  readonly bodies: BodyReader;
  /** Whether a request must name the model that is served, if it names one; by default any name will do. */
  readonly strictModel?: boolean;
  readonly timeoutMs: number;
  /** Of the requests that are not answered yet: each aborts with an error that says why it ends early. */
  readonly lives: Set<AbortController>;
}

const EVENT_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
};

/** What an endpoint makes of a body. Throws HttpError or InputError for one that this model cannot answer. */
type Endpoint<Asked> = (asked: Asked, model: LocalModel) => Promise<Generation>;

/** `schema` says everything about a body, so that a wrong one waits for nothing. */
export function generating<Asked extends { readonly model?: string | undefined }>(
  parts: GeneratingParts,
  schema: z.ZodMiniType<Asked>,
  endpoint: Endpoint<Asked>,
  isForEditors = false,
) {
  return async (context: HttpContext): Promise<Response> => {
    const { req, env } = context;
    const isEditor = isForEditors || req.header('x-flashline-priority') === 'editor';
    const wantsStats = req.header('x-flashline-stats') !== 'off';
    const asked = await requestBody(context, parts.bodies, schema);
    const life = new AbortController();
    const { signal } = life;
    parts.lives.add(life);
    const late = setTimeout(() => life.abort(tooLate(parts.timeoutMs)), parts.timeoutMs);
    // Also comes after the answer, when there is nothing left to end.
    env.outgoing.once('close', () => life.abort(clientGone()));
    return await new Promise<Response>((resolve, reject) => {
      signal.addEventListener('abort', () => {
        reject(signal.reason as Error);
      });
      const serve = async (model: LocalModel): Promise<void> => {
        if (parts.strictModel) requireModel(asked.model, model);
        const generation = await endpoint(asked, model);
        signal.throwIfAborted();
        for (const choice of generation.choices) requirePrompt(choice, model, generation.promptField);
        const ticket = new QueueTicket(kindOf(generation, isEditor));
        const run = { ...parts, engine: model.engine, ticket, signal, wantsStats };
        if (!generation.stream) {
          resolve(context.json(await wholeAnswer(generation, run)));
          return;
        }
        await new Promise<void>((end) => {
          // The connection of a client that does not read.
          const body = eventStream(streamAnswer(generation, run, end), () => env.outgoing.destroy());
          resolve(context.body(body, { headers: EVENT_HEADERS }));
        });
      };
      const inTurn = (): Promise<void> =>
        useModel(parts, async (model) => {
          signal.throwIfAborted();
          const end = model.begin?.();
          await serve(model).finally(end);
        });
      void parts.admission
        .run(isEditor, signal, inTurn)
        .catch(reject)
        .finally(() => {
          clearTimeout(late);
          parts.lives.delete(life);
        });
    });
  };
}

/** Throws HttpError where no model of this machine is loaded. */
export function useModel<T>(
  { models, status }: Pick<GeneratingParts, 'models' | 'status'>,
  work: (model: LocalModel) => Promise<T>,
): Promise<T> {
  return models.use(async (model) => {
    if (model === undefined || !isLocal(model)) throw withoutModel(status().message);
    return await work(model);
  });
}

/** Reading alone waits for everybody. */
function kindOf({ choices }: Generation, isEditor: boolean): RequestKind {
  if (choices.every(({ promptOnly }) => promptOnly)) return 'prefetch';
  return isEditor ? 'inline' : 'generate';
}

function tooLate(timeoutMs: number): HttpError {
  const message = `Expected an answer within ${String(timeoutMs / 1000)} s, got none; ask for less`;
  return new HttpError(504, message, { code: 'timeout' });
}

/** Nobody reads it; its status is for the log. */
function clientGone(): HttpError {
  return new HttpError(408, 'The client closed the connection', { code: 'client_closed_request' });
}
