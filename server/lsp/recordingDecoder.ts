// The engine as the completion layer sees it, for one request. Remembers what each decode cost, and lets the
// status show that the engine works, unless nobody waits for it.
import type { ChatMessage, DecodeLimits, Decoder } from '../completion/decoder';
import type { FimLayout } from '../completion/fimFormat';
import type { TextStart } from '../completion/fimPrompt';
import type { TokenLogprobs } from '../engine/sampling/sampler';
import type { SamplingOptions } from '../engine/sampling/sampling';
import { rates, type FinishReason, type RequestStats, type Round } from '../engine/stats';
import type { StatsRates } from '../protocol';
import type { LoadedModel } from './loadedModel';

export interface DecodeManner {
  readonly kind: 'inline' | 'generate' | 'prefetch';
  readonly draftLength: number | 'full' | 'adaptive';
  /** Reads the whole prompt anew, for comparisons. */
  readonly fresh?: true;
  /** The most probable tokens by default. */
  readonly sampling?: SamplingOptions;
  /** Whether an output ends once it goes round in circles. */
  readonly repetitionGuard?: boolean;
}

/** What came of one decode, and what it cost. */
export interface RecordedDecode {
  /** Of models, whose tokens these are. */
  readonly pair: string;
  readonly promptIds: readonly number[];
  readonly tokenIds: readonly number[];
  readonly rounds: readonly Round[];
  readonly stats: RequestStats;
  readonly rates: StatsRates;
  /** One for each token, when they were asked for. */
  readonly logprobs: readonly TokenLogprobs[] | undefined;
  /** Whether its tokens were drawn to go beside a more probable text. */
  readonly isDrawn: boolean;
}

export class RecordingDecoder implements Decoder {
  readonly decodes: RecordedDecode[] = [];
  readonly infill: Decoder['infill'];
  readonly layout: FimLayout;

  constructor(
    private readonly model: LoadedModel,
    private readonly manner: DecodeManner,
  ) {
    this.infill = model.info.infill;
    this.layout = model.layout;
  }

  get kind(): DecodeManner['kind'] {
    return this.manner.kind;
  }

  get contextTokens(): number {
    return this.model.engine.config.maxPositionEmbeddings;
  }

  get textStart(): TextStart {
    return this.model.engine.tokenizer?.textStart ?? { ids: [], space: '' };
  }

  encodeText(text: string): number[] {
    return this.model.engine.tokenizer?.encodeText(text) ?? [];
  }

  decodeText(ids: readonly number[]): string {
    return this.model.engine.tokenizer?.decode(ids) ?? '';
  }

  specialTokenId(content: string): number | undefined {
    return this.model.engine.tokenizer?.specialTokenId(content);
  }

  encodeChat(messages: readonly ChatMessage[]): number[] | undefined {
    return this.model.engine.encodeChat(messages);
  }

  async *decode(
    promptIds: readonly number[],
    limits: DecodeLimits,
  ): AsyncIterable<{ readonly text: string }> {
    const { engine, owner, pair } = this.model;
    const decode = engine.decode(promptIds, { ...this.manner, ...limits, owner });
    const rounds: Round[] = [];
    const end = this.manner.kind === 'prefetch' ? undefined : this.model.begin?.();
    try {
      for await (const { text, round } of decode) {
        if (round) rounds.push(round);
        if (text !== '') yield { text };
      }
    } finally {
      end?.();
      const { tokenIds, stats, logprobs } = decode.result;
      this.decodes.push({
        pair,
        promptIds,
        tokenIds,
        rounds,
        stats: { ...stats, finishReason: reasonOf(stats) },
        rates: rates(stats),
        logprobs,
        isDrawn: limits.sampling !== undefined,
      });
    }
  }
}

/** Who stops reading has what syntax says is complete, so to a person it is an end like that at an end token. */
function reasonOf({ finishReason }: RequestStats): FinishReason {
  return finishReason === 'abandoned' ? 'stop' : finishReason;
}
