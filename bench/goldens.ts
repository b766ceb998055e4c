// `npm run goldens`: writes media/doctor/goldens.json, which `flashline doctor` compares a machine with: some of the
// outputs of the built-in pair that the reference implementation made. Run it after the pair has changed.
import { readFileSync, writeFileSync } from 'node:fs';
import { GOLDENS, type PairGolden } from '../server/doctor/checkMode';
import { mediaPath } from '../server/machine/folders';
import { storedTensors } from './storedTensors';

export const HELP = 'Writes media/doctor/goldens.json from test/fixtures/.';

/** Of the fixture, with short prompts: code whose drafts are mostly accepted, and an output that ends. */
const CASES = [7, 8];
const MOST_OUTPUT_TOKENS = 24;

export function run(): void {
  writeFileSync(mediaPath(GOLDENS), `${JSON.stringify({ pair: pairGoldens() })}\n`);
}

/** The first of them is short, for where every row takes long. */
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
  const tensors = storedTensors('test/fixtures/pair-golden.safetensors');
  const ids = (name: string): number[] => {
    const { shape: [length = 0] = [], bytes } = tensors.get(`target.${name}`) ?? {};
    return Array.from({ length }, (_, i) => bytes?.readUInt32LE(4 * i) ?? NaN);
  };
  return { promptIds: ids('input_ids'), outputIds: ids('greedy_ids') };
}
