// Sends requests of a test to the HTTP server that it runs.
import { readAnswer, type Answer } from './answers';

interface SendOptions {
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

export abstract class ServerUnderTest {
  /** Address of the server, such as http://127.0.0.1:8080. */
  abstract readonly address: string;

  async get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return await readAnswer(await fetch(`${this.address}${path}`, { headers }));
  }

  async post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return await readAnswer(await this.send(path, body, { headers }));
  }

  /** Sends a request and resolves with its response, which can still be streaming. */
  send(path: string, body: unknown, { headers = {}, signal }: SendOptions = {}): Promise<Response> {
    return fetch(`${this.address}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      ...(signal && { signal }),
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }
}
