// Tests the memory that the system allows the process, that of the machine or of its container, and the part of it
// for models.
import assert from 'node:assert/strict';
import { totalmem } from 'node:os';
import { mock } from 'node:test';
import { cacheBudget } from '../../server/hosting/cacheBudget';
import { thisMachine, totalMemory, usableBytes, type Processor } from '../../server/machine/thisMachine';
import { temporaryFolder } from '../support/temporaryFolder';

describe('total memory in a container', () => {
  afterEach(() => {
    mock.restoreAll();
  });

  it('is the limit of its control group, for models and for the prompt cache', () => {
    mock.method(process, 'constrainedMemory', () => 4e9);
    const { memoryBytes, usableBytes: usable, processor } = thisMachine(temporaryFolder());
    assert.equal(memoryBytes, 4e9);
    assert.equal(usable, usableBytes(4e9, processor));
    assert.deepEqual(cacheBudget('auto'), { bytes: 5e8, prompts: 8 });
  });

  // Without a limit, Node.js reports 0 if there are no control groups, and 2^64 - 1 if the group has none.
  for (const noLimit of [0, 2 ** 64]) {
    it(`is that of the machine when the limit is reported as ${String(noLimit)}`, () => {
      mock.method(process, 'constrainedMemory', () => noLimit);
      assert.equal(totalMemory(), totalmem());
    });
  }
});

describe('the usable memory', () => {
  it('is at most two thirds of a Mac below 36 GB, the limit of its GPU, and three quarters elsewhere', () => {
    const gigabytes = (memory: number, processor: Processor): string =>
      (usableBytes(memory * 2 ** 30, processor) / 2 ** 30).toFixed(1);
    assert.deepEqual(
      [8, 16, 24, 32, 36, 64].map((memory) => gigabytes(memory, 'gpu')),
      ['5.3', '10.7', '16.0', '21.3', '27.0', '48.0'],
    );
    assert.equal(gigabytes(16, 'cpu'), '12.0');
  });
});
