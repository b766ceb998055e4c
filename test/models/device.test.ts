// The processor that a person asks for, or the complaint that this machine has none.
// Its number type and form of weights follow from it.
import assert from 'node:assert/strict';
import { core } from '../../server/models/binding';
import { selectDevice } from '../../server/models/device';
import { float32 } from '../../server/models/ops';
import { assertRefused } from '../support/refusal';

describe('selectDevice', () => {
  after(() => void selectDevice('cpu'));

  it('computes in float32 with expanded weights on the CPU', () => {
    assert.deepEqual(selectDevice('cpu'), { name: 'cpu', dtype: float32, keepsQuantised: false });
  });

  it('takes the GPU where there is one', () => {
    assert.equal(selectDevice().name, core.metal.isAvailable() ? 'gpu' : 'cpu');
  });

  it('refuses a GPU where there is none', async function () {
    if (core.metal.isAvailable()) this.skip();
    await assertRefused(() => selectDevice('gpu'), 'Metal GPU for --device gpu', process.platform);
  });
});
