// Tests that steps run in order, each after the one before has ended, even if that one failed.
import assert from 'node:assert/strict';
import { OneAtATime } from '../../server/rules/oneAtATime';

describe('steps one at a time', () => {
  it('wait for the step before, return their own results, and continue after a failure', async () => {
    const steps = new OneAtATime();
    const events: string[] = [];
    let endFirst: () => void = () => undefined;
    const first = steps.run(async () => {
      events.push('first');
      await new Promise<void>((resolve) => (endFirst = resolve));
      throw new Error('of the first');
    });
    const second = steps.run(() => Promise.resolve(events.push('second')));
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(events, ['first']);
    endFirst();
    await assert.rejects(first, /of the first/);
    assert.equal(await second, 2);
  });
});
