// A peer in a process of its own: the real worker with the embedded pair, and what happens when it goes away.
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import type { PeerSetup } from '../../../../bench/peers/peer';
import { PeerProcess } from '../../../../bench/peers/peerProcess';
import { shortPrompt } from '../../../support/embeddedPair';

const WORKER = 'dist/bench/worker.js';

const start = (name: string, setup: PeerSetup) =>
  PeerProcess.start({ name, weights: 'f32', worker: resolve(WORKER), setup });

describe('PeerProcess', () => {
  it('answers with the same tokens with and without drafts, however often it is asked', async () => {
    const request = { promptIds: shortPrompt(0, 24), maxTokens: 6 };
    const plain = await start('plain', { runtime: 'flashline', draftLength: 0 });
    const drafting = await start('drafting', { runtime: 'flashline', draftLength: 5 });
    const answers = [await plain.ask(request), await drafting.ask(request), await plain.ask(request)];
    plain.stop();
    drafting.stop();
    for (const { tokenIds, firstTokenMs, decodeMs, peakBytes } of answers) {
      assert.ok(tokenIds.length > 0 && tokenIds.length <= 6);
      assert.deepEqual(tokenIds, answers[0]?.tokenIds);
      assert.ok(firstTokenMs > 0 && decodeMs >= 0 && peakBytes > 1e6);
    }
  });

  it('rejects when it is asked after its process has ended', async () => {
    const peer = await start('plain', { runtime: 'flashline', draftLength: 0 });
    peer.stop();
    await assert.rejects(peer.ask({ promptIds: [1], maxTokens: 1 }), /plain to answer, got the end/);
  });

  it('rejects when its process ends without a word', async () => {
    const silent = PeerProcess.start({
      name: 'silent',
      weights: 'f32',
      worker: resolve('out/test/sourceFile.js'),
      setup: { runtime: 'flashline', draftLength: 0 },
    });
    await assert.rejects(silent, /silent to answer, got the end of its process \(0\)/);
  });
});
