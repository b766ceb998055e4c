// The real embedded pair as the completion layer's Decoder: what lsp/ does, without statistics.
// Records how each decode was asked.
import assert from 'node:assert/strict';
import type { DecodeLimits, Decoder, FimLayout, Tokenizer } from '../../server/completion/decoder';
import type { Engine } from '../../server/engine/engine';

export class EngineDecoder implements Decoder {
  readonly infill = 'fim';
  readonly prompts: (readonly number[])[] = [];

  constructor(
    private readonly engine: Engine,
    readonly layout: FimLayout,
  ) {}

  get contextTokens(): number {
    return this.engine.config.maxPositionEmbeddings;
  }

  get tokenizer(): Tokenizer {
    return this.engine.tokenizer ?? assert.fail();
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
