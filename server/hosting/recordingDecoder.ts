// Decodes for one request: passes prompts to the engine, records the cost of each decode, and reports `generating`
// while the request waits for the output.
import type { SessionDecoder } from '../completion/session/completionSession';
import type { DecodedPiece, DecodeLimits, Tokenizer } from '../completion/decoder';
import type { SuggestResult } from '../completion/session/suggestionRequest';
import type { DecodeRequest } from '../engine/decode/decode';
import type { RequestKind } from '../engine/request/queueTicket';
import type { FinishReason, Round } from '../engine/request/stats';
import type { TokenLogprobs } from '../engine/sampling/sampler';
import { NO_TOKENIZER } from './noTokenizer';
import type { ChatMessage } from '../protocol/conversation';
import { bytesText } from '../rules/visibleText';
import type { History, RecordedDecode } from './history';
import type { Model } from './model';

/** Options that all decodes of a request share. */
export interface DecodeMode {
  readonly kind: RequestKind;
  readonly draftLength?: DecodeRequest['draftLength'];
  readonly sampling?: DecodeRequest['sampling'];
  readonly repetitionGuard?: DecodeRequest['repetitionGuard'];
  readonly fresh?: DecodeRequest['fresh'];
}

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
    private readonly model: Model,
    private readonly mode: DecodeMode,
    private readonly history?: History,
  ) {
    const { engine, info } = model;
    this.infill = info.infill;
    this.contextTokens = engine.config.maxPositionEmbeddings;
    this.greedyLogprobs = engine.greedyLogprobs;
    this.isRemote = engine.remote !== undefined;
    if (engine.remote === undefined) {
      this.prefillSpeed = engine.prefillSpeed;
      this.expectedPrefillSpeed = engine.expectedPrefillSpeed;
    }
    this.tokenizer = engine.tokenizer ?? NO_TOKENIZER;
  }

  /** Returns the text of a single token, for display. */
  tokenText(token: number): string {
    const bytes = this.model.engine.tokenizer?.bytes(token, { skipSpecialTokens: true });
    return bytesText(bytes ?? Buffer.alloc(0));
  }

  encodeChat(messages: readonly ChatMessage[]): number[] | undefined {
    // Base models can have a template, but answer badly.
    return this.model.info.isBase ? undefined : this.model.engine.encodeChat(messages);
  }

  async *decode(
    promptIds: readonly number[],
    { parts, onEnd, ...limits }: DecodeLimits,
  ): AsyncIterable<DecodedPiece> {
    const { engine, pair, info } = this.model;
    const decode = engine.decode(promptIds, { ...this.mode, ...limits });
    const rounds: Round[] = [];
    // Log-probabilities of the tokens since the last piece that had text.
    let pending: TokenLogprobs[] = [];
    const isAwaited = this.mode.kind !== 'prefetch' && this.mode.kind !== 'nextEdit';
    const end = isAwaited ? this.model.begin?.() : undefined;
    try {
      for await (const { text, round, logprobs = [] } of decode) {
        if (round) rounds.push(round);
        pending.push(...logprobs);
        if (text === '') continue;
        yield { text, logprobs: pending };
        pending = [];
      }
    } finally {
      end?.();
      const { result } = decode;
      onEnd?.(result.finishReason);
      const stats = { ...result.stats, finishReason: finishReasonOf(result.stats) };
      this.decodes.push({
        ...result,
        stats,
        pair,
        model: info,
        promptIds,
        ...(parts && { parts }),
        rounds,
        isDrawn: limits.sampling !== undefined,
      });
    }
  }

  record(file: string, outcome?: SuggestResult['outcome'], pausedMs?: number): void {
    const last = this.decodes.findLast(({ isDrawn }) => !isDrawn);
    // Without an outcome to show, the row shows why the decode finished.
    const shownOutcome = outcome === 'cancelled' || outcome === 'skipped' ? undefined : outcome;
    for (const decode of this.decodes) {
      const { isDrawn, stats } = decode;
      // Earlier decodes were discarded: their output did not begin with the text that it had to repeat, or ended there.
      const decodeOutcome = decode === last ? shownOutcome : shownOutcome && 'filtered';
      const label = {
        kind: isDrawn ? 'alternative' : this.mode.kind,
        file,
        ...(pausedMs !== undefined && { pausedMs }),
        outcome: (isDrawn ? undefined : decodeOutcome) ?? stats.finishReason,
      } as const;
      this.history?.record(label, decode, (token) => this.tokenText(token));
    }
  }
}

/** Returns the finish reason to show: `stop` for a decode that the reader ended because the text was complete. */
function finishReasonOf({ finishReason }: { readonly finishReason: FinishReason }): FinishReason {
  return finishReason === 'abandoned' ? 'stop' : finishReason;
}
