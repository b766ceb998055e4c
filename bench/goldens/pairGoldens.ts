// The goldens of `flashline doctor` for the built-in pair: some of the outputs that the reference implementation made,
// the first of them short, for where every row takes long.
import { readFileSync } from 'node:fs';
import type { PairGolden } from '../../server/doctor/checkMode';
import { safetensors } from './safetensors';

/** Of the fixture, with short prompts: code whose drafts are mostly accepted, and an output that ends. */
const CASES = [7, 8];
const MOST_OUTPUT_TOKENS = 24;

export function pairGoldens(): PairGolden[] {
  const cases = JSON.parse(readFileSync('test/fixtures/pair-cases.json', 'utf8')) as readonly {
    readonly prompt_ids: readonly number[];
    readonly output_ids: readonly number[];
  }[];
  const chosen = CASES.map((index) => {
    const { prompt_ids: promptIds = [], output_ids: outputIds = [] } = cases[index] ?? {};
    return { promptIds, outputIds: outputIds.slice(0, MOST_OUTPUT_TOKENS) };
  });
  return [shortGolden(), ...chosen];
}

function shortGolden(): PairGolden {
  const tensors = safetensors('test/fixtures/pair-golden.safetensors');
  const ids = (name: string) =>
    tensors[`target.${name}`]?.values((bytes, at) => bytes.readUInt32LE(at)) ?? [];
  return { promptIds: ids('input_ids'), outputIds: ids('greedy_ids') };
}
