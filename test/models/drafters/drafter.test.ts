// Runs the drafter contract for each drafter and each form of its attention. A new drafter needs one more row.
import { join } from 'node:path';
import type { Device } from '../../../server/models/mlx/device';
import { ngramDrafter } from '../../../server/models/drafters/ngramDrafter';
import { loadDrafter, loadTarget } from '../../support/loadModels';
import { testDevice, packedDevice } from '../../support/testDevice';
import { DFLASH, DFLASH2, DSPARK, GEMMA4, QWEN3, QWEN3_5, readCheckpoint } from '../../support/fixtures';
import { quantisedCheckpoint } from '../../support/quantisedCheckpoint';
import { withReducedVocabulary } from '../../support/speculatorsForm';
import {
  tinyDrafter,
  tinyTarget,
  withConvolutions,
  withSelector,
  writeCheckpoint,
  type Checkpoint,
} from '../../support/tinyCheckpoint';
import { testDrafter, type DrafterRow } from './drafter.contract';

const SLIDING = { layer_types: ['sliding_attention', 'full_attention'], sliding_window: 5 };

/** Leaves convolution kernels dense, and tables whose names lack the `.weight` that packed ones need. */
const unpacked = (path: string) => (/base_kernel|codebook/.test(path) ? false : undefined);

async function tinyPair(draft: Checkpoint, device: Device = testDevice, bits?: number) {
  const pack = (checkpoint: Checkpoint): Checkpoint =>
    bits === undefined
      ? checkpoint
      : quantisedCheckpoint(checkpoint, { bits, groupSize: 32 }, unpacked).quantised;
  const target = await loadTarget(writeCheckpoint(pack(tinyTarget({ tie_word_embeddings: true }))), device);
  const drafter = await loadDrafter(writeCheckpoint(pack(draft)), target.config, device);
  return { target, drafter };
}

interface Fixture {
  readonly targetDirectory?: string;
  readonly device?: Device;
  readonly bits?: number;
}

async function fixturePair(
  directory: string,
  { targetDirectory = QWEN3, device = testDevice, bits }: Fixture = {},
) {
  const target = await loadTarget(targetDirectory, device);
  const { config, tables } = target;
  return { target, drafter: await loadDrafter(directory, config, device, { tables, bits }) };
}

/** Loads a DSpark drafter without the target's tables, because it has its own. */
async function pairWithOwnTables(change: (checkpoint: Checkpoint) => Checkpoint) {
  const target = await loadTarget(QWEN3, testDevice);
  const folder = writeCheckpoint(change(readCheckpoint(VANILLA)));
  return { target, drafter: await loadDrafter(folder, target.config, testDevice) };
}

/** Loads the drafter in the form of speculators, with a vocabulary of every third token. */
async function pairWithReducedVocabulary(directory: string, algorithm: string) {
  const target = await loadTarget(QWEN3, testDevice);
  const kept = Array.from({ length: 85 }, (_, i) => 3 * i);
  const { tensors } = readCheckpoint(QWEN3);
  const folder = writeCheckpoint(withReducedVocabulary(readCheckpoint(directory), algorithm, kept, tensors));
  return { target, drafter: await loadDrafter(folder, target.config, testDevice) };
}

const VANILLA = join(DSPARK, 'vanilla');

function withoutHeads({ config, tensors }: Checkpoint): Checkpoint {
  const remaining = Object.entries(tensors).filter(([name]) => !/^(markov|confidence)_head/.test(name));
  const headFields = { markov_rank: 0, enable_confidence_head: false };
  return { config: { ...config, ...headFields }, tensors: Object.fromEntries(remaining) };
}

const ROWS: readonly DrafterRow[] = [
  {
    name: 'n-grams',
    open: async () => ({ target: await loadTarget(QWEN3, testDevice), drafter: ngramDrafter() }),
  },
  { name: 'DFlash', open: () => fixturePair(DFLASH) },
  { name: 'DFlash with a sliding layer', open: () => tinyPair(tinyDrafter(SLIDING)) },
  { name: 'packed DFlash of 4 bits', open: () => tinyPair(tinyDrafter(), packedDevice, 4) },
  { name: 'DFlash 2', open: () => fixturePair(join(DFLASH2, 'full')) },
  {
    name: 'DFlash 2 for a hybrid',
    open: () => fixturePair(join(DFLASH2, 'hybrid'), { targetDirectory: QWEN3_5 }),
  },
  {
    name: 'packed DFlash 2 of 8 bits',
    open: () => tinyPair(withConvolutions(withSelector(tinyDrafter(), 8), 2, 16), packedDevice, 8),
  },
  ...['vanilla', 'rnn'].map((head) => ({
    name: `DSpark with its ${head} head`,
    open: () => fixturePair(join(DSPARK, head)),
  })),
  {
    name: 'DSpark of Gemma 4',
    open: () => fixturePair(join(DSPARK, 'gemma4'), { targetDirectory: GEMMA4 }),
  },
  {
    name: 'DFlash of speculators with a reduced vocabulary',
    open: () => pairWithReducedVocabulary(DFLASH, 'dflash'),
  },
  {
    name: 'DSpark of speculators with a reduced vocabulary',
    open: () => pairWithReducedVocabulary(VANILLA, 'dspark'),
  },
  { name: 'DSpark without heads', open: () => pairWithOwnTables(withoutHeads) },
  { name: 'packed DSpark of 8 bits', open: () => fixturePair(VANILLA, { bits: 8, device: packedDevice }) },
];

for (const row of ROWS) testDrafter(row);
