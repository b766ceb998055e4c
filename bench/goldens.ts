// `npm run goldens`: writes some outputs of the reference implementation for the built-in pair to
// media/doctor/goldens.json. `flashline doctor` compares a machine's outputs with them. Run it after the pair has
// changed.
import { readFileSync, writeFileSync } from 'node:fs';
import { GOLDENS, type PairGolden } from '../server/doctor/checkMode';
import { mediaPath } from '../server/machine/folders';
import { storedTensors } from './storedTensors';

export const HELP = 'Writes media/doctor/goldens.json from test/fixtures/.';

/** Cases of the fixture with short prompts: one whose rounds accept several drafts, and one whose output ends. */
const CASES = [7, 8];
const MAX_OUTPUT_TOKENS = 24;

export function run(): void {
  writeFileSync(mediaPath(GOLDENS), `${JSON.stringify({ pair: pairGoldens() })}\n`);
}

/** Returns the golden outputs. The first is short, for machines on which each row takes long. */
export function pairGoldens(): PairGolden[] {
  const cases = JSON.parse(readFileSync('test/fixtures/pair-cases.json', 'utf8')) as readonly {
    readonly prompt_ids: readonly number[];
    readonly output_ids: readonly number[];
  }[];
  const chosen = CASES.map((index) => {
    const { prompt_ids: promptIds = [], output_ids: outputIds = [] } = cases[index] ?? {};
    return { promptIds, outputIds: outputIds.slice(0, MAX_OUTPUT_TOKENS) };
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
