// What the limits and windows of Gemma 2 change, and what they do not.
import assert from 'node:assert/strict';
import { loadTarget } from '../../../server/models/families/registry';
import { assertClose, rowsOf } from '../../support/arrayValues';
import { cpu } from '../../support/cpu';
import { GEMMA2, readCheckpoint, readGolden } from '../../support/fixtures';
import type { Entries } from '../../support/gemmaConfig';
import { withConfig, writeCheckpoint } from '../../support/tinyCheckpoint';
import { runWhole } from '../../support/tokenRun';

const golden = readGolden(GEMMA2);
const IDS = golden('input_ids');
const VOCABULARY = 256;

describe('a Gemma 2 checkpoint', () => {
  async function logitsWith(entries: Entries): Promise<number[]> {
    const checkpoint = withConfig(readCheckpoint(GEMMA2), entries);
    const target = await loadTarget(writeCheckpoint(checkpoint), cpu);
    const { logits } = runWhole(target, IDS);
    target.dispose();
    return logits;
  }

  let usual: number[];
  before(async () => (usual = await logitsWith({})));

  it('computes without limits what it computes with limits far away', async () => {
    const far = await logitsWith({ attn_logit_softcapping: 1e5, final_logit_softcapping: 1e5 });
    const none = await logitsWith({ attn_logit_softcapping: null, final_logit_softcapping: null });
    assertClose(none, far, 1e-4);
  });

  it('squeezes its logits by the final limit alone', async () => {
    const raw = await logitsWith({ final_logit_softcapping: null });
    const squeezed = raw.map((logit) => 2 * Math.tanh(logit / 2));
    assertClose(await logitsWith({ final_logit_softcapping: 2 }), squeezed, 1e-5);
    assert.throws(() => assertClose(raw, squeezed, 1e-2));
  });

  it('is another model with a close limit of its scores', async () => {
    const close = await logitsWith({ attn_logit_softcapping: 0.1 });
    assert.throws(() => assertClose(close, usual, 1e-3));
  });

  it('sees more through a wider window, but the same inside of the narrow one', async () => {
    const wide = await logitsWith({ sliding_window: 64 });
    assertClose(rowsOf(wide, VOCABULARY, 0, 16), rowsOf(usual, VOCABULARY, 0, 16), 1e-5);
    assert.throws(() => assertClose(wide, usual, 1e-2));
  });
});
