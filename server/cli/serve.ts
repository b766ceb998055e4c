// `flashline serve`: serves models to other tools over HTTP until a signal stops it.
import { hostname } from 'node:os';
import { isIP } from 'node:net';
import { SERVER_DEFAULTS } from '../http/serverOptions';
import { UserError, WrongValue } from '../rules/userError';
import { visibleText } from '../rules/visibleText';
import { wholeNumbers } from '../rules/numbers';
import { SERVER_SETTINGS, settingValues, type ServerSettings } from '../rules/serverSettings';
import { parseArguments, parseNumber } from './arguments';
import { pairHelp, PAIR_OPTIONS, parsePair, type PairArguments } from './pairArguments';
import { keyFrom } from './apiKey';

/** Defaults of options. */
const MAX_RUNNING = String(SERVER_DEFAULTS.limits.running);
const MAX_WAITING = String(SERVER_DEFAULTS.limits.waiting);
const MAX_BODY_MB = String(SERVER_DEFAULTS.maxBodyBytes / 1e6);
const TIMEOUT_S = String(SERVER_DEFAULTS.timeoutMs / 1000);

export const SERVE_HELP = `flashline serve [options]

Serves other tools over HTTP until Ctrl+C: OpenAI's API (/v1/completions, /v1/chat/completions, /v1/models) and
llama.cpp's /infill. Only programs on this machine can reach it unless you set --host.

  --host ADDRESS        address to listen on; any but a loopback address requires an API key (default: 127.0.0.1)
  --port N              port to listen on; 0 picks a free one (default: 8080)
  --api-key-file FILE   file with the API key that requests must carry (default: FLASHLINE_API_KEY, if it is set)
  --allow-host NAME     a host name that requests may use, besides localhost, IP addresses and this machine's name; may
                        be repeated
  --cors-origin ORIGIN  a web page's origin that may use the server, or *; may be repeated (default: none)
  --max-running N       requests decoded at a time, not counting those from editors (default: ${MAX_RUNNING})
  --max-waiting N       requests that may wait; more are refused (default: ${MAX_WAITING})
  --max-body-mb N       maximum size of a request (default: ${MAX_BODY_MB})
  --strict-model        refuse requests that name another model (default: the loaded model answers all)
  --timeout SECONDS     maximum time for a request, including waiting (default: ${TIMEOUT_S})
  --cache-memory MB     memory for the KV cache, so that prompts that begin the same are not processed again (default:
                        eight prompts, within 18 % of the memory of the loaded models)${pairHelp('adaptive')}`;

/**
 * Maximum prompt cache, as a share of the models' memory. With the built-in pair on a CPU, about 1,800 tokens fit: eight
 * prompts of 220 tokens, or one of the longest.
 */
const CACHE_SHARE = 1 / 5.5;

/** Ranges of options. */
const PORT = wholeNumbers(0, 65_535);
const LIMIT = wholeNumbers(1, 10_000);
const SECONDS = wholeNumbers(1, 86_400);

export async function serve(args: string[]): Promise<void> {
  const { settings, ...options } = serveArguments(args);
  const { Lease } = await import('../hosting/lease');
  const { createModelPool } = await import('../programs/composition');
  const { HttpServer } = await import('../http/httpServer');
  const pool = createModelPool();
  const lease = new Lease(pool, log, { modelShare: CACHE_SHARE });
  const stopped = new Promise<void>((resolve) => {
    // A second signal of the same kind ends the process immediately.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
  const server = await HttpServer.start({ ...options, models: lease });
  process.stdout.write(`flashline: listening on ${server.address}\n`);
  const loaded = lease.configure(settings).then(() => {
    if (lease.status.state !== 'error') return stopped;
    // The models did not load, for a reason that is in the log.
    process.exitCode = 2;
    return undefined;
  });
  try {
    await Promise.race([stopped, loaded]);
  } finally {
    await server.stop();
    await lease.dispose();
  }
}

function serveArguments(args: string[]) {
  const { values } = parseArguments({
    args,
    options: {
      ...PAIR_OPTIONS,
      host: { type: 'string', default: '127.0.0.1' },
      port: { type: 'string', default: '8080' },
      'api-key-file': { type: 'string' },
      'allow-host': { type: 'string', multiple: true, default: [] },
      'cors-origin': { type: 'string', multiple: true, default: [] },
      'max-running': { type: 'string', default: MAX_RUNNING },
      'max-waiting': { type: 'string', default: MAX_WAITING },
      'max-body-mb': { type: 'string', default: MAX_BODY_MB },
      'strict-model': { type: 'boolean', default: false },
      timeout: { type: 'string', default: TIMEOUT_S },
      'cache-memory': { type: 'string' },
    },
  });
  const { host } = values;
  const apiKey = keyFrom(values['api-key-file'], 'FLASHLINE_API_KEY');
  if (!isLoopback(host) && apiKey === undefined) {
    throw new UserError(
      `Other machines can reach --host ${host}, so it needs an API key. ` +
        'Give --api-key-file or set FLASHLINE_API_KEY.',
    );
  }
  const number = (
    option: 'port' | 'timeout' | 'max-running' | 'max-waiting' | 'max-body-mb',
    range = LIMIT,
  ) => parseNumber(`--${option}`, values[option], range);
  const settings = settingsOf(
    parsePair(values, 'adaptive'),
    values['cache-memory'] === undefined
      ? 'auto'
      : parseNumber('--cache-memory', values['cache-memory'], SERVER_SETTINGS.cacheMemoryMB.range),
  );
  return {
    settings,
    host,
    port: number('port', PORT),
    access: {
      hosts: [host, hostname(), ...values['allow-host']].map((name) => name.toLowerCase()),
      apiKey,
      corsOrigins: values['cors-origin'].map(parseOrigin),
    },
    limits: { running: number('max-running'), waiting: number('max-waiting') },
    maxBodyBytes: 1e6 * number('max-body-mb'),
    strictModel: values['strict-model'],
    timeoutMs: 1000 * number('timeout', SECONDS),
    log,
    logRequest: log,
  };
}

/** Writes to standard error, as standard output contains only the address. */
function log(line: string): void {
  process.stderr.write(`flashline: ${visibleText(line)}\n`);
}

function settingsOf(pair: PairArguments, cacheMemoryMB: ServerSettings['cacheMemoryMB']): ServerSettings {
  const { target = '', drafter = '', device = 'auto' } = pair;
  return {
    ...settingValues(SERVER_SETTINGS, () => undefined),
    ...pair,
    target,
    drafter,
    device,
    cacheMemoryMB,
    load: 'start',
    unloadAfterMinutes: 0,
  };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** Returns an origin in the form that browsers send, or *. Throws UserError for values that are not origins. */
function parseOrigin(value: string): string {
  if (value === '*') return value;
  if (/^[a-z][a-z\d+.-]*:\/\/[^/?#@\s]+$/.test(value) && URL.canParse(value)) {
    // Browsers send lower case and no default port. Node.js gives only the schemes of the web an origin.
    const { origin } = new URL(value);
    return origin === 'null' ? value : origin;
  }
  const expected = '--cors-origin to be an origin such as https://app.example, or *';
  throw new WrongValue({ expected, got: `"${value}"`, remedy: 'give only its scheme, host and port' });
}
