// The engine as the completion layer sees it, for one request. Remembers what each decode cost.
import type { ChatMessage, DecodeLimits, Decoder } from '../completion/decoder';
import type { FimLayout } from '../completion/fimPrompt';
import { rates, type Round } from '../engine/stats';
import type { LoadedModel } from './modelHost';
import type { RecordedDecode } from './statsRow';

export interface DecodeManner {
  readonly kind: 'inline' | 'generate' | 'prefetch';
  readonly draftLength: number | 'full' | 'adaptive';
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
    const decode = this.model.engine.decode(promptIds, { ...limits, ...this.manner });
    const rounds: Round[] = [];
    try {
      for await (const { text, round } of decode) {
        if (round) rounds.push(round);
        if (text !== '') yield { text };
      }
    } finally {
      const { tokenIds, stats } = decode.result;
      this.decodes.push({
        engine: this.model.engine,
        promptIds,
        tokenIds,
        rounds,
        stats,
        rates: rates(stats),
      });
    }
  }
}
