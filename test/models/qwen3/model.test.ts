// Qwen3 against the reference implementation: goldens of an untied model and of a tied one with YaRN.
// Every layer's output is compared, so a wrong one is found where it happens.
import assert from 'node:assert/strict';
import { Qwen3 } from '../../../server/models/qwen3/model';
import { ConfigFields } from '../../../server/models/configFields';
import { dispose, liveArrays, scope } from '../../../server/models/memory';
import { loadTarget } from '../../../server/models/registry';
import type { TargetModel } from '../../../server/models/target';
import { tokenArray } from '../../../server/models/tokenArray';
import { assertClose, rowsOf, valuesOf } from '../../support/arrayValues';
import { cpu } from '../../support/cpu';
import { QWEN3, QWEN3_YARN, readGolden } from '../../support/fixtures';
import { bestToken, runInChunks, runTokens, runWhole, withCaches } from '../../support/tokenRun';

const TOLERANCE = 2e-3;
/** Below this distance between the best two logits a mismatch is a tie, not an error. */
const TIE = 1e-3;

for (const [title, directory] of [
  ['untied Qwen3', QWEN3],
  ['tied Qwen3 with YaRN', QWEN3_YARN],
] as const) {
  describe(`${title} against its golden`, () => {
    const golden = readGolden(directory);
    const ids = golden('input_ids');
    let target: TargetModel;
    before(async () => (target = await loadTarget(directory, cpu)));
    after(() => target.dispose());

    const layerOutputs = (layer: number) => {
      const { hiddenSize } = target.config;
      // Entry 0 holds the embeddings.
      return rowsOf(golden('hidden_states'), ids.length * hiddenSize, layer + 1, layer + 2);
    };

    it('embeds as the reference does', () => {
      const embedded = scope(() => valuesOf(target.embed(tokenArray(ids, target.config.vocabSize))));
      assertClose(embedded, layerOutputs(-1), TOLERANCE, 'embeddings');
    });

    for (const sizes of [[40], [1], [7], [16, 1, 23], [39, 1]]) {
      it(`computes its hidden states and logits in chunks of ${sizes.join(', ')}`, () => {
        const last = target.config.numHiddenLayers - 1;
        for (let layer = 0; layer < last; layer++) {
          const { taps } = runInChunks(target, ids, sizes, [layer]);
          assertClose(taps, layerOutputs(layer), TOLERANCE, `outputs of layer ${layer}`);
        }
        // The reference keeps the last layer's output after the final norm.
        const { hidden, logits } = runInChunks(target, ids, sizes);
        assertClose(hidden, layerOutputs(last), TOLERANCE, 'final hidden states');
        assertClose(logits, golden('logits'), TOLERANCE, 'logits');
      });
    }

    it('is far closer to the reference than the tolerance', () => {
      assertClose(runWhole(target, ids).logits, golden('logits'), 1e-4, 'logits');
    });

    it('continues greedily with its tokens, one by one', () => {
      const { vocabSize } = target.config;
      const margins = golden('greedy_margin');
      withCaches(target, (caches) => {
        let next = bestToken(runTokens(target, caches, ids), vocabSize);
        for (const [step, expected] of golden('greedy_ids').entries()) {
          const margin = margins[step] ?? 0;
          if (margin >= TIE) assert.equal(next, expected, `token ${step}, margin ${margin}`);
          next = bestToken(runTokens(target, caches, [expected]), vocabSize);
        }
      });
    });
  });
}

describe('Qwen3', () => {
  it('refuses more caches than it has layers', async () => {
    const before = liveArrays();
    const target = await Qwen3.load(QWEN3, ConfigFields.read(`${QWEN3}/config.json`), cpu);
    const caches = [...target.newCaches(1), ...target.newCaches(1)];
    assert.throws(() => runTokens(target, caches, [1]), RangeError);
    caches.forEach((cache) => cache.dispose());
    target.dispose();
    dispose();
    assert.equal(liveArrays(), before);
  });
});
