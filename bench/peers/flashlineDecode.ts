// Flashline as a peer: the embedded pair on the CPU, where its weights are float32.
import { loadPair } from '../../server/cli/arguments';
import type { FlashlineSetup, PeerDecode } from './peer';

export async function flashlineDecode({ draftLength }: FlashlineSetup): Promise<PeerDecode> {
  const drafter = draftLength === 0 ? 'none' : undefined;
  const engine = await loadPair({ target: undefined, drafter, device: 'cpu', draftLength: 'full' });
  return async function* ({ promptIds, maxTokens }) {
    const decode = engine.decode(promptIds, { maxTokens, draftLength, fresh: true });
    for await (const { tokens } of decode) yield tokens;
    const { reusedTokens } = decode.result.stats;
    if (reusedTokens > 0)
      throw new Error(`Expected empty caches before each prompt, got ${String(reusedTokens)} reused tokens`);
  };
}
