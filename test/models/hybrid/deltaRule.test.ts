// Tests that many rows in one pass get the same outputs as one by one, even equal rows, whose equal keys make sums
// cancel.
import { MAX_BLOCK } from '../../../server/models/hybrid/deltaRule';
import { loadTarget } from '../../support/loadModels';
import { assertClose } from '../../support/arrayValues';
import { testDevice } from '../../support/testDevice';
import { floatTensor } from '../../support/fileTensor';
import { QWEN3_5, readCheckpoint } from '../../support/fixtures';
import { withTensors, writeCheckpoint } from '../../support/tinyCheckpoint';
import { runInChunks, runWhole } from '../../support/tokenRun';

describe('the gated delta rule', () => {
  const published = readCheckpoint(QWEN3_5);
  const rateNames = Object.keys(published.tensors).filter((name) => name.endsWith('.A_log'));

  for (const [what, logarithm] of [
    ['nothing', -20],
    ['as much as the file says', undefined],
    ['nearly everything', 5],
  ] as const)
    it(`gives equal rows the same logits together and one by one if the state forgets ${what}`, async () => {
      const heads = floatTensor([4], Array<number>(4).fill(logarithm ?? 0));
      const changed = Object.fromEntries(rateNames.map((name) => [name, heads]));
      const checkpoint = logarithm === undefined ? published : withTensors(published, changed);
      const target = await loadTarget(writeCheckpoint(checkpoint), testDevice);
      const ids = Array<number>(MAX_BLOCK).fill(7);
      assertClose(runWhole(target, ids).logits, runInChunks(target, ids, [1]).logits, 1e-3, 'logits');
      target.dispose();
    });
});
