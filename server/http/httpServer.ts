// The HTTP server for other tools: listens, answers broken requests too, and gives running requests time to end when it
// stops.
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
import { failureLine } from '../rules/failure';
import { UserError } from '../rules/userError';
import { errorBody, HttpError } from './httpError';
import { HttpApp } from './httpApp';
import type { ServerOptions } from './serverOptions';

/** Connections above this are refused: each takes memory and a file handle. */
const MAX_CONNECTIONS = 512;
/** Idle time after which a connection is closed. Clients close theirs earlier, so no request meets a closing one. */
const KEEP_ALIVE_MS = 75_000;
/** Time for running requests to end when the server stops. */
const GRACE_MS = 10_000;
/** Interval between checks for connections without a request while the server stops. */
const IDLE_CHECK_MS = 20;
/** Time for aborted requests to send their error. */
const ABORT_GRACE_MS = 1_000;

export class HttpServer {
  private constructor(
    private readonly server: Server,
    private readonly app: HttpApp,
    /** Address such as http://127.0.0.1:8080. */
    readonly address: string,
  ) {}

  /** Starts a server. Throws UserError if it cannot listen at this address. */
  static async start(options: ServerOptions): Promise<HttpServer> {
    const { host, port, log } = options;
    const app = new HttpApp(options);
    const listener = getRequestListener(app.hono.fetch, {
      errorHandler: answerUnreadable,
      // Keeps Node.js' own Request and Response, which other parts of the process use.
      overrideGlobalObjects: false,
    });
    const onRequest = (request: IncomingMessage, response: ServerResponse): void =>
      void listener(request, response);
    // The app refuses requests without a Host itself, with an error in the usual form.
    const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, requireHostHeader: false }, onRequest);
    server.maxConnections = MAX_CONNECTIONS;
    server.on('clientError', answerBroken);
    server.on('checkContinue', (request, response) => {
      continueInOrder(response);
      onRequest(request, response);
    });
    await listen(server, host, port);
    // Reports a connection that cannot be accepted, for instance without a free file handle.
    server.on('error', (error) => {
      log(failureLine('a connection', error));
    });
    const { port: boundPort } = server.address() as AddressInfo;
    const name = host.includes(':') ? `[${host}]` : host;
    return new HttpServer(server, app, `http://${name}:${String(boundPort)}`);
  }

  /** Accepts no new requests, waits for the running ones up to a limit, and then ends them. */
  async stop(graceMs = GRACE_MS): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    // Closes connections that are kept open for another request, now and after their response.
    const idleTimer = setInterval(() => {
      this.server.closeIdleConnections();
    }, IDLE_CHECK_MS);
    let closeTimer: NodeJS.Timeout | undefined;
    const abortTimer = setTimeout(() => {
      this.app.abort(stoppingError());
      closeTimer = setTimeout(() => this.server.closeAllConnections(), ABORT_GRACE_MS);
    }, graceMs);
    await closed;
    clearInterval(idleTimer);
    clearTimeout(abortTimer);
    clearTimeout(closeTimer);
  }
}

function stoppingError(): HttpError {
  return new HttpError(503, 'The server is stopping. Try again later.', { code: 'server_stopping' });
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const reason = code === 'EADDRINUSE' ? 'another program uses it' : message;
    const problem = `The server cannot listen at ${host}:${String(port)} (${reason}).`;
    const remedy = 'Choose another --port or --host, or another flashline.serve.port in the editor.';
    throw new UserError(`${problem} ${remedy}`, { cause });
  }
}

/**
 * Sends "100 Continue" once the earlier requests of the connection are answered, unless the response has begun by then:
 * the body is not needed, and Node.js would write "100 Continue" into the response.
 */
function continueInOrder(response: ServerResponse): void {
  const send = (): void => {
    if (!response.headersSent) response.writeContinue();
  };
  if (response.socket) send();
  else response.once('socket', send);
}

/** Answers a broken HTTP request, if the connection is still open. */
function answerBroken({ code = '' }: NodeJS.ErrnoException, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable) socket.destroy();
  else if (code === 'HPE_HEADER_OVERFLOW') writeAnswer(socket, 431, 'The headers are too long. Send fewer.');
  else if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    writeAnswer(socket, 408, 'Timed out before the request was complete. Send it faster.');
  else writeAnswer(socket, 400, 'This is not an HTTP/1.1 request. Correct it.');
}

/** Answers a request whose Host and path do not form a URL. */
function answerUnreadable(): Response {
  const message = 'The Host and the path do not form a URL. Correct them.';
  const error = new HttpError(400, message, { code: 'bad_request' });
  return Response.json(errorBody(error), { status: error.status });
}

/** Writes a whole response with an error to a connection, and closes it. */
function writeAnswer(socket: Socket, status: 400 | 408 | 431, message: string): void {
  const body = JSON.stringify(errorBody(new HttpError(status, message, { code: 'bad_request' })));
  const head = [
    `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}`,
    'content-type: application/json',
    `content-length: ${String(Buffer.byteLength(body))}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
