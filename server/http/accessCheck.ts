// Who may talk to the server: a program that reaches it under a name of its own (a web page that makes its own name
// point here does not), a page only from a named origin, and where a key is set, only who has it.
import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { Context, MiddlewareHandler } from 'hono';
import { HttpError } from './httpError';

export interface Access {
  /** Names of this machine in addition to localhost and addresses. */
  readonly hosts: readonly string[];
  readonly apiKey?: string | undefined;
  /** Origins of web pages that may read answers, or '*' for all. */
  readonly corsOrigins: readonly string[];
}

/** Monitors ask these without a key; they tell nothing but that the server is there. */
const PUBLIC = ['/health', '/v1/health'];
const CORS_SECONDS = '600';

export function accessCheck(access: Access): MiddlewareHandler {
  return async (context, next) => {
    requireHost(context, access.hosts);
    const origin = requireOrigin(context, access.corsOrigins);
    if (origin !== undefined) {
      context.header('access-control-allow-origin', origin);
      context.header('vary', 'Origin');
    }
    if (context.req.method === 'OPTIONS' && origin !== undefined) return preflight(context);
    if (!PUBLIC.includes(context.req.path)) requireKey(context, access.apiKey);
    await next();
    return undefined;
  };
}

/** An address cannot be made to point elsewhere, and other names must be known. */
function requireHost({ req }: Context, hosts: readonly string[]): void {
  const [, bracketed, plain = ''] =
    /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec((req.header('host') ?? '').toLowerCase()) ?? [];
  const name = bracketed ?? plain;
  if (name === 'localhost' || isIP(name) > 0 || hosts.includes(name)) return;
  const message =
    'Expected a Host that this server is known under, got another; use its address, or start it with --allow-host';
  throw new HttpError(403, message, { code: 'host_not_allowed' });
}

/** The origin to be named in the answer, if the request comes from a web page. */
function requireOrigin({ req }: Context, origins: readonly string[]): string | undefined {
  const origin = req.header('origin');
  if (origin === undefined) return undefined;
  if (origins.includes('*') || origins.includes(origin)) return origin;
  const message = 'Expected a web page of a named origin, got another; start the server with --cors-origin';
  throw new HttpError(403, message, { code: 'origin_not_allowed' });
}

function preflight(context: Context): Response {
  context.header('access-control-allow-methods', 'GET, POST');
  context.header('access-control-allow-headers', context.req.header('access-control-request-headers') ?? '');
  context.header('access-control-max-age', CORS_SECONDS);
  return context.body(null, 204);
}

function requireKey({ req }: Context, apiKey: string | undefined): void {
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
