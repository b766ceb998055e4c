// Routes of the HTTP server, with access checks, error responses, counters and the log for all of them.
import { Hono } from 'hono';
import type * as z from 'zod/mini';
import type { HttpBindings } from '@hono/node-server';
import type { LocalModel } from '../hosting/model';
import { checkAccess } from './access';
import { CHAT_COMPLETIONS } from './chatCompletions';
import { COMPLETIONS } from './completions';
import { type Endpoint, GenerationRequest, type NamedModel, useModel } from './generationRequest';
import { errorBody, HttpError, httpError, withoutModel } from './httpError';
import { FIM_COMPLETIONS, INFILL } from './infill';
import { LLAMA_COMPLETION } from './llamaCompletion';
import {
  applyTemplate,
  detokenize,
  DETOKENIZE_BODY,
  modelEntry,
  props,
  requireModel,
  TEMPLATE_BODY,
  TOKENIZE_BODY,
  tokenize,
} from './modelEndpoints';
import { requestBody, type HttpContext } from './requestBody';
import type { ServerOptions } from './serverOptions';
import { ServerState } from './serverState';

/** The JSON of an answer, or a Response for one that is streamed. */
type Answer = object | Promise<object>;

export class HttpApp {
  readonly hono = new Hono<{ Bindings: HttpBindings }>();
  readonly #startedAt = Math.floor(Date.now() / 1000);
  readonly #state: ServerState;
  /** Methods by path. */
  readonly #routes = new Map<string, string[]>();

  constructor(private readonly options: ServerOptions) {
    this.#state = new ServerState(options);
    this.#logResponses();
    checkAccess(this.hono, options.access);
    this.#answerErrors();
    this.#addGenerationRoutes();
    this.#addModelRoutes();
    this.#addStatusRoutes();
    for (const { path, method } of this.hono.routes)
      if (path !== '/*') this.#routes.set(path, [...(this.#routes.get(path) ?? []), method]);
  }

  /** Ends all requests for generated text, also those whose answer has begun. */
  abort(reason: HttpError): void {
    for (const request of this.#state.running) request.abort(reason);
  }

  #logResponses(): void {
    this.hono.use(async (context, next) => {
      const startedAt = performance.now();
      await next();
      const { method, path } = context.req;
      const route = this.#routes.has(path) ? path : 'other';
      const { status } = context.res;
      this.#state.metrics.countRequest(route, status);
      const ms = (performance.now() - startedAt).toFixed(0);
      this.options.logRequest?.(`${method} ${route} ${String(status)} ${ms} ms`);
    });
  }

  #answerErrors(): void {
    this.hono.onError((error, context) => {
      const answer = httpError(error);
      if (answer.status === 500) this.#state.onDefect(error);
      return context.json(errorBody(answer), answer.status, answer.details.headers);
    });
    this.hono.notFound(({ req }) => {
      const methods = this.#routes.get(req.path);
      throw methods === undefined ? unknownPath([...this.#routes.keys()]) : wrongMethod(methods);
    });
  }

  #addGenerationRoutes(): void {
    const { hono } = this;
    hono.on('POST', withV1('/completions'), (context) => this.#generate(context, COMPLETIONS));
    hono.on('POST', withV1('/chat/completions'), (context) => this.#generate(context, CHAT_COMPLETIONS));
    hono.on('POST', withV1('/fim/completions'), (context) => this.#generate(context, FIM_COMPLETIONS));
    hono.post('/completion', (context) => this.#generate(context, LLAMA_COMPLETION));
    hono.post('/infill', (context) => this.#generate(context, INFILL));
  }

  #addModelRoutes(): void {
    const { hono } = this;
    hono.post('/tokenize', (context) => this.#answerBody(context, TOKENIZE_BODY, tokenize));
    hono.post('/detokenize', (context) => this.#answerBody(context, DETOKENIZE_BODY, detokenize));
    hono.post('/apply-template', (context) => this.#answerBody(context, TEMPLATE_BODY, applyTemplate));
    hono.get('/props', (context) =>
      this.#answer(context, (model) => props(model, this.options.limits.running)),
    );
    hono.on('GET', withV1('/models'), (context) =>
      this.#answer(context, (model) => ({ object: 'list', data: [modelEntry(model, this.#startedAt)] })),
    );
    hono.get('/v1/models/:id{.+}', (context) =>
      this.#answer(context, (model) => {
        requireModel(context.req.param('id'), model);
        return modelEntry(model, this.#startedAt);
      }),
    );
  }

  #addStatusRoutes(): void {
    const { registry } = this.#state.metrics;
    this.hono.on('GET', withV1('/health'), (context) => {
      const { state, message } = this.options.models.status;
      if (state === 'loading' || state === 'starting' || state === 'error')
        throw withoutModel(message ?? 'The model is still loading. Try again later.');
      return context.json({ status: 'ok' });
    });
    this.hono.get('/metrics', async (context) => {
      context.header('content-type', registry.contentType);
      return context.body(await registry.metrics());
    });
  }

  async #generate<Body extends NamedModel>(
    context: HttpContext,
    endpoint: Endpoint<Body>,
  ): Promise<Response> {
    return await new GenerationRequest(context, endpoint, this.options, this.#state).respond();
  }

  /** Answers with a property of the model, without decoding. */
  async #answer(context: HttpContext, answer: (model: LocalModel) => Answer): Promise<Response> {
    const body = await useModel(this.options, async (model) => await answer(model));
    return body instanceof Response ? body : context.json(body);
  }

  /** Answers as `#answer` does, to a request with a body. */
  async #answerBody<T extends z.ZodMiniType>(
    context: HttpContext,
    schema: T,
    answer: (body: z.infer<T>, model: LocalModel) => Answer,
  ): Promise<Response> {
    const body = await requestBody(context, this.#state.bodies, schema);
    return await this.#answer(context, (model) => answer(body, model));
  }
}

/** Returns both names of a path: OpenAI's and llama.cpp's clients differ in the prefix. */
function withV1(path: string): string[] {
  return [`/v1${path}`, path];
}

/** Creates the error for an unknown path, which lists the known ones, without the second name of a path. */
function unknownPath(paths: readonly string[]): HttpError {
  const listed = paths.filter((path) => !path.includes(':') && !paths.includes(`/v1${path}`));
  const message = `No such path. This server has ${listed.join(', ')}.`;
  return new HttpError(404, message, { code: 'not_found' });
}

function wrongMethod(methods: readonly string[]): HttpError {
  const allow = methods.join(', ');
  const message = `Method not allowed. Use ${allow} for this path.`;
  return new HttpError(405, message, { code: 'method_not_allowed', headers: { allow } });
}
