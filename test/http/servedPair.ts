// Runs the HTTP server in this process with the built-in pair or another model. Records the decodes of its engine.
import type { Decode, DecodeRequest } from '../../server/engine/decode/decode';
import { Engine } from '../../server/engine/engine';
import { HttpServer } from '../../server/http/httpServer';
import { SERVER_DEFAULTS, type ServerOptions } from '../../server/http/serverOptions';
import { type LocalModel, createModel } from '../../server/hosting/model';
import { EMBEDDED_PAIR } from '../support/embeddedPair';
import { fake } from '../support/fake';
import { ServerUnderTest } from './serverUnderTest';

export class ServedPair extends ServerUnderTest {
  /** Requested decodes, in order. */
  readonly decodes: { readonly promptIds: readonly number[]; readonly request: DecodeRequest }[] = [];
  /** Start of each decode and each chunk that it yields, in order. `decode` counts decodes from 1. */
  readonly steps: {
    readonly kind: string | undefined;
    readonly decode: number;
    readonly isStart: boolean;
  }[] = [];
  /** Lines of the log. */
  readonly lines: string[] = [];
  #server: HttpServer | undefined;

  private constructor(readonly engine: Engine) {
    super();
  }

  static async start(
    options: Partial<ServerOptions> = {},
    pair: { readonly targetDirectory: string } = EMBEDDED_PAIR,
  ): Promise<ServedPair> {
    const served = new ServedPair(await Engine.load({ ...pair, cacheBytes: 256e6 }));
    served.#recordDecodes();
    const files = { engine: served.engine, target: 'embedded', drafter: 'embedded' };
    const model = createModel('pair', files);
    const log = (line: string): void => void served.lines.push(line);
    served.#server = await serverOf(model, { log, logRequest: log, ...options });
    return served;
  }

  get address(): string {
    return this.#server?.address ?? '';
  }

  async stopServer(graceMs?: number): Promise<void> {
    await this.#server?.stop(graceMs);
  }

  async end(): Promise<void> {
    await this.#server?.stop(0);
    await this.engine.dispose();
  }

  /** Records the chunks of a decode. Prompts must fit into one prefill pass: a pass before the last yields nothing. */
  #recordSteps(decode: Decode, kind: DecodeRequest['kind']): Decode {
    const { steps } = this;
    const index = this.decodes.length;
    steps.push({ kind, decode: index, isStart: true });
    const chunks = async function* () {
      for await (const chunk of decode) {
        steps.push({ kind, decode: index, isStart: false });
        yield chunk;
      }
    };
    const recorded = chunks();
    return {
      [Symbol.asyncIterator]: () => recorded,
      finish: () => decode.finish(),
      get result() {
        return decode.result;
      },
    };
  }

  /** Records the decodes of the engine, and their steps. */
  #recordDecodes(): void {
    const { engine, decodes } = this;
    const decode = engine.decode.bind(engine);
    engine.decode = (promptIds, request): Decode => {
      decodes.push({ promptIds, request });
      return this.#recordSteps(decode(promptIds, request), request.kind);
    };
  }
}

/** Starts a server of a model on any free port. */
export function serverOf(model: LocalModel, options: Partial<ServerOptions> = {}): Promise<HttpServer> {
  return HttpServer.start({
    host: '127.0.0.1',
    port: 0,
    models: fake({ use: (work) => work(model), status: { state: 'ready' }, draftLength: 'adaptive' }),
    access: { hosts: [], corsOrigins: [] },
    ...SERVER_DEFAULTS,
    maxBodyBytes: 1e6,
    log: () => undefined,
    ...options,
  });
}
