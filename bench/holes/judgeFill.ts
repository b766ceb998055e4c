// How good an answer is, compared with what was taken out.
import { editSimilarity } from './editSimilarity';
import type { Fill } from './fillHoles';
import { missingText } from './holes';

export interface Judgement {
  /** Whether the first line is the same, apart from white space at its end. */
  readonly exact: boolean;
  /** Of the first lines: 1 for the same, 0 for nothing in common. */
  readonly similarity: number;
  /** The same two for the whole answer, which tells more where several lines were taken out. */
  readonly wholeExact: boolean;
  readonly wholeSimilarity: number;
  readonly empty: boolean;
}

export function judgeFill({ hole, text }: Pick<Fill, 'hole' | 'text'>): Judgement {
  const missing = missingText(hole);
  const [line, wanted] = [firstLine(text), firstLine(missing)];
  const [whole, wantedWhole] = [trimmedLines(text), trimmedLines(missing)];
  return {
    exact: line === wanted,
    similarity: editSimilarity(line, wanted),
    wholeExact: whole === wantedWhole,
    wholeSimilarity: editSimilarity(whole, wantedWhole),
    empty: text === '',
  };
}

function firstLine(text: string): string {
  return text.split('\n', 1).join().trimEnd();
}

function trimmedLines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}
