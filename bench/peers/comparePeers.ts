// The same prompts for all peers in turn, so that a change in the machine's load affects all of them alike.
// Knows peers only as something that answers.
import { setTimeout } from 'node:timers/promises';
import { median } from '../../server/rules/median';
import { PREFILL_TOKENS } from '../decode/prefillSpeed';
import { repeatTo } from '../decode/repeatTo';
import type { Peer, PeerAnswer } from './peer';

/** The threads of the previous peer may still be waiting for work, and must have gone to sleep. */
const PAUSE_MS = 20;

export interface ComparisonOptions {
  /** Speeds and outputs are compared with the first one's. */
  readonly peers: readonly Peer[];
  readonly prompts: readonly (readonly number[])[];
  readonly maxTokens: number;
  readonly repeats: number;
  readonly progress: (text: string) => void;
}

export interface PeerResult {
  readonly name: string;
  readonly weights: string;
  /** Per token after the first. */
  readonly msPerToken: number;
  /** Mean over the prompts. */
  readonly firstTokenMs: number;
  readonly prefillTokensPerSecond: number;
  readonly peakMb: number;
  /** Decoding time of the first peer over this one's. */
  readonly speed: number;
  /** Prompts whose token ids equal the first peer's in every repeat. */
  readonly samePrompts: number;
  /** Tokens of all prompts before the first one that differs from the first peer's, in the last repeat. */
  readonly sameTokens: number;
  /** Tokens that this peer returned for all prompts, in the last repeat. */
  readonly tokens: number;
}

/** What a peer answered in one repeat: to each prompt, and to the long one of the prefill. */
interface Pass {
  readonly answers: readonly PeerAnswer[];
  readonly prefill: PeerAnswer;
}

export async function comparePeers(options: ComparisonOptions): Promise<PeerResult[]> {
  const { peers, repeats, progress } = options;
  const passes: Pass[][] = [];
  // The first pass warms everything up and is not counted.
  for (let repeat = 0; repeat <= repeats; repeat++) {
    const pass = await runPass(options);
    progress(repeat === 0 ? 'warm-up' : `repeat ${String(repeat)} of ${String(repeats)}`);
    if (repeat > 0) passes.push(pass);
  }
  return peers.map((peer, i) => {
    const own = passes.flatMap((pass) => pass[i] ?? []);
    const first = passes.flatMap((pass) => pass[0] ?? []);
    return { name: peer.name, weights: peer.weights, ...summary(own, first) };
  });
}

/** One pass of each peer, in their order. */
async function runPass({ peers, prompts, maxTokens }: ComparisonOptions): Promise<Pass[]> {
  const [longest = []] = [...prompts].sort((a, b) => b.length - a.length);
  const requests = [
    { promptIds: repeatTo(longest, PREFILL_TOKENS), maxTokens: 1 },
    ...prompts.map((promptIds) => ({ promptIds, maxTokens })),
  ];
  const answers = peers.map((): PeerAnswer[] => []);
  for (const request of requests) {
    for (const [i, peer] of peers.entries()) {
      await setTimeout(PAUSE_MS);
      answers[i]?.push(await peer.ask(request));
    }
  }
  return answers.flatMap(([prefill, ...rest]) => (prefill ? [{ prefill, answers: rest }] : []));
}

function summary(
  passes: readonly Pass[],
  firstPasses: readonly Pass[],
): Omit<PeerResult, 'name' | 'weights'> {
  const expected = firstPasses.at(-1)?.answers.map(({ tokenIds }) => tokenIds) ?? [];
  const last = passes.at(-1)?.answers ?? [];
  const firstMs = firstPasses.map(msPerToken);
  return {
    msPerToken: median(passes.map(msPerToken)),
    firstTokenMs: median(
      passes.map(({ answers }) => sum(answers.map((each) => each.firstTokenMs)) / answers.length),
    ),
    prefillTokensPerSecond: median(
      passes.map(({ prefill }) => (1000 * PREFILL_TOKENS) / prefill.firstTokenMs),
    ),
    peakMb: Math.max(...last.map(({ peakBytes }) => peakBytes)) / 1e6,
    speed: median(passes.map((pass, i) => (firstMs[i] ?? NaN) / msPerToken(pass))),
    samePrompts: expected.filter((ids, i) =>
      passes.every(({ answers }) => answers[i]?.tokenIds.join() === ids.join()),
    ).length,
    sameTokens: sum(expected.map((ids, i) => commonStart(ids, last[i]?.tokenIds ?? []))),
    tokens: sum(last.map(({ tokenIds }) => tokenIds.length)),
  };
}

function msPerToken({ answers }: Pass): number {
  return (
    sum(answers.map(({ decodeMs }) => decodeMs)) / sum(answers.map(({ tokenIds }) => tokenIds.length - 1))
  );
}

function commonStart(a: readonly number[], b: readonly number[]): number {
  const difference = a.findIndex((id, i) => id !== b[i]);
  return difference < 0 ? a.length : difference;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
