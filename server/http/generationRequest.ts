// One request for generated text: reads the body, waits for a turn and for the model, and answers with the generation.
import type * as z from 'zod/mini';
import { QueueTicket, type RequestKind } from '../engine/request/queueTicket';
import { isLocal, type LocalModel } from '../hosting/model';
import { eventStream } from './eventStream';
import type { Generation } from './generation';
import { GenerationRun } from './generationRun';
import { HttpError, withoutModel } from './httpError';
import { requireModel } from './modelEndpoints';
import { requirePrompt } from './promptEncoding';
import { requestBody, type HttpContext } from './requestBody';
import type { ServerOptions } from './serverOptions';
import type { ServerState } from './serverState';

/** A body that can name the model. */
export interface NamedModel {
  readonly model?: string | undefined;
}

export interface Endpoint<Body extends NamedModel> {
  /** Describes a body completely, so that a wrong one is refused without waiting. */
  readonly schema: z.ZodMiniType<Body>;
  /** Throws HttpError or UserError for a body that this model cannot answer. */
  readonly generation: (body: Body, model: LocalModel) => Promise<Generation>;
  /** Whether its requests come from editors, which do not wait in the queue. */
  readonly isForEditors?: boolean;
}

const EVENT_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
};

export class GenerationRequest<Body extends NamedModel> {
  readonly #ending = new AbortController();

  constructor(
    private readonly context: HttpContext,
    private readonly endpoint: Endpoint<Body>,
    private readonly options: ServerOptions,
    private readonly state: ServerState,
  ) {}

  /** Resolves with the response, whose events can still be running. */
  async respond(): Promise<Response> {
    const { context } = this;
    const { timeoutMs } = this.options;
    const { bodies, running, admission } = this.state;
    const body = await requestBody(context, bodies, this.endpoint.schema);
    const ending = this.#ending;
    const { signal } = ending;
    running.add(ending);
    const timer = setTimeout(() => ending.abort(timedOut(timeoutMs)), timeoutMs);
    const { outgoing } = context.env;
    // The client can have left while its body was checked; the close event does not come again.
    if (outgoing.destroyed) ending.abort(clientGone());
    // Also fires after the response, when there is nothing left to end.
    outgoing.once('close', () => ending.abort(clientGone()));
    return await new Promise<Response>((resolve, reject) => {
      signal.addEventListener('abort', () => {
        reject(signal.reason as Error);
      });
      void admission
        .run(this.#isFromEditor, signal, () => this.#runWithModel(body, resolve))
        .catch(reject)
        .finally(() => {
          clearTimeout(timer);
          running.delete(ending);
        });
    });
  }

  get #isFromEditor(): boolean {
    const isMarked = this.context.req.header('x-flashline-priority') === 'editor';
    return isMarked || this.endpoint.isForEditors === true;
  }

  /** Borrows the model, and counts the request as waiting for its output. */
  async #runWithModel(body: Body, onResponse: (response: Response) => void): Promise<void> {
    await useModel(this.options, async (model) => {
      this.#ending.signal.throwIfAborted();
      const end = model.begin?.();
      await this.#run(body, model, onResponse).finally(end);
    });
  }

  /** Responds, and resolves at the end of the output. */
  async #run(body: Body, model: LocalModel, onResponse: (response: Response) => void): Promise<void> {
    const { context, options } = this;
    const { signal } = this.#ending;
    if (options.strictModel) requireModel(body.model, model);
    const generation = await this.endpoint.generation(body, model);
    signal.throwIfAborted();
    for (const choice of generation.choices) requirePrompt(choice, model, generation.promptField);
    const ticket = new QueueTicket(requestKind(generation, this.#isFromEditor));
    const { draftLength } = options.models;
    const runContext = { engine: model.engine, ticket, signal, draftLength };
    const run = new GenerationRun(generation, runContext, this.state);
    if (!generation.stream) {
      onResponse(context.json(await run.answer()));
      return;
    }
    await new Promise<void>((onEnd) => {
      // A client that reads nothing is disconnected.
      const stream = eventStream(run.events(onEnd), () => context.env.outgoing.destroy());
      onResponse(context.body(stream, { headers: EVENT_HEADERS }));
    });
  }
}

/** Runs `work` with the loaded model. Throws HttpError if there is none, or it is a remote one. */
export function useModel<T>({ models }: ServerOptions, work: (model: LocalModel) => Promise<T>): Promise<T> {
  return models.use(async (model) => {
    if (model === undefined || !isLocal(model)) throw withoutModel(models.status.message);
    return await work(model);
  });
}

/** Returns the kind of a request, which sets its priority: requests that only read their prompt come last. */
function requestKind({ choices }: Generation, isEditor: boolean): RequestKind {
  if (choices.every(({ promptOnly }) => promptOnly)) return 'prefetch';
  return isEditor ? 'inline' : 'generate';
}

function timedOut(timeoutMs: number): HttpError {
  const message = `Timed out after ${String(timeoutMs / 1000)} s. Ask for fewer tokens.`;
  return new HttpError(504, message, { code: 'timeout' });
}

/** Creates the error of a closed connection, which ends the request; the client cannot receive it. */
function clientGone(): HttpError {
  return new HttpError(408, 'The client closed the connection.', { code: 'client_closed_request' });
}
