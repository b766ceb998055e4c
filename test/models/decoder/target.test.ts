// Runs the target contract for families of each architecture and for packed weights.
import { loadTarget } from '../../support/loadModels';
import { testDevice, packedDevice } from '../../support/testDevice';
import { MISTRAL, QWEN3_MOE, readCheckpoint } from '../../support/fixtures';
import { inExpertLayout } from '../../support/expertLayout';
import { quantisedCheckpoint } from '../../support/quantisedCheckpoint';
import { CONTRACT_FAMILIES } from '../../support/targetFamilies';
import { tinyTarget, withConfig, writeCheckpoint } from '../../support/tinyCheckpoint';
import { testTarget, type TargetRow } from './target.contract';

const packed = () => quantisedCheckpoint(tinyTarget(), { bits: 8, groupSize: 64 }).quantised;
const packedExperts = () =>
  quantisedCheckpoint(inExpertLayout(readCheckpoint(QWEN3_MOE), 'stacked'), { bits: 8, groupSize: 64 })
    .quantised;

const ROWS: readonly TargetRow[] = [
  ...CONTRACT_FAMILIES.map(({ name, directory, cachedLayerCount }) => ({
    name,
    open: () => loadTarget(directory, testDevice),
    cachedLayerCount,
  })),
  {
    name: 'Mistral with a window',
    open: () =>
      loadTarget(writeCheckpoint(withConfig(readCheckpoint(MISTRAL), { sliding_window: 11 })), testDevice),
  },
  {
    name: 'packed Qwen3 with experts',
    open: () => loadTarget(writeCheckpoint(packedExperts()), packedDevice),
  },
  { name: 'packed Qwen3', open: () => loadTarget(writeCheckpoint(packed()), packedDevice) },
];

for (const row of ROWS) testTarget(row);
