// The comparison with peers that answer from a list: order, medians, and which outputs are the same.
import assert from 'node:assert/strict';
import { comparePeers } from '../../../bench/peers/comparePeers';
import type { Peer, PeerAnswer, PeerRequest } from '../../../bench/peers/peer';

const PROMPTS = [[1], [2, 3]];
const PREFILL = 512;

interface Timing {
  readonly firstTokenMs: number;
  readonly decodeMs: number;
}

class ListedPeer implements Peer {
  readonly weights = 'f32';
  #asked = 0;

  constructor(
    readonly name: string,
    /** By the pass, of which the first is the warm-up. */
    private readonly timing: (pass: number) => Timing,
    private readonly outputs: (prompt: readonly number[], pass: number) => readonly number[],
    private readonly log: string[] = [],
  ) {}

  ask({ promptIds, maxTokens }: PeerRequest): Promise<PeerAnswer> {
    const pass = Math.floor(this.#asked++ / (PROMPTS.length + 1));
    this.log.push(`${this.name} ${promptIds.length} ${maxTokens}`);
    const tokenIds = promptIds.length === PREFILL ? [9] : this.outputs(promptIds, pass);
    return Promise.resolve({ tokenIds, ...this.timing(pass), peakBytes: 1e6 * (pass + 1) });
  }
}

const OUTPUT = [5, 6, 7];
const steady = (firstTokenMs: number, decodeMs: number) => () => ({ firstTokenMs, decodeMs });
const compare = (
  peers: readonly Peer[],
  repeats: number,
  progress: (text: string) => void = () => undefined,
) => comparePeers({ peers, prompts: PROMPTS, maxTokens: 3, repeats, progress });

describe('comparePeers', () => {
  it('asks all peers for a prompt before it goes on to the next, the warm-up included', async () => {
    const log: string[] = [];
    const said: string[] = [];
    const peers = ['a', 'b'].map((name) => new ListedPeer(name, steady(1, 1), () => OUTPUT, log));
    await compare(peers, 2, (text) => said.push(text));
    const pass = ['a 512 1', 'b 512 1', 'a 1 3', 'b 1 3', 'a 2 3', 'b 2 3'];
    assert.deepEqual(log, [...pass, ...pass, ...pass]);
    assert.deepEqual(said, ['warm-up', 'repeat 1 of 2', 'repeat 2 of 2']);
  });

  it('tells medians over the repeats and leaves the warm-up out', async () => {
    const loads = [1000, 1, 50, 1];
    const first = new ListedPeer(
      'first',
      (pass) => steady(8, 8 * (loads[pass] ?? NaN))(),
      () => OUTPUT,
    );
    // Twice as fast in each repeat, whatever the load of the machine was.
    const second = new ListedPeer(
      'second',
      (pass) => steady(4, 4 * (loads[pass] ?? NaN))(),
      () => OUTPUT,
    );
    const [a, b] = await compare([first, second], 3);
    assert.deepEqual(a, {
      name: 'first',
      weights: 'f32',
      msPerToken: 4,
      firstTokenMs: 8,
      prefillTokensPerSecond: 64_000,
      peakMb: 4,
      speed: 1,
      samePrompts: 2,
      sameTokens: 6,
      tokens: 6,
    });
    assert.equal(b?.msPerToken, 2);
    assert.equal(b.speed, 2);
    assert.equal(b.prefillTokensPerSecond, 128_000);
  });

  it('counts the outputs that equal the first peer in every repeat, and the tokens before a difference', async () => {
    const first = new ListedPeer('first', steady(1, 1), () => OUTPUT);
    const shorter = new ListedPeer('shorter', steady(1, 1), ([start]) => (start === 1 ? [5, 6] : OUTPUT));
    const unsteady = new ListedPeer('unsteady', steady(1, 1), (_, pass) => (pass === 1 ? [5, 8, 7] : OUTPUT));
    const other = new ListedPeer('other', steady(1, 1), () => [5, 8, 7, 7]);
    const results = await compare([first, shorter, unsteady, other], 2);
    const counts = results.map(({ samePrompts, sameTokens, tokens }) => [samePrompts, sameTokens, tokens]);
    assert.deepEqual(counts, [
      [2, 6, 6],
      [1, 5, 5],
      [0, 6, 6],
      [0, 2, 8],
    ]);
  });
});
