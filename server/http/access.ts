// Access to the HTTP server: refuses requests under unknown host names (against DNS rebinding), web pages of origins
// that are not allowed, and clients without the API key.
import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { Hono, HonoRequest, MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import type { HttpBindings } from '@hono/node-server';
import { HttpError } from './httpError';

export interface Access {
  /** Names of this machine in lower case, in addition to localhost and addresses. */
  readonly hosts: readonly string[];
  readonly apiKey?: string | undefined;
  /** Origins of web pages that can read responses, or '*' for all. */
  readonly corsOrigins: readonly string[];
}

/** Paths without a key, for monitors; they reveal only whether the models can be used, or why they cannot. */
const PUBLIC = ['/health', '/v1/health'];

/** Allows pages of the internet to reach this private address (https://wicg.github.io/private-network-access/). */
const allowPrivateNetwork: MiddlewareHandler = async (context, next) => {
  const isRequested = context.req.header('access-control-request-private-network') === 'true';
  if (context.req.method === 'OPTIONS' && isRequested)
    context.header('access-control-allow-private-network', 'true');
  await next();
};

/** Adds the checks of all requests to an app. */
export function checkAccess(
  app: Hono<{ Bindings: HttpBindings }>,
  { hosts, corsOrigins: origins, apiKey }: Access,
): void {
  app.use(async ({ req }, next) => {
    requireHost(req, hosts);
    requireOrigin(req, origins);
    await next();
  });
  if (origins.length > 0) {
    app.use(allowPrivateNetwork);
    const origin = origins.includes('*') ? '*' : [...origins];
    app.use(cors({ origin, allowMethods: ['GET', 'POST'], maxAge: 600 }));
  }
  app.use(async ({ req }, next) => {
    if (!PUBLIC.includes(req.path)) requireKey(req, apiKey);
    await next();
  });
}

/** Requires a known name or an IP address, which no DNS rebinding can redirect. */
function requireHost(req: HonoRequest, hosts: readonly string[]): void {
  const [, bracketed, plain = ''] =
    /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec((req.header('host') ?? '').toLowerCase()) ?? [];
  const name = bracketed ?? plain;
  if (name === 'localhost' || isIP(name) > 0 || hosts.includes(name)) return;
  const message = "Host not allowed. Use the server's address, or `flashline serve --allow-host`.";
  throw new HttpError(403, message, { code: 'host_not_allowed' });
}

function requireOrigin(req: HonoRequest, origins: readonly string[]): void {
  const origin = req.header('origin');
  if (origin === undefined || origins.includes('*') || origins.includes(origin)) return;
  const message = 'Origin not allowed. Start `flashline serve` with `--cors-origin` for this web page.';
  throw new HttpError(403, message, { code: 'origin_not_allowed' });
}

function requireKey(req: HonoRequest, apiKey: string | undefined): void {
  if (apiKey === undefined) return;
  const [, key = ''] = /^Bearer\s+(.*)$/i.exec(req.header('authorization') ?? '') ?? [];
  // Takes the same time for all wrong keys, whatever their length and wherever they differ.
  if (timingSafeEqual(digest(key), digest(apiKey))) return;
  throw new HttpError(401, 'Missing or wrong API key. Send `Authorization: Bearer KEY`.', {
    code: 'invalid_api_key',
    headers: { 'www-authenticate': 'Bearer' },
  });
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
