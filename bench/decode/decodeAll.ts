// Decodes one prompt with several draft lengths, from a cached prefill unless drafts are sampled, so that only rounds
// differ between them.
import type { DecodeRequest, DraftLength, DecodeResult } from '../../server/engine/decode/decode';
import type { Engine } from '../../server/engine/engine';
import { drawsDrafts } from '../../server/engine/request/sampling';

type BenchRequest = Pick<DecodeRequest, 'maxTokens' | 'sampling' | 'stopTokenIds'>;

/** Prompt and request from which measured decodes begin. */
interface Start {
  readonly promptIds: readonly number[];
  readonly request: BenchRequest;
}

/** Returns a result per draft length; none if the first token of the output is its last. */
export async function decodeAll(
  engine: Engine,
  promptIds: readonly number[],
  request: BenchRequest,
  draftLengths: readonly DraftLength[],
): Promise<ReadonlyMap<DraftLength, DecodeResult>> {
  const results = new Map<DraftLength, DecodeResult>();
  // If drafts are sampled, a request with a cached prompt begins with a round without drafts, so do not cache it.
  const start = drawsDrafts(request.sampling ?? {})
    ? { promptIds, request }
    : await cachedStart(engine, promptIds, request);
  if (start)
    for (const draftLength of draftLengths) {
      const decode = engine.decode(start.promptIds, { ...start.request, draftLength });
      results.set(draftLength, await decode.finish());
    }
  engine.resizeCache({ bytes: 0 });
  return results;
}

/**
 * Prefills and caches the prompt, once for plain and once for speculative decodes. Returns the prompt with its first
 * output token, and the request for the remaining tokens.
 */
async function cachedStart(
  engine: Engine,
  promptIds: readonly number[],
  request: BenchRequest,
): Promise<Start | undefined> {
  engine.resizeCache({ bytes: Infinity });
  let first: readonly number[] = [];
  for (const draftLength of [0, 1]) {
    const decode = engine.decode(promptIds, { ...request, draftLength });
    for await (const { tokens } of decode) if ((first = tokens).length > 0) break;
    if (decode.result.finishReason === 'stop') return undefined;
  }
  return { promptIds: [...promptIds, ...first], request: { ...request, maxTokens: request.maxTokens - 1 } };
}
