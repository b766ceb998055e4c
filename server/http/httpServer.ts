// The HTTP server for other tools: listens, answers broken requests too, and stops without cutting off what is almost
// done.
import { once } from 'node:events';
import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { failureLine, InputError } from '../rules/inputError';
import { errorBody, HttpError } from './httpError';
import { httpApp, type HttpAppOptions } from './httpApp';

export interface HttpServerOptions extends HttpAppOptions {
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
}

/** More are turned away: each takes memory, and a file of the system. */
const CONNECTIONS = 512;
/** Between two requests of a connection: longer than clients keep one, as what they send on a closed one is lost. */
const KEEP_ALIVE_MS = 75_000;
/** For running requests to end when the server stops. */
const GRACE_MS = 10_000;
const IDLE_MS = 20;
/** For those to say so. */
const CUT_MS = 1_000;

export class HttpServer {
  private constructor(
    private readonly server: Server,
    /** Of requests that are not answered yet. */
    private readonly lives: ReadonlySet<AbortController>,
    /** Such as http://127.0.0.1:8080 */
    readonly address: string,
  ) {}

  /** Throws InputError if it cannot listen there. */
  static async start({ host, port, ...options }: HttpServerOptions): Promise<HttpServer> {
    const lives = new Set<AbortController>();
    const app = httpApp(options, lives);
    const listener = getRequestListener(app.fetch, {
      errorHandler: answerUnreadable,
      // The host process has its own fetch.
      overrideGlobalObjects: false,
    });
    const server = createServer(
      // A request without a Host is refused like any other that is wrong.
      { keepAliveTimeout: KEEP_ALIVE_MS, requireHostHeader: false },
      (request, response) => void listener(request, response),
    );
    server.maxConnections = CONNECTIONS;
    server.on('clientError', answerBroken);
    server.on('checkContinue', (request, response) => {
      inItsTurn(response, () => {
        // An answer that waits already needs no body, and Node.js would write between its head and its own body.
        if (!response.headersSent) response.writeContinue();
      });
      void listener(request, response);
    });
    server.on('checkExpectation', ({ socket }: IncomingMessage, response: ServerResponse) => {
      inItsTurn(response, () => {
        answer(socket, 417, 'Expected no Expect header but 100-continue, got another; leave it out');
      });
    });
    server.on('connect', (_, socket: Socket) => {
      answer(socket, 405, 'Expected GET or POST, got CONNECT; this is no proxy');
    });
    await listen(server, host, port);
    // Of a connection that cannot be accepted, as where no file handle is left.
    server.on('error', (error) => {
      options.log(failureLine('a connection', error));
    });
    const { port: bound } = server.address() as AddressInfo;
    const name = host.includes(':') ? `[${host}]` : host;
    return new HttpServer(server, lives, `http://${name}:${String(bound)}`);
  }

  /** Takes no new requests, waits for the running ones up to a limit, and then ends them. */
  async stop(graceMs = GRACE_MS): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    // Those that are kept open for another request, now and once their answer is there.
    const idle = setInterval(() => {
      this.server.closeIdleConnections();
    }, IDLE_MS);
    let cut: NodeJS.Timeout | undefined;
    const late = setTimeout(() => {
      for (const life of this.lives) life.abort(stopping());
      cut = setTimeout(() => this.server.closeAllConnections(), CUT_MS);
    }, graceMs);
    await closed;
    clearInterval(idle);
    clearTimeout(late);
    clearTimeout(cut);
  }
}

function stopping(): HttpError {
  return new HttpError(503, 'The server is stopping; try again later', { code: 'server_stopping' });
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (cause) {
    const { code = 'an error', message } = cause as NodeJS.ErrnoException;
    const got = code === 'EADDRINUSE' ? 'one that another program uses' : message;
    const expected = `${host}:${String(port)} to be a free address of this machine`;
    throw new InputError({ expected, got, remedy: 'choose another --port or --host', cause });
  }
}

/** Once the requests before it on its connection are answered. */
function inItsTurn(response: ServerResponse, write: () => void): void {
  if (response.socket) write();
  else response.once('socket', write);
}

/** What is no HTTP at all gets an answer too, as far as there is anybody to read it. */
function answerBroken({ code = '' }: NodeJS.ErrnoException, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable) socket.destroy();
  else if (code === 'HPE_HEADER_OVERFLOW')
    answer(socket, 431, 'Expected short headers, got long ones; send fewer');
  else if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    answer(socket, 408, 'Expected a whole request in time, got a part of one; send it faster');
  else answer(socket, 400, 'Expected an HTTP/1.1 request, got something else; correct it');
}

/** A request whose Host or path make no address. */
function answerUnreadable(): Response {
  const message = 'Expected a Host and a path that make an address, got others; correct them';
  const error = new HttpError(400, message, { code: 'bad_request' });
  return Response.json(errorBody(error), { status: error.status });
}

function answer(socket: Socket, status: 400 | 405 | 408 | 417 | 431, message: string): void {
  const body = JSON.stringify(errorBody(new HttpError(status, message, { code: 'bad_request' })));
  const head = [
    `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}`,
    'content-type: application/json',
    `content-length: ${String(Buffer.byteLength(body))}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
