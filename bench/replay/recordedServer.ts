// The language server in this process, on an engine whose decodes are remembered, so that all can be checked afterwards.
import type { Settle } from '../../server/completion/session/settle';
import type { Decode, DecodeRequest } from '../../server/engine/decode/decode';
import type { Engine } from '../../server/engine/engine';
import type { ServedEngine } from '../../server/hosting/model';
import { ModelPool } from '../../server/hosting/modelPool';
import type { Losslessness } from './lossless';
import { servedHere } from './servedHere';
import { verifyDecodes, type RecordedRun } from './verifyDecodes';

interface Begun {
  readonly promptIds: readonly number[];
  readonly options: DecodeRequest;
  readonly decode: Decode;
}

/** Nothing runs on a battery here. */
export class RecordedServer {
  /** The client's end of the connection. */
  readonly reader;
  readonly writer;
  readonly #begun: Begun[] = [];

  constructor(
    readonly engine: Engine,
    settle: Settle,
    pair: { readonly target?: string | undefined; readonly drafter?: string | undefined } = {},
  ) {
    const { target = 'embedded', drafter } = pair;
    const named = { engine: this.#recorded(engine), target, drafter, remember: () => undefined };
    const pool = new ModelPool({ load: () => Promise.resolve(named) });
    const { reader, writer } = servedHere({ pool, settle, pluggedIn: () => Promise.resolve(true) });
    this.reader = reader;
    this.writer = writer;
  }

  /** Decodes with output so far. */
  get decodes(): number {
    return this.#runs().length;
  }

  /** Compares all decodes with the target alone; ends early when the signal aborts. */
  async verify(signal: AbortSignal, onProgress?: (checked: number) => void): Promise<Losslessness> {
    return await verifyDecodes(this.#runs(), this.engine, signal, onProgress);
  }

  /** What was emitted so far, in the order of the starts. */
  #runs(): RecordedRun[] {
    const runs = this.#begun.map(({ promptIds, options, decode }) => {
      const { stopStrings = [], stopTokenIds, sampling } = options;
      const { tokenIds, stats, finishReason } = decode.result;
      const drawn = { ...sampling, seed: stats.seed };
      return { promptIds, stopStrings, stopTokenIds, sampling: drawn, tokenIds, finishReason };
    });
    return runs.filter(({ tokenIds }) => tokenIds.length > 0);
  }

  #recorded(engine: Engine): ServedEngine {
    const { config, tokenizer, maxDraftTokens, device } = engine;
    return {
      ...{ config, tokenizer, maxDraftTokens, device },
      get profile() {
        return engine.profile;
      },
      encodeChat: (messages) => engine.encodeChat(messages),
      resizeCache: (budget) => {
        engine.resizeCache(budget);
      },
      dispose: () => engine.dispose(),
      decode: (promptIds, options) => {
        const decode = engine.decode(promptIds, options);
        this.#begun.push({ promptIds, options, decode });
        return decode;
      },
    };
  }
}
