// Decodes one prompt with one draft length after another, from a single prefill: nothing else differs between them.
import type { DecodeRequest, DraftLength, DecodeResult } from '../../server/engine/decode/decode';
import type { Engine } from '../../server/engine/engine';
import { drawsDrafts } from '../../server/engine/request/sampling';

type Wish = Pick<DecodeRequest, 'maxTokens' | 'sampling' | 'stopTokenIds'>;

/** Where measured decodes begin. */
interface Start {
  readonly promptIds: readonly number[];
  readonly wish: Wish;
}

/** A result for each draft length, one after the other; none when the first token of the output is its last. */
export async function decodeAll(
  engine: Engine,
  promptIds: readonly number[],
  wish: Wish,
  draftLengths: readonly DraftLength[],
): Promise<ReadonlyMap<DraftLength, DecodeResult>> {
  const results = new Map<DraftLength, DecodeResult>();
  // Where drafts are drawn at random, a request whose prompt is known begins with a round without drafts.
  const start = drawsDrafts(wish.sampling ?? {}) ? { promptIds, wish } : await begun(engine, promptIds, wish);
  if (start)
    for (const draftLength of draftLengths)
      results.set(draftLength, await engine.decode(start.promptIds, { ...start.wish, draftLength }).finish());
  engine.resizeCache({ bytes: 0 });
  return results;
}

/**
 * The prompt with its first token, and what is left to decode, after everything that precedes the first round: the
 * prompt is read once for plain decodes and once for the others, and kept.
 */
async function begun(engine: Engine, promptIds: readonly number[], wish: Wish): Promise<Start | undefined> {
  engine.resizeCache({ bytes: Infinity });
  let first: readonly number[] = [];
  for (const draftLength of [0, 1]) {
    const decode = engine.decode(promptIds, { ...wish, draftLength });
    for await (const { tokens } of decode) if ((first = tokens).length > 0) break;
    if (decode.result.finishReason === 'stop') return undefined;
  }
  return { promptIds: [...promptIds, ...first], wish: { ...wish, maxTokens: wish.maxTokens - 1 } };
}
