// The goldens of `flashline doctor` for the built-in pair: some of the outputs that the reference implementation made.
import { readFileSync } from 'node:fs';
import type { PairGolden } from '../../server/doctor/goldens';

/** Of the fixture: short prompts, some with outputs that end, and drafts that are often or hardly accepted. */
const CASES = [7, 8, 15];
const MOST_OUTPUT_TOKENS = 32;

export function pairGoldens(): PairGolden[] {
  const cases = JSON.parse(readFileSync('test/fixtures/pair-cases.json', 'utf8')) as readonly {
    readonly prompt_ids: readonly number[];
    readonly output_ids: readonly number[];
  }[];
  return CASES.map((index) => {
    const { prompt_ids: promptIds = [], output_ids: outputIds = [] } = cases[index] ?? {};
    return { promptIds, outputIds: outputIds.slice(0, MOST_OUTPUT_TOKENS) };
  });
}
