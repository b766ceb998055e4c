// A server with OpenAI's API whose answers a test writes: complete, slow, broken or missing. Records its requests.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

export interface ReceivedRequest {
  readonly headers: IncomingMessage['headers'];
  readonly body: Readonly<Record<string, unknown>>;
  /** Whether the client has closed the connection before the answer was complete. */
  closed: boolean;
}

type Respond = (response: ServerResponse, received: ReceivedRequest) => void | Promise<void>;

export class OpenAiServer {
  readonly requests: ReceivedRequest[] = [];
  /** Paths of all requests, in order. */
  readonly paths: string[] = [];
  /** Answer to /v1/models. */
  models: unknown = { object: 'list', data: [{ id: 'coder', max_model_len: 2048 }] };
  /** Called for requests to /v1/completions and /infill. */
  respond: Respond = streaming(['answer']);
  readonly #server;

  private constructor(private readonly secure?: ServerOptions) {
    const listener = (request: IncomingMessage, response: ServerResponse): void => {
      this.#answer(request, response).catch((error: unknown) => response.destroy(error as Error));
    };
    this.#server = secure ? createSecureServer(secure, listener) : createServer(listener);
  }

  /** Listens on the given port or any free one. Rejects if the port is in use. */
  static async start(secure?: ServerOptions, port = 0): Promise<OpenAiServer> {
    const server = new OpenAiServer(secure);
    server.#server.listen(port, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return this.secure ? `https://localhost:${String(port)}` : `http://127.0.0.1:${String(port)}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '', headers } = request;
    this.paths.push(url);
    if (url === '/v1/models') return void sendJson(response, 200, this.models);
    if (url !== '/v1/completions' && url !== '/infill') return void sendJson(response, 404, {});
    const received = { headers, body: (await json(request)) as ReceivedRequest['body'], closed: false };
    this.requests.push(received);
    response.once('close', () => (received.closed = !response.writableFinished));
    await this.respond(response, received);
  }
}

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

/** Opens an event stream. */
export function open(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  response.flushHeaders();
}

/** Returns an event with a piece of text; `finish` is the finish reason, and `more` has further fields. */
export function event(text: string, more: object = {}, finish: string | null = null): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, text, finish_reason: finish }], ...more })}\n\n`;
}

/** Returns a handler that sends the pieces every `stepMs`, then the finish reason and [DONE]. */
export function streaming(
  pieces: readonly string[],
  finish = 'stop',
  more: object = {},
  stepMs = 0,
): Respond {
  return async (response, received) => {
    open(response);
    for (const piece of pieces) {
      if (stepMs > 0) await pause(stepMs);
      if (received.closed) return;
      response.write(event(piece));
    }
    response.end(`${event('', more, finish)}data: [DONE]\n\n`);
  };
}
