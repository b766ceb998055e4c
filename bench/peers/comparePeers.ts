// Sends the same requests to all peers in turn, so that a change in the machine's load affects all of them equally.
import { setTimeout as pause } from 'node:timers/promises';
import { median } from '../../server/rules/median';
import { say } from '../report';
import type { Completion, Hole, Peer } from './peer';

/** Pause between peers, in which the threads of the previous one stop spinning and go to sleep. */
const PAUSE_MS = 20;

export interface ComparisonOptions {
  /** Peers, whose speeds and tokens are compared with those of the first one. */
  readonly peers: readonly Peer[];
  readonly prompts: readonly (readonly number[])[];
  readonly cursors: readonly Pick<Hole, 'prefix' | 'suffix'>[];
  readonly maxTokens: number;
  readonly repeats: number;
  /** Name of the run, which is part of the text before each hole, so that no server has it cached from another run. */
  readonly run: string;
}

export interface PeerResult {
  readonly name: string;
  readonly weights: string;
  /** Median times to complete a line in a file that is new to the server, and again after one more character. */
  readonly holeMs: number;
  readonly keyMs: number;
  /** Mean time to the first token over the prompts; the median of the repeats, like the figures below. */
  readonly firstTokenMs: number;
  /** Milliseconds per token after the first ones. */
  readonly msPerToken: number;
  /** Decoding time of the first peer divided by that of this one. */
  readonly speed: number;
  /** Prompts whose token ids equal the first peer's in the last repeat. */
  readonly samePrompts: number;
  readonly residentMb: number;
}

/** Answers of a peer in one repeat. */
interface Pass {
  readonly holes: number[];
  readonly keys: number[];
  readonly completions: Completion[];
}

export async function comparePeers(options: ComparisonOptions): Promise<PeerResult[]> {
  const passes: Pass[][] = [];
  // The first pass is a warm-up and does not count.
  for (let repeat = 0; repeat <= options.repeats; repeat++) {
    const pass = await runPass(options, repeat);
    say(`${options.run}: ${repeat === 0 ? 'warm-up' : `repeat ${String(repeat)}`}`);
    if (repeat > 0) passes.push(pass);
  }
  return options.peers.map((peer, i) => ({
    name: peer.name,
    weights: peer.weights,
    ...summary(
      passes.flatMap((pass) => pass[i] ?? []),
      passes.flatMap((pass) => pass[0] ?? []),
    ),
    residentMb: peer.residentMb(),
  }));
}

/** Runs one pass of each peer, in order. */
async function runPass(options: ComparisonOptions, repeat: number): Promise<Pass[]> {
  const { peers, prompts, cursors, maxTokens, run } = options;
  const passes = peers.map((): Pass => ({ holes: [], keys: [], completions: [] }));
  const inTurn = async (measure: (peer: Peer, pass: Pass) => Promise<void>): Promise<void> => {
    for (const [i, peer] of peers.entries()) {
      await pause(PAUSE_MS);
      const pass = passes[i];
      if (pass !== undefined) await measure(peer, pass);
    }
  };
  for (const [number, { prefix, suffix }] of cursors.entries()) {
    // Put run and repeat first in both texts, so that no cached prompt matches, whichever text a server puts first.
    const extra = `// ${run} ${String(repeat)}, place ${String(number)}\n`;
    const hole = { prefix: extra + prefix, suffix, extra };
    let typed: string | undefined;
    await inTurn(async (peer, { holes, keys }) => {
      const { text, ms } = await peer.fillIn(hole, maxTokens);
      typed ??= text.slice(0, 1);
      holes.push(ms);
      keys.push((await peer.fillIn({ ...hole, prefix: hole.prefix + typed }, maxTokens)).ms);
    });
  }
  for (const prompt of prompts)
    await inTurn(async (peer, { completions }) => {
      completions.push(await peer.complete(prompt, maxTokens));
    });
  return passes;
}

function summary(passes: readonly Pass[], firstPasses: readonly Pass[]) {
  const expected = firstPasses.at(-1)?.completions ?? [];
  const last = passes.at(-1)?.completions ?? [];
  const firstMs = firstPasses.map(msPerToken);
  return {
    holeMs: median(passes.flatMap(({ holes }) => holes)),
    keyMs: median(passes.flatMap(({ keys }) => keys)),
    firstTokenMs: median(
      passes.map(
        ({ completions }) => sum(completions.map(({ firstTokenMs }) => firstTokenMs)) / completions.length,
      ),
    ),
    msPerToken: median(passes.map(msPerToken)),
    speed: median(passes.map((pass, i) => (firstMs[i] ?? NaN) / msPerToken(pass))),
    samePrompts: expected.filter(({ tokenIds }, i) => last[i]?.tokenIds.join() === tokenIds.join()).length,
  };
}

function msPerToken({ completions }: Pass): number {
  return (
    sum(completions.map(({ decodeMs }) => decodeMs)) /
    sum(completions.map(({ decodedTokens }) => decodedTokens))
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
