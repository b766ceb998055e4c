// Answers the endpoints that generate: reads the body, waits for a turn and for the model, and runs the generation.
import type * as z from 'zod/mini';
import type { DraftLength } from '../engine/decode/decode';
import { QueuePlace, type RequestKind } from '../engine/request/queuePlace';
import type { LoadedModel } from '../hosting/loadedModel';
import type { StatusParams } from '../protocol/messages';
import { Refused, type Admission } from './admission';
import { EVENT_HEADERS, EventStream } from './eventStream';
import { streamAnswer, wholeAnswer, type Generation, type Run } from './generation';
import { HttpError, withoutModel } from './httpError';
import type { Metrics } from './metrics';
import { requirePrompt } from './promptCheck';
import { requireModel } from './modelFields';
import type { BodyReader } from './bodyReader';
import { requestBody, type HttpContext } from './requestBody';
import type { SharedDecodes } from './sharedDecodes';

/** The models, as a lease gives them: loaded if necessary, kept while `work` runs, undefined if that failed. */
export interface Models {
  use<T>(work: (model: LoadedModel | undefined) => Promise<T>): Promise<T>;
}

export interface GeneratingParts {
  readonly models: Models;
  /** What the models are doing. */
  readonly status: () => StatusParams;
  readonly admission: Admission;
  readonly metrics: Metrics;
  readonly shared: SharedDecodes;
  readonly bodies: BodyReader;
  /** Whether a request for a model of another name is refused, instead of being answered by the one that there is. */
  readonly strictModel: boolean;
  readonly timeoutMs: number;
  /** How many drafts are verified per round. */
  readonly draftLength: DraftLength;
  /** Of the requests that are not answered yet: each aborts with an error that says why it ends early. */
  readonly lives: Set<AbortController>;
  /** For defects: never any text of a request. */
  readonly onDefect: (error: unknown) => void;
}

/** What an endpoint makes of a body. Throws HttpError or InputError for one that this model cannot answer. */
type Endpoint<Asked> = (asked: Asked, model: LoadedModel, wantsStats: boolean) => Promise<Generation>;

/** Seconds after which a client that was refused may try again: the time of a short output. */
const RETRY_AFTER = '2';

/** `schema` says everything about a body, so that a wrong one waits for nothing. */
export function generating<Asked extends { readonly model?: string | undefined }>(
  parts: GeneratingParts,
  schema: z.ZodMiniType<Asked>,
  endpoint: Endpoint<Asked>,
  isForEditors = false,
) {
  const { shared } = parts;
  return async (context: HttpContext): Promise<Response> => {
    const { req, env } = context;
    const isEditor = isForEditors || req.header('x-flashline-priority') === 'editor';
    const wantsStats = req.header('x-flashline-stats') !== 'off';
    const asked = await requestBody(context, parts.bodies, schema);
    const life = new AbortController();
    parts.lives.add(life);
    const late = setTimeout(() => life.abort(tooLate(parts.timeoutMs)), parts.timeoutMs);
    // Also comes after the answer, when there is nothing left to end.
    env.outgoing.once('close', () => life.abort(clientGone()));
    return await new Promise<Response>((resolve, reject) => {
      life.signal.addEventListener('abort', () => {
        reject(life.signal.reason as Error);
      });
      const serve = async (model: LoadedModel): Promise<void> => {
        if (parts.strictModel) requireModel(asked.model, model);
        const generation = await endpoint(asked, model, wantsStats);
        life.signal.throwIfAborted();
        for (const choice of generation.choices) requirePrompt(choice, model, generation.promptField);
        const run: Run = {
          engine: model.engine,
          shared,
          place: new QueuePlace(kindOf(generation, isEditor)),
          draftLength: parts.draftLength,
          signal: life.signal,
          onResult: (result) => {
            parts.metrics.decoded(result);
          },
        };
        if (!generation.stream) {
          resolve(context.json(await wholeAnswer(generation, run)));
          return;
        }
        const events = new EventStream();
        resolve(context.body(events.body, { headers: EVENT_HEADERS }));
        await streamAnswer(generation, run, events, parts.onDefect);
      };
      void inTurn(parts, isEditor, life.signal, serve)
        .catch(reject)
        .finally(() => {
          clearTimeout(late);
          parts.lives.delete(life);
        });
    });
  };
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

async function inTurn(
  { admission, models, status }: GeneratingParts,
  isEditor: boolean,
  signal: AbortSignal,
  serve: (model: LoadedModel) => Promise<void>,
): Promise<void> {
  const leave = await admission.enter(isEditor, signal).catch((error: unknown) => {
    throw error instanceof Refused ? tooMany() : error;
  });
  try {
    await models.use(async (model) => {
      signal.throwIfAborted();
      if (model === undefined) throw withoutModel(status().message);
      const end = model.begin?.();
      await serve(model).finally(end);
    });
  } finally {
    leave();
  }
}

function tooMany(): HttpError {
  return new HttpError(429, `The queue is full; try again in ${RETRY_AFTER} s`, {
    code: 'queue_full',
    headers: { 'retry-after': RETRY_AFTER },
  });
}
