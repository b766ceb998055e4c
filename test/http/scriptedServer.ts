// Runs the HTTP server with a scripted engine, which records the requests to its decodes.
import type { HttpServer } from '../../server/http/httpServer';
import type { ServerOptions } from '../../server/http/serverOptions';
import { createModel } from '../../server/hosting/model';
import { ScriptedEngine } from '../lsp/scriptedEngine';
import { at, readAnswer, serverOf, type Answer } from './servedPair';

export class ScriptedServer {
  private constructor(
    readonly engine: ScriptedEngine,
    readonly server: HttpServer,
  ) {}

  static async start(
    engine = new ScriptedEngine(),
    options: Partial<ServerOptions> = {},
  ): Promise<ScriptedServer> {
    const model = createModel('pair', { engine, target: 'scripted', drafter: 'tiny' });
    return new ScriptedServer(engine, await serverOf(model, options));
  }

  async get(path: string): Promise<Answer> {
    return await readAnswer(await fetch(`${this.server.address}${path}`));
  }

  async post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return await readAnswer(await this.send(path, body, headers));
  }

  /** Sends a request and resolves with its response, which can still be streaming. */
  send(
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
    signal?: AbortSignal,
  ): Promise<Response> {
    return fetch(`${this.server.address}${path}`, {
      method: 'POST',
      ...(signal && { signal }),
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  }

  /** Sends a request that must be refused; returns the status, the error code and the named field. */
  async refusal(path: string, body: unknown): Promise<readonly unknown[]> {
    const answer = await this.post(path, body);
    return [answer.status, at(answer.body, 'error.code'), at(answer.body, 'error.param')];
  }
}
