// The drafter contract, once for each drafter and each form of its attention.
// A new drafter is one more row.
import type { Device } from '../../server/models/device';
import { ngramDrafter } from '../../server/models/ngramDrafter';
import { loadDrafter, loadTarget } from '../../server/models/registry';
import { cpu, packedCpu } from '../support/cpu';
import { join } from 'node:path';
import { DFLASH, DSPARK, QWEN3 } from '../support/fixtures';
import { quantisedCheckpoint } from '../support/quantisedCheckpoint';
import { tinyDrafter, tinyTarget, writeCheckpoint, type Checkpoint } from '../support/tinyCheckpoint';
import { testDrafter, type DrafterRow } from './drafter.contract';

const SLIDING = { layer_types: ['sliding_attention', 'full_attention'], sliding_window: 5 };

async function pair(draft: Checkpoint, device: Device = cpu, bits?: number) {
  const pack = (checkpoint: Checkpoint): Checkpoint =>
    bits === undefined ? checkpoint : quantisedCheckpoint(checkpoint, { bits, groupSize: 32 }).quantised;
  const target = await loadTarget(writeCheckpoint(pack(tinyTarget({ tie_word_embeddings: true }))), device);
  const drafter = await loadDrafter(writeCheckpoint(pack(draft)), target.config, device);
  return { target, drafter };
}

async function fixturePair(directory: string) {
  const target = await loadTarget(QWEN3, cpu);
  const { config, tables } = target;
  return { target, drafter: await loadDrafter(directory, config, cpu, { tables }) };
}

const ROWS: readonly DrafterRow[] = [
  { name: 'n-grams', open: async () => ({ target: await loadTarget(QWEN3, cpu), drafter: ngramDrafter() }) },
  { name: 'DFlash', open: () => fixturePair(DFLASH) },
  { name: 'DFlash with a sliding layer', open: () => pair(tinyDrafter(SLIDING)) },
  {
    name: 'causal DFlash with biases',
    open: () => pair(tinyDrafter({ is_causal: true, attention_bias: true })),
  },
  { name: 'DFlash of 8 bits', open: () => pair(tinyDrafter(), cpu, 8) },
  { name: 'packed DFlash of 4 bits', open: () => pair(tinyDrafter(), packedCpu, 4) },
  ...['vanilla', 'gated', 'rnn'].map((head) => ({
    name: `DSpark with its ${head} head`,
    open: () => fixturePair(join(DSPARK, head)),
  })),
];

for (const row of ROWS) testDrafter(row);
