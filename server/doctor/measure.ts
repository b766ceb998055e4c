// Measures the built-in pair on one device, as Flashline would use it there.
import { Engine } from '../engine/engine';
import { rates } from '../engine/request/stats';
import { mediaPath } from '../machine/mediaPath';
import { bufferCache } from '../models/mlx/bufferCache';
import type { DeviceName } from '../models/mlx/device';
import { liveArrays } from '../models/mlx/memory';
import { median } from '../rules/median';
import type { PairGolden } from './goldens';
import { repeatTo } from './repeatTo';
import { VerifySteps, type VerifyStep } from './verifySteps';

export interface Measures {
  /** Median milliseconds of passes by their number of rows; 1 is a plain step. */
  readonly passMs: Readonly<Record<string, number>>;
  /** What JavaScript takes of a plain step. */
  readonly buildMs: number;
  readonly freeMs: number;
  readonly prefillTokensPerSecond: number;
  readonly plainTokensPerSecond: number;
  /** With full drafts. */
  readonly draftedTokensPerSecond: number;
  /** Longest time in which the process did nothing else, while it read a prompt and decoded with drafts. */
  readonly longestBlockMs: number;
  /** Memory that short decodes have added: to what MLX keeps for reuse on a GPU, or to the process on a CPU. */
  readonly growthBytes: number;
  /** Arrays that they have left; more than none is an error. */
  readonly leftArrays: number;
}

const WIDTHS = [1, 4, 8, 16];
const REPEATS = 7;
const PREFILL_TOKENS = 512;
const DECODES = 20;
/** After as many, memory has its usual size. */
const FIRST_DECODES = 8;
const SHORT_PROMPT = 24;
const SHORT_OUTPUT = 8;

export async function measure(device: DeviceName, goldens: readonly PairGolden[]): Promise<Measures> {
  const engine = await Engine.load({
    targetDirectory: mediaPath('model/target'),
    drafterDirectory: mediaPath('model/drafter'),
    device,
  });
  try {
    const [short, usual] = goldens;
    const { promptIds, outputIds } = usual ?? { promptIds: [], outputIds: [] };
    const steps = await timeSteps(engine, promptIds);
    const decode = async (draftLength: 0 | 'full', prompt = promptIds, maxTokens = outputIds.length) =>
      (await engine.decode(prompt, { maxTokens, draftLength, fresh: true }).finish()).stats;
    await decode('full', short?.promptIds);
    const { prefillMs } = await decode(0, repeatTo(promptIds, PREFILL_TOKENS), 1);
    const plain = await decode(0);
    const [drafted, longestBlockMs] = await longestBlock(() => decode('full'));
    const { growthBytes, leftArrays } = await growth((i) =>
      decode('full', promptIds.slice(i, i + SHORT_PROMPT), SHORT_OUTPUT),
    );
    return {
      ...steps,
      prefillTokensPerSecond: (1000 * PREFILL_TOKENS) / prefillMs,
      plainTokensPerSecond: rates(plain).decodeTokensPerSecond,
      draftedTokensPerSecond: rates(drafted).decodeTokensPerSecond,
      longestBlockMs,
      growthBytes,
      leftArrays,
    };
  } finally {
    await engine.dispose();
  }
}

/** The widths by turns. */
async function timeSteps({ target }: Engine, promptIds: readonly number[]) {
  const steps = await VerifySteps.prepare(target, promptIds);
  const times = new Map<number, VerifyStep[]>(WIDTHS.map((rows) => [rows, []]));
  // The first of each is slower.
  for (let repeat = 0; repeat <= REPEATS; repeat++)
    for (const [rows, all] of times) {
      const step = await steps.step(rows - 1);
      if (repeat > 0) all.push(step);
    }
  steps.dispose();
  const single = times.get(1) ?? [];
  return {
    passMs: Object.fromEntries([...times].map(([rows, all]) => [rows, median(all.map(({ ms }) => ms))])),
    buildMs: median(single.map(({ buildMs }) => buildMs)),
    freeMs: median(single.map(({ freeMs }) => freeMs)),
  };
}

/** Milliseconds between two turns of a timer that should come each millisecond. */
async function longestBlock<T>(work: () => Promise<T>): Promise<readonly [result: T, ms: number]> {
  let [longest, last] = [0, performance.now()];
  const look = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(look, 1);
  try {
    const result = await work();
    look();
    return [result, longest];
  } finally {
    clearInterval(timer);
  }
}

async function growth(decode: (index: number) => Promise<unknown>) {
  for (let i = 0; i < FIRST_DECODES; i++) await decode(i);
  const [bytes, arrays] = [keptBytes(), liveArrays()];
  for (let i = FIRST_DECODES; i < DECODES; i++) await decode(i);
  return { growthBytes: keptBytes() - bytes, leftArrays: liveArrays() - arrays };
}

function keptBytes(): number {
  return bufferCache?.keptBytes ?? process.memoryUsage.rss();
}
