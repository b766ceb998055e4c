// What a decoder does that is no arithmetic: it is given the caches that it made, and says how far loading is.
import assert from 'node:assert/strict';
import { liveArrays } from '../../server/models/mlx/memory';
import { loadTarget } from '../../server/models/families/registry';
import { cpu } from '../support/cpu';
import { QWEN3 } from '../support/fixtures';
import { runTokens } from '../support/tokenRun';

describe('a decoder', () => {
  it('refuses more caches than it has layers', async () => {
    const before = liveArrays();
    const target = await loadTarget(QWEN3, cpu);
    const caches = [...target.newCaches(1), ...target.newCaches(1)];
    assert.throws(() => runTokens(target, caches, [1]), RangeError);
    caches.forEach((cache) => cache.dispose());
    target.dispose();
    assert.equal(liveArrays(), before);
  });

  it('tells when it is loaded', async () => {
    const seen: number[] = [];
    const target = await loadTarget(QWEN3, cpu, (fraction) => seen.push(fraction));
    target.dispose();
    assert.deepEqual(seen, [1]);
  });
});
