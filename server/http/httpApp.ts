// The routes, and what all of them share: who may ask, how errors look, what is counted and logged.
import { Hono, type HonoRequest, type MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import type * as z from 'zod/mini';
import type { HttpBindings } from '@hono/node-server';
import type { LocalModel } from '../hosting/model';
import { failureLine } from '../rules/inputError';
import { Admission, type AdmissionLimits, SharedDecodes } from './sharedDecodes';
import { BodyReader, requestBody, type HttpContext } from './requestBody';
import { CHAT_BODY, chatCompletions } from './chatCompletions';
import { COMPLETION_BODY, completions } from './completions';
import { generating, useModel, type GeneratingParts } from './generating';
import { errorBody, HttpError, httpError, withoutModel } from './httpError';
import { FIM_BODY, fimCompletions, infill, INFILL_BODY } from './infill';
import { LLAMA_BODY, llamaCompletion } from './llamaCompletion';
import { Metrics } from './metrics';
import {
  applyTemplate,
  detokenize,
  IDS_BODY,
  modelEntry,
  props,
  requireModel,
  TEMPLATE_BODY,
  TEXT_BODY,
  tokenize,
} from './modelFields';
import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';

export interface HttpAppOptions extends Pick<
  GeneratingParts,
  'models' | 'status' | 'strictModel' | 'timeoutMs' | 'draftLength'
> {
  readonly access: Access;
  readonly limits: AdmissionLimits;
  readonly maxBodyBytes: number;
  /** One line; never any text of a request. */
  readonly log: (line: string) => void;
}

/** A page on the internet asks before it reaches a private address (https://wicg.github.io/private-network-access/). */
const allowPrivateNetwork: MiddlewareHandler = async (context, next) => {
  if (
    context.req.method === 'OPTIONS' &&
    context.req.header('access-control-request-private-network') === 'true'
  )
    context.header('access-control-allow-private-network', 'true');
  await next();
};

/** Monitors ask these without a key; they tell nothing but that the server is there. */
const PUBLIC = ['/health', '/v1/health'];

/** `lives` gets those of the requests that are not answered yet. */
// eslint-disable-next-line max-lines-per-function -- the list of routes
export function httpApp(options: HttpAppOptions, lives: Set<AbortController>) {
  const app = new Hono<{ Bindings: HttpBindings }>();
  const startedAt = Math.floor(Date.now() / 1000);
  /** Methods by path, filled below once all routes are defined. */
  const routes = new Map<string, string[]>();
  const { log, status } = options;
  const admission = new Admission(options.limits);
  const metrics = new Metrics(admission);
  const parts: GeneratingParts = {
    ...options,
    admission,
    metrics,
    lives,
    bodies: new BodyReader(options.maxBodyBytes),
    shared: new SharedDecodes(),
    onDefect: (error) => {
      log(failureLine('a request', error));
    },
  };
  app.use(async (context: HttpContext, next) => {
    const began = performance.now();
    await next();
    const { method, path } = context.req;
    const known = routes.has(path) ? path : 'other';
    metrics.answered(known, context.res.status);
    log(`${method} ${known} ${String(context.res.status)} ${(performance.now() - began).toFixed(0)} ms`);
  });
  const { hosts, corsOrigins: origins, apiKey } = options.access;
  app.use(async ({ req }, next) => {
    requireHost(req, hosts);
    requireOrigin(req, origins);
    await next();
  });
  if (origins.length > 0) {
    app.use(allowPrivateNetwork);
    app.use(
      cors({
        origin: origins.includes('*') ? '*' : [...origins],
        allowMethods: ['GET', 'POST'],
        maxAge: 600,
      }),
    );
  }
  app.use(async ({ req }, next) => {
    if (!PUBLIC.includes(req.path)) requireKey(req, apiKey);
    await next();
  });
  app.onError((error, context) => {
    const answer = httpError(error);
    if (answer.status === 500) parts.onDefect(error);
    return context.json(errorBody(answer), answer.status, answer.details.headers);
  });
  app.notFound(({ req }) => {
    const known = routes.get(req.path);
    throw known === undefined ? noSuchPath([...routes.keys()]) : otherMethod(known);
  });

  const withV1 = (path: string) => [`/v1${path}`, path];
  app.on('POST', withV1('/completions'), generating(parts, COMPLETION_BODY, completions));
  app.on('POST', withV1('/chat/completions'), generating(parts, CHAT_BODY, chatCompletions));
  app.on('POST', withV1('/fim/completions'), generating(parts, FIM_BODY, fimCompletions, true));
  app.post('/completion', generating(parts, LLAMA_BODY, llamaCompletion));
  app.post('/infill', generating(parts, INFILL_BODY, infill, true));
  /** For what the model knows without decoding. */
  const told = (answer: (model: LocalModel, context: HttpContext) => object | Promise<object>) => {
    return async (context: HttpContext): Promise<Response> => {
      const body = await useModel(parts, async (model) => await answer(model, context));
      return body instanceof Response ? body : context.json(body);
    };
  };
  const asked =
    <T extends z.ZodMiniType>(
      schema: T,
      answer: (body: z.infer<T>, model: LocalModel) => object | Promise<object>,
    ) =>
    async (context: HttpContext): Promise<Response> => {
      const body = await requestBody(context, parts.bodies, schema);
      return await told((model) => answer(body, model))(context);
    };
  app.post('/tokenize', asked(TEXT_BODY, tokenize));
  app.post('/detokenize', asked(IDS_BODY, detokenize));
  app.post('/apply-template', asked(TEMPLATE_BODY, applyTemplate));
  app.get(
    '/props',
    told((model) => props(model, options.limits.running)),
  );
  app.on(
    'GET',
    withV1('/models'),
    told((model) => ({ object: 'list', data: [modelEntry(model, startedAt)] })),
  );
  app.get(
    '/v1/models/:id{.+}',
    told((model, { req }) => {
      requireModel(req.param('id'), model);
      return modelEntry(model, startedAt);
    }),
  );
  app.on('GET', withV1('/health'), (context) => {
    const { state, message } = status();
    if (state === 'loading' || state === 'starting' || state === 'error')
      throw withoutModel(message ?? 'Expected a loaded model, got one that is being loaded; wait');
    return context.json({ status: 'ok' });
  });
  app.get('/metrics', async (context) => {
    context.header('content-type', metrics.registry.contentType);
    return context.body(await metrics.registry.metrics());
  });
  for (const { path, method } of app.routes)
    if (path !== '/*' && path !== '*') routes.set(path, [...(routes.get(path) ?? []), method]);
  return app;
}

/** Those that are there under two names are named once. */
function noSuchPath(paths: readonly string[]): HttpError {
  const named = paths.filter((path) => !path.includes(':') && !paths.includes(`/v1${path}`));
  const message = `Expected a path of this server, got another; there are ${named.join(', ')}`;
  return new HttpError(404, message, { code: 'not_found' });
}

function otherMethod(methods: readonly string[]): HttpError {
  const allow = methods.join(', ');
  const message = `Expected ${allow} for this path, got another method; use that`;
  return new HttpError(405, message, { code: 'method_not_allowed', headers: { allow } });
}

// Who may talk to the server: a program that reaches it under a name of its own (a web page that makes its own name
// point here does not), a page only from a named origin, and where a key is set, only who has it.

export interface Access {
  /** Names of this machine in addition to localhost and addresses. */
  readonly hosts: readonly string[];
  readonly apiKey?: string | undefined;
  /** Origins of web pages that may read answers, or '*' for all. */
  readonly corsOrigins: readonly string[];
}

/** An address cannot be made to point elsewhere, and other names must be known. */
function requireHost(req: HonoRequest, hosts: readonly string[]): void {
  const [, bracketed, plain = ''] =
    /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec((req.header('host') ?? '').toLowerCase()) ?? [];
  const name = bracketed ?? plain;
  if (name === 'localhost' || isIP(name) > 0 || hosts.includes(name)) return;
  const message =
    'Expected a Host that this server is known under, got another; use its address, or start it with --allow-host';
  throw new HttpError(403, message, { code: 'host_not_allowed' });
}

function requireOrigin(req: HonoRequest, origins: readonly string[]): void {
  const origin = req.header('origin');
  if (origin === undefined || origins.includes('*') || origins.includes(origin)) return;
  const message = 'Expected a web page of a named origin, got another; start the server with --cors-origin';
  throw new HttpError(403, message, { code: 'origin_not_allowed' });
}

function requireKey(req: HonoRequest, apiKey: string | undefined): void {
  if (apiKey === undefined) return;
  const [, given = ''] = /^Bearer\s+(.*)$/i.exec(req.header('authorization') ?? '') ?? [];
  // In a time that does not depend on where they differ, nor on their lengths.
  if (timingSafeEqual(digest(given), digest(apiKey))) return;
  const message =
    'Expected the API key of this server, got none or another; send it as "Authorization: Bearer KEY"';
  throw new HttpError(401, message, {
    code: 'invalid_api_key',
    headers: { 'www-authenticate': 'Bearer' },
  });
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
