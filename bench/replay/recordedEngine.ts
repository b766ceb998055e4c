// An engine for the server that remembers all decodes, so that they can be checked afterwards.
import type { ChatMessage } from '../../server/models/text/chatTemplate';
import type { DecodeRequest, Decode } from '../../server/engine/decode/decode';
import type { CacheBudget } from '../../server/engine/promptCache';
import type { ServedEngine } from '../../server/hosting/loadedModel';
import type { RecordedRun } from './verifyDecodes';

interface Begun {
  readonly promptIds: readonly number[];
  readonly options: DecodeRequest;
  readonly decode: Decode;
}

export class RecordedEngine implements ServedEngine {
  readonly #begun: Begun[] = [];

  constructor(private readonly engine: ServedEngine) {}

  get config(): ServedEngine['config'] {
    return this.engine.config;
  }

  get tokenizer(): ServedEngine['tokenizer'] {
    return this.engine.tokenizer;
  }

  get maxDraftTokens(): number {
    return this.engine.maxDraftTokens;
  }

  get device(): ServedEngine['device'] {
    return this.engine.device;
  }

  /** What the decodes have emitted so far, in the order of their starts. */
  get runs(): RecordedRun[] {
    return this.#begun.map(({ promptIds, options, decode }) => {
      const { stopStrings = [], stopTokenIds, sampling } = options;
      const { tokenIds, stats, finishReason } = decode.result;
      const drawn = { ...sampling, seed: stats.seed };
      return { promptIds, stopStrings, stopTokenIds, sampling: drawn, tokenIds, finishReason };
    });
  }

  encodeChat(messages: readonly ChatMessage[]): number[] | undefined {
    return this.engine.encodeChat(messages);
  }

  decode(promptIds: readonly number[], options: DecodeRequest): Decode {
    const decode = this.engine.decode(promptIds, options);
    this.#begun.push({ promptIds, options, decode });
    return decode;
  }

  get profile(): ServedEngine['profile'] {
    return this.engine.profile;
  }

  resizeCache(budget: CacheBudget): void {
    this.engine.resizeCache(budget);
  }

  dispose(): Promise<void> {
    return this.engine.dispose();
  }
}
