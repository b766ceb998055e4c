// A fill-in-the-middle prompt as token ids.
import { fimSegments } from '../../server/completion/prompt/fimPrompt';

export function fimPrompt(...parts: Parameters<typeof fimSegments>): number[] | undefined {
  return fimSegments(...parts)?.flatMap(({ ids }) => ids);
}
