// Runs the HTTP server with a scripted engine, which records the requests to its decodes.
import type { HttpServer } from '../../server/http/httpServer';
import type { ServerOptions } from '../../server/http/serverOptions';
import { createModel } from '../../server/hosting/model';
import { ScriptedEngine } from '../lsp/scriptedEngine';
import { fake } from '../support/fake';
import { at } from './answers';
import { serverOf } from './servedPair';
import { ServerUnderTest } from './serverUnderTest';

export class ScriptedServer extends ServerUnderTest {
  private constructor(
    readonly engine: ScriptedEngine,
    readonly server: HttpServer,
  ) {
    super();
  }

  static async start(
    engine = new ScriptedEngine(),
    options: Partial<ServerOptions> = {},
  ): Promise<ScriptedServer> {
    const model = createModel('pair', { engine, target: 'scripted', drafter: 'tiny' });
    // Not the default draft length of a decode, so that tests see that of the lease.
    const models = fake<ServerOptions['models']>({
      use: (work) => work(model),
      status: { state: 'ready' },
      draftLength: 'full',
    });
    return new ScriptedServer(engine, await serverOf(model, { models, ...options }));
  }

  get address(): string {
    return this.server.address;
  }

  /** Sends a request that must be refused; returns the status, the error code and the named field. */
  async refusal(path: string, body: unknown): Promise<readonly unknown[]> {
    const answer = await this.post(path, body);
    return [answer.status, at(answer.body, 'error.code'), at(answer.body, 'error.param')];
  }
}
