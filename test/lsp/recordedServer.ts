// Runs the language server in this process, on an engine that records its decodes, so that all can be verified later.
import type { Settle } from '../../server/completion/session/settle';
import type { Decode, DecodeRequest } from '../../server/engine/decode/decode';
import type { Engine } from '../../server/engine/engine';
import type { ServedEngine } from '../../server/hosting/model';
import type { Losslessness } from '../support/lossless';
import { poolOf } from '../support/poolOf';
import { SUGGESTIONS_ONLY } from '../support/suggestionsOnly';
import { verifyDecodes, type RecordedRun } from '../support/verifyDecodes';
import { servedHere } from './servedHere';

interface StartedDecode {
  readonly promptIds: readonly number[];
  readonly options: DecodeRequest;
  readonly decode: Decode;
}

/** A recording server of the embedded pair that assumes mains power, so that it never saves battery. */
export class RecordedServer {
  /** Client's end of the connection. */
  readonly reader;
  readonly writer;
  readonly #started: StartedDecode[] = [];

  constructor(
    readonly engine: Engine,
    settle: Settle,
  ) {
    const names = { target: 'embedded', drafter: 'embedded' };
    const loaded = { engine: this.#recorded(engine), ...names, remember: () => undefined };
    const pool = poolOf(() => Promise.resolve(loaded));
    const pluggedIn = () => Promise.resolve(true);
    const { reader, writer } = servedHere({ ...SUGGESTIONS_ONLY, pool, settle, pluggedIn });
    this.reader = reader;
    this.writer = writer;
  }

  /** Count of decodes with output so far. */
  get decodes(): number {
    return this.#started.filter(({ decode }) => decode.result.tokenIds.length > 0).length;
  }

  /** Compares all decodes with the target alone. */
  async verify(): Promise<Losslessness> {
    return await verifyDecodes(this.#runs(), this.engine);
  }

  /** Returns the decodes with their output so far, in the order of their starts. */
  #runs(): RecordedRun[] {
    return this.#started.map(({ promptIds, options, decode }) => {
      const { stopStrings = [], stopTokenIds, sampling } = options;
      const { tokenIds, stats, finishReason } = decode.result;
      const drawn = { ...sampling, seed: stats.seed };
      return { promptIds, stopStrings, stopTokenIds, sampling: drawn, tokenIds, finishReason };
    });
  }

  #recorded(engine: Engine): ServedEngine {
    const { config, tokenizer, maxDraftTokens, device, numberType } = engine;
    const { hasChatTemplate, chatProblem, chatTemplateText } = engine;
    return {
      config,
      tokenizer,
      maxDraftTokens,
      device,
      numberType,
      hasChatTemplate,
      chatProblem,
      chatTemplateText,
      // Without these facts, the lengths of prompts do not depend on the speed of the machine, and unlikely suggestions
      // are decoded to their end.
      prefillSpeed: undefined,
      expectedPrefillSpeed: undefined,
      greedyLogprobs: false,
      encodeChat: (...conversation) => engine.encodeChat(...conversation),
      renderChat: (...conversation) => engine.renderChat(...conversation),
      promptLogprobs: (promptIds, request) => engine.promptLogprobs(promptIds, request),
      resizeCache: (budget) => {
        engine.resizeCache(budget);
      },
      dispose: () => engine.dispose(),
      decode: (promptIds, options) => {
        const decode = engine.decode(promptIds, options);
        this.#started.push({ promptIds, options, decode });
        return decode;
      },
    };
  }
}
