// A fill-in-the-middle prompt as token ids.
import { fimSegments } from '../../server/completion/prompt/fimPrompt';

export function fimPrompt(...asked: Parameters<typeof fimSegments>): number[] | undefined {
  return fimSegments(...asked)?.flatMap(({ ids }) => ids);
}
