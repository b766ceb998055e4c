// A table of random logits over a small vocabulary: a model whose next token depends on the two tokens before.
import type { LogitsAfter } from './plainChain';
import { seededRandom } from './seededRandom';

export interface LogitTable {
  readonly vocabSize: number;
  readonly after: LogitsAfter;
}

export function logitTable(seed: number, vocabSize: number, spread = 3): LogitTable {
  const random = seededRandom(seed);
  const rows = Array.from({ length: vocabSize ** 2 }, () =>
    Array.from({ length: vocabSize }, () => spread * (random() - 0.4)),
  );
  const after = (history: readonly number[]): readonly number[] =>
    rows[(history.at(-2) ?? 0) * vocabSize + (history.at(-1) ?? 0)] ?? [];
  return { vocabSize, after };
}
