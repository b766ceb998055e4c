// The engine as the completion layer sees it, for one request. Records what each decode cost, and lets the status show
// that the engine is working, unless nobody is waiting for it.
import type { SessionDecoder } from '../completion/session/completionSession';
import type { DecodedPiece, DecodeLimits, TokenLogprobs, Tokenizer } from '../completion/decoder';
import type { SuggestResult } from '../completion/session/suggestionRequest';
import type { DecodeRequest } from '../engine/decode/decode';
import type { RequestKind } from '../engine/request/queueTicket';
import type { FinishReason, Round } from '../engine/request/stats';
import { bytesText } from '../rules/visibleText';
import type { History, RecordedDecode } from './history';
import type { UsableModel } from './loadedModel';

/** What all decodes of a request have in common. */
export interface DecodeMode extends Pick<
  DecodeRequest,
  'draftLength' | 'fresh' | 'sampling' | 'repetitionGuard'
> {
  readonly kind: RequestKind;
}

export const NO_TOKENIZER: Tokenizer = {
  textStart: { ids: [], space: '' },
  encodeText: () => [],
  decode: () => '',
  specialTokenId: () => undefined,
};

export class RecordingDecoder implements SessionDecoder {
  readonly decodes: RecordedDecode[] = [];
  readonly infill;
  readonly contextTokens;
  readonly prefillSpeed: number | undefined;
  readonly greedyLogprobs: boolean;
  readonly expectedPrefillSpeed: number | undefined;
  readonly isRemote: boolean;
  readonly tokenizer: Tokenizer;

  constructor(
    private readonly model: UsableModel,
    private readonly mode: DecodeMode,
    private readonly history?: History,
  ) {
    const { engine, info } = model;
    this.infill = info.infill;
    this.contextTokens = engine.config.maxPositionEmbeddings;
    this.prefillSpeed = engine.prefillSpeed;
    this.greedyLogprobs = engine.promptLogprobs !== undefined;
    this.expectedPrefillSpeed = engine.expectedPrefillSpeed;
    this.isRemote = engine.remote !== undefined;
    this.tokenizer = engine.tokenizer ?? NO_TOKENIZER;
  }

  /** Of a token by itself, for people. */
  tokenText(token: number): string {
    return bytesText(this.model.engine.tokenizer?.bytes(token, 'left out') ?? Buffer.alloc(0));
  }

  encodeChat(messages: Parameters<SessionDecoder['encodeChat']>[0]): number[] | undefined {
    // A base model may come with a template, but answers badly.
    return this.model.info.isBase ? undefined : this.model.engine.encodeChat(messages);
  }

  async *decode(
    promptIds: readonly number[],
    { parts, onEnd, ...limits }: DecodeLimits,
  ): AsyncIterable<DecodedPiece> {
    const { engine, pair } = this.model;
    const decode = engine.decode(promptIds, { ...this.mode, ...limits });
    const rounds: Round[] = [];
    /** Since the last piece with some text. */
    let told: TokenLogprobs[] = [];
    const isWaitedFor = this.mode.kind !== 'prefetch' && this.mode.kind !== 'nextEdit';
    const end = isWaitedFor ? this.model.begin?.() : undefined;
    try {
      for await (const { text, round, logprobs = [] } of decode) {
        if (round) rounds.push(round);
        told.push(...logprobs);
        if (text === '') continue;
        yield { text, logprobs: told };
        told = [];
      }
    } finally {
      end?.();
      const { result } = decode;
      onEnd?.(result.finishReason);
      const stats = { ...result.stats, finishReason: reasonOf(result.stats) };
      this.decodes.push({
        ...result,
        stats,
        pair,
        promptIds,
        ...(parts && { parts }),
        rounds,
        isDrawn: limits.sampling !== undefined,
      });
    }
  }

  record(file: string, outcome?: SuggestResult['outcome'], pausedMs?: number): void {
    const last = this.decodes.findLast(({ isDrawn }) => !isDrawn);
    const judged = outcome === 'cancelled' || outcome === 'skipped' ? undefined : outcome;
    for (const decode of this.decodes) {
      const { isDrawn, stats } = decode;
      // One before the last was in vain: its output did not continue where the user had stopped.
      const judgement = decode === last ? judged : judged && 'filtered';
      const label = {
        kind: isDrawn ? 'alternative' : this.mode.kind,
        file,
        ...(pausedMs !== undefined && { pausedMs }),
        outcome: (isDrawn ? undefined : judgement) ?? stats.finishReason,
      } as const;
      this.history?.record(label, decode, (token) => this.tokenText(token));
    }
  }
}

/** Reading stops when the syntax says the text is complete, so for a user it is an end like one at an end token. */
function reasonOf({ finishReason }: { readonly finishReason: FinishReason }): FinishReason {
  return finishReason === 'abandoned' ? 'stop' : finishReason;
}
