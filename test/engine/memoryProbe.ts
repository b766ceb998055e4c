// Decodes short prompts, many at full size, in a process of its own and prints what memory it took, as JSON. Started by
// memoryGrowth.test.ts; it starts itself once more, because a process reports the peak of its parent as its own.
import { fork } from 'node:child_process';
import { Engine } from '../../server/engine/engine';
import { liveArrays } from '../../server/models/mlx/memory';
import { EMBEDDED_PAIR, shortPrompt } from '../support/embeddedPair';
import { fullSize } from '../support/fullSize';
import { seededIntegers } from '../support/seededRandom';

export interface MemoryReport {
  readonly decodes: number;
  readonly emittedTokens: number;
  /** Resident bytes after the first decodes, when buffers and compiled code are in place. */
  readonly settledBytes: number;
  readonly finalBytes: number;
  readonly peakBytes: number;
  /** Arrays alive before the first decode and, where that differs, after later ones. */
  readonly liveArrays: readonly number[];
}

const DECODES = fullSize ? 300 : 12;
const SETTLED = 12;

async function measure(): Promise<MemoryReport> {
  const engine = await Engine.load(EMBEDDED_PAIR);
  const live = new Set([liveArrays()]);
  const promptTokens = seededIntegers(1, DECODES, 24, 40);
  const maxTokens = seededIntegers(2, DECODES, 6, 8);
  let emittedTokens = 0;
  let settledBytes = 0;
  for (let i = 0; i < DECODES; i++) {
    const decode = engine.decode(shortPrompt(i, promptTokens[i] ?? 24), { maxTokens: maxTokens[i] ?? 6 });
    for await (const { tokens } of decode) emittedTokens += tokens.length;
    live.add(liveArrays());
    if (i + 1 === SETTLED) settledBytes = process.memoryUsage.rss();
  }
  return {
    decodes: DECODES,
    emittedTokens,
    settledBytes,
    finalBytes: process.memoryUsage.rss(),
    peakBytes: process.resourceUsage().maxRSS * 1024,
    liveArrays: [...live],
  };
}

const MEASURE = 'measure';

if (process.argv[2] === MEASURE) {
  // Whoever started it may run out of time.
  process.once('disconnect', () => process.exit(1));
  process.channel?.unref();
  void measure().then((report) => {
    console.log(JSON.stringify(report));
  });
} else {
  fork(__filename, [MEASURE]).once('exit', (code) => (process.exitCode = code ?? 1));
}
