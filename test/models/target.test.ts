// The target contract, once for each architecture and each form of its head and positions.
// A new architecture is one more row, or one more line of targetFamilies.ts.
import { loadTarget } from '../../server/models/families/registry';
import { cpu, packedCpu } from '../support/cpu';
import { MISTRAL, QWEN3_MOE, readCheckpoint } from '../support/fixtures';
import { inExpertLayout } from '../support/expertLayout';
import { quantisedCheckpoint } from '../support/quantisedCheckpoint';
import { TARGET_FAMILIES } from '../support/targetFamilies';
import { tinyTarget, withConfig, writeCheckpoint } from '../support/tinyCheckpoint';
import { testTarget, type TargetRow } from './target.contract';

const packed = () => quantisedCheckpoint(tinyTarget(), { bits: 8, groupSize: 64 }).quantised;
const narrow = () => quantisedCheckpoint(tinyTarget(), { bits: 3, groupSize: 64 }).quantised;
const packedExperts = () =>
  quantisedCheckpoint(inExpertLayout(readCheckpoint(QWEN3_MOE), 'stacked'), { bits: 8, groupSize: 64 })
    .quantised;

const ROWS: readonly TargetRow[] = [
  ...TARGET_FAMILIES.map(({ name, directory, ownMemories }) => ({
    name,
    open: () => loadTarget(directory, cpu),
    ownMemories,
  })),
  {
    name: 'tied Qwen3',
    open: () => loadTarget(writeCheckpoint(tinyTarget({ tie_word_embeddings: true })), cpu),
  },
  {
    name: 'Qwen3 with biases',
    open: () => loadTarget(writeCheckpoint(tinyTarget({ attention_bias: true })), cpu),
  },
  {
    name: 'Mistral with a window',
    open: () => loadTarget(writeCheckpoint(withConfig(readCheckpoint(MISTRAL), { sliding_window: 11 })), cpu),
  },
  { name: 'packed Qwen3 with experts', open: () => loadTarget(writeCheckpoint(packedExperts()), packedCpu) },
  { name: 'Qwen3 with 3 bits', open: () => loadTarget(writeCheckpoint(narrow()), packedCpu) },
  { name: 'packed Qwen3', open: () => loadTarget(writeCheckpoint(packed()), packedCpu) },
];

for (const row of ROWS) testTarget(row);
