// Measures the built-in pair on one device, as Flashline would use it there.
import { Engine } from '../engine/engine';
import { rates } from '../engine/stats';
import { mediaPath } from '../mediaPath';
import { bufferCache } from '../models/bufferCache';
import type { DeviceName } from '../models/device';
import { liveArrays } from '../models/memory';
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

export const WIDTHS = [1, 4, 8, 16];
const REPEATS = 9;
const PREFILL_TOKENS = 512;
export const DECODES = 24;
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
    const [{ promptIds, outputIds } = { promptIds: [], outputIds: [] }] = goldens;
    const steps = await timeSteps(engine, promptIds);
    const long = repeatTo(promptIds, PREFILL_TOKENS);
    const decode = async (draftLength: 0 | 'full', prompt = promptIds, maxTokens = outputIds.length) =>
      (await engine.decode(prompt, { maxTokens, draftLength, fresh: true }).finish()).stats;
    await decode('full');
    const prefill = [await decode(0, long, 1), await decode(0, long, 1)];
    const [plain, drafted] = [await decode(0), await decode('full')];
    const longestBlockMs = await longestBlock(() => decode('full', long));
    const { growthBytes, leftArrays } = await growth((i) =>
      decode('full', long.slice(i, i + SHORT_PROMPT), SHORT_OUTPUT),
    );
    return {
      ...steps,
      prefillTokensPerSecond: Math.max(
        ...prefill.map(({ prefillMs }) => (1000 * PREFILL_TOKENS) / prefillMs),
      ),
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
async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  let [longest, last] = [0, performance.now()];
  const look = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(look, 1);
  try {
    await work();
    look();
  } finally {
    clearInterval(timer);
  }
  return longest;
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
