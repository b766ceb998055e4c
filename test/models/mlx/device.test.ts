// Tests the device that a user chooses, or the error if the machine has none, and the number type of a drafter.
import assert from 'node:assert/strict';
import { core } from '../../../server/models/mlx/binding';
import { drafterDevice, selectDevice } from '../../../server/models/mlx/device';
import { deviceName } from '../../support/testDevice';
import { assertRefused } from '../../support/refusal';

describe('drafterDevice', () => {
  const gpu = { name: 'gpu', dtype: core.bfloat16, keepsQuantised: true } as const;
  for (const [chip, type] of [
    ['Apple M1', 'float32'],
    ['Apple M2 Ultra', 'float32'],
    ['Apple M3', 'bfloat16'],
    ['Apple M21', 'bfloat16'],
  ] as const)
    it(`computes in ${type} on an ${chip}`, () => {
      assert.deepEqual(drafterDevice(gpu, chip), { ...gpu, dtype: core[type] });
    });

  it('leaves a CPU unchanged on any chip', () => {
    const device = { ...gpu, name: 'cpu' } as const;
    assert.equal(drafterDevice(device, 'Apple M1'), device);
  });
});

describe('selectDevice', () => {
  after(() => void selectDevice(deviceName, true));

  it('chooses the GPU if there is one', () => {
    assert.equal(selectDevice().name, core.metal.isAvailable() ? 'gpu' : 'cpu');
  });

  it('expands weights to float32 on a CPU, strict or not', () => {
    for (const strict of [undefined, true])
      assert.deepEqual(selectDevice('cpu', strict), {
        name: 'cpu',
        dtype: core.float32,
        keepsQuantised: false,
      });
  });

  it('rejects a GPU that does not exist', async function () {
    if (core.metal.isAvailable()) this.skip();
    await assertRefused(() => selectDevice('gpu'), 'Metal GPU', process.platform);
  });
});
