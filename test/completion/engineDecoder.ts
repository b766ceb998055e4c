// The real embedded pair as the completion layer's Decoder: what lsp/ does, without statistics.
// Records how each decode was asked.
import type { DecodeLimits, Decoder } from '../../server/completion/decoder';
import type { FimLayout } from '../../server/completion/fimFormat';
import type { Engine } from '../../server/engine/engine';

export class EngineDecoder implements Decoder {
  readonly infill = 'fim';
  readonly textStart = { ids: [], space: '' } as const;
  readonly prompts: (readonly number[])[] = [];

  constructor(
    private readonly engine: Engine,
    readonly layout: FimLayout,
  ) {}

  get contextTokens(): number {
    return this.engine.config.maxPositionEmbeddings;
  }

  encodeText(text: string): number[] {
    return this.engine.tokenizer?.encodeText(text) ?? [];
  }

  decodeText(ids: readonly number[]): string {
    return this.engine.tokenizer?.decode(ids) ?? '';
  }

  specialTokenId(content: string): number | undefined {
    return this.engine.tokenizer?.specialTokenId(content);
  }

  encodeChat(): number[] | undefined {
    return undefined;
  }

  async *decode(
    promptIds: readonly number[],
    limits: DecodeLimits,
  ): AsyncGenerator<{ readonly text: string }> {
    this.prompts.push(promptIds);
    for await (const { text } of this.engine.decode(promptIds, limits)) if (text !== '') yield { text };
  }
}
