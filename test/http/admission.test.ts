// Who may decode, and in which order: counted in turns, not in time.
import assert from 'node:assert/strict';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { Admission, Refused } from '../../server/http/admission';

const NEVER = new AbortController().signal;

describe('Admission', () => {
  it('lets as many in as may run, and the others in their order', async () => {
    const admission = new Admission({ running: 2, waiting: 8 });
    const entered: number[] = [];
    const leaves: (() => void)[] = [];
    for (let i = 0; i < 5; i++)
      void admission.enter(false, NEVER).then((leave) => {
        entered.push(i);
        leaves.push(leave);
      });
    await turnOfLoop();
    assert.deepEqual([entered, admission.waiting, admission.running], [[0, 1], 3, 2]);
    leaves[1]?.();
    leaves[1]?.();
    await turnOfLoop();
    assert.deepEqual([entered, admission.waiting, admission.running], [[0, 1, 2], 2, 2]);
    for (let i = 0; i < 5; i++) {
      leaves[i]?.();
      await turnOfLoop();
    }
    assert.deepEqual([entered, admission.waiting, admission.running], [[0, 1, 2, 3, 4], 0, 0]);
  });

  it('never lets an editor wait for others', async () => {
    const admission = new Admission({ running: 1, waiting: 2 });
    await admission.enter(false, NEVER);
    void admission.enter(false, NEVER);
    const leave = await admission.enter(true, NEVER);
    assert.deepEqual([admission.waiting, admission.running], [1, 2]);
    leave();
    assert.equal(admission.running, 1);
  });

  it('refuses what exceeds the room, and has room again afterwards', async () => {
    const admission = new Admission({ running: 1, waiting: 1 });
    const leave = await admission.enter(false, NEVER);
    const next = admission.enter(false, NEVER);
    await assert.rejects(admission.enter(false, NEVER), Refused);
    leave();
    await next;
    const editor = await admission.enter(true, NEVER);
    await assert.rejects(admission.enter(true, NEVER), Refused);
    editor();
    await admission.enter(true, NEVER);
  });

  it('forgets who has gone, whether waiting or already let in', async () => {
    const admission = new Admission({ running: 1, waiting: 2 });
    const leave = await admission.enter(false, NEVER);
    const [first, second] = [new AbortController(), new AbortController()];
    const gone = admission.enter(false, first.signal);
    const stays = admission.enter(false, second.signal);
    first.abort(new Error('gone'));
    await assert.rejects(gone, /gone/);
    assert.equal(admission.waiting, 1);
    leave();
    second.abort(new Error('too late'));
    (await stays)();
    assert.deepEqual([admission.waiting, admission.running], [0, 0]);
    await assert.rejects(admission.enter(false, second.signal), /too late/);
    assert.equal(admission.running, 0);
  });
});
