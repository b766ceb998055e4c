// What flashline doctor says when it cannot begin; what it finds is tested in test/doctor.
import assert from 'node:assert/strict';
import { hasGpu } from '../../server/models/mlx/binding';
import { flashline } from './flashline';

describe('flashline doctor', () => {
  it('ends at once when there is no such device', async function () {
    if (hasGpu) this.skip();
    const { code, signal, stdout, stderr } = await flashline(['doctor', '--device', 'gpu']);
    assert.deepEqual([code, signal, stdout], [2, null, '']);
    assert.match(stderr, /Expected a Metal GPU for --device gpu, got none; use --device cpu/);
  });
});
