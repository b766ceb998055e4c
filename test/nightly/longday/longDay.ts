// A long day of typing against one shared server: rounds of a trace, and between them what happens to windows and
// models. After each round, when the same windows and the same models are there, the server says what it holds.
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Rng } from '../../../bench/rng';
import { until } from '../../editor/waiting';
import { SharedWindows } from '../../socket/sharedWindows';
import { DSPARK_BUILT_IN } from '../../support/fixtures';
import { DayWindow, type DaySettings } from './dayWindow';
import { USE_FOLDER, type ReportedUse } from './reportUse';

export interface DayOptions {
  /** Of a person; all pauses are divided by `speed`, and so is the day. */
  readonly hours: number;
  readonly speed: number;
  readonly seed: number;
  readonly signal: AbortSignal;
  /** Modules that the server loads before anything else. */
  readonly preloads?: readonly string[];
  readonly onSample?: (sample: Sample) => void;
}

export interface Holding extends ReportedUse {
  /** Open files and threads, where the system tells. */
  readonly descriptors: number;
  readonly threads: number;
}

export interface Sample {
  /** Hours of the person's day. */
  readonly hour: number;
  readonly holding: Holding;
  /** Milliseconds to suggestions of this round. */
  readonly times: readonly number[];
}

export interface Day {
  readonly samples: readonly Sample[];
  readonly keys: number;
  /** How often each thing happened. */
  readonly events: Readonly<Record<DayEvent, number>>;
  readonly wrongDocuments: readonly string[];
  /** What the server has printed, which should be nothing. */
  readonly printed: string;
}

type DayEvent = 'reload' | 'close' | 'open' | 'model' | 'sleep';

/** Of all windows, whatever happens in between. */
const WINDOWS = 2;
const KEYS = 80;
const HOUR_MS = 3_600_000;
/** As long as a window may be gone and still find the model; shorter than in the product, as the day is. */
const LINGER_MS = 1000;
/** Minutes: at once. */
const NO_TIME = 0.0001;
const OTHER_MODELS: readonly DaySettings[] = [
  { drafter: 'none' },
  { drafter: resolve(DSPARK_BUILT_IN) },
  { drafterBits: '8' },
  { draftLength: 0, maxSuggestionTokens: 16 },
];

export async function longDay(options: DayOptions): Promise<Day> {
  const day = new DayOfWindows(options);
  try {
    return await day.live();
  } finally {
    day.remove();
  }
}

class DayOfWindows {
  readonly #shared = new SharedWindows(LINGER_MS);
  readonly #folder = join(this.#shared.root, 'use');
  readonly #rng: Rng;
  readonly #windows: DayWindow[] = [];
  readonly #events = { reload: 0, close: 0, open: 0, model: 0, sleep: 0 };

  constructor(private readonly options: DayOptions) {
    this.#rng = new Rng(options.seed);
    mkdirSync(this.#folder);
  }

  async live(): Promise<Day> {
    const { hours, speed, signal, onSample } = this.options;
    const samples: Sample[] = [];
    const wrong: string[] = [];
    let keys = 0;
    while (this.#windows.length < WINDOWS) this.#windows.push(await this.#open());
    const [processId = 0] = this.#shared.running();
    const startedAt = performance.now();
    const hour = (): number => ((performance.now() - startedAt) * speed) / HOUR_MS;
    while (hour() < hours && !signal.aborted) {
      await this.#happen();
      const typed = await this.#type();
      keys += typed.keys;
      wrong.push(...typed.wrong);
      for (const window of this.#windows) await window.reaches('ready');
      const sample = { hour: hour(), holding: await this.#holding(processId), times: typed.times };
      samples.push(sample);
      onSample?.(sample);
    }
    const printed = this.#printed();
    for (const window of this.#windows) await window.close();
    await until('the server has ended', () => this.#shared.running().length === 0);
    return { samples, keys, events: this.#events, wrongDocuments: wrong, printed };
  }

  remove(): void {
    this.#shared.remove();
  }

  /** One of the things that happen between two bouts of typing, or nothing. */
  async #happen(): Promise<void> {
    const happening = this.#rng.pick(['model', 'sleep', 'reload', 'open', 'nothing', 'nothing']);
    if (happening === 'model') await this.#tryAnotherModel();
    if (happening === 'sleep') await this.#sleep();
    if (happening === 'reload') {
      this.#events.reload += 1;
      await this.#replace();
    }
    if (happening === 'open') {
      // One more for a while, and then the oldest goes.
      this.#events.open += 1;
      this.#windows.push(await this.#open());
      await this.#type();
      await this.#windows.shift()?.close();
      this.#events.close += 1;
    }
  }

  /** A setting of all windows at once, as in the editor, and then back. */
  async #tryAnotherModel(): Promise<void> {
    this.#events.model += 1;
    await this.#configure(this.#rng.pick(OTHER_MODELS) ?? {});
    await this.#type();
    await this.#configure({});
  }

  async #sleep(): Promise<void> {
    this.#events.sleep += 1;
    for (const window of this.#windows) window.configure({ unloadAfterMinutes: NO_TIME });
    for (const window of this.#windows) await window.reaches('asleep');
    for (const window of this.#windows) window.configure({});
    // Each wakes when it is typed in.
    for (const window of this.#windows) await this.#type(window);
  }

  async #configure(settings: DaySettings): Promise<void> {
    for (const window of this.#windows) window.configure(settings);
    for (const window of this.#windows) await window.reaches('ready');
  }

  async #replace(): Promise<void> {
    await this.#windows.shift()?.close();
    this.#windows.push(await this.#open());
  }

  async #type(window = this.#rng.pick(this.#windows)) {
    const { speed, signal } = this.options;
    if (window === undefined) throw new Error('Expected a window, got none');
    return await window.type({ seed: this.#rng.whole(1, 1e6), keys: KEYS, speed, signal });
  }

  #open(): Promise<DayWindow> {
    const preloads = [join(__dirname, 'reportUse.js'), ...(this.options.preloads ?? [])];
    return DayWindow.open(
      this.#shared,
      {},
      {
        FLASHLINE_CACHE: join(this.#shared.root, 'cache'),
        [USE_FOLDER]: this.#folder,
        NODE_OPTIONS: preloads.map((path) => `--require ${path}`).join(' '),
      },
    );
  }

  async #holding(processId: number): Promise<Holding> {
    const file = join(this.#folder, `${String(processId)}.json`);
    rmSync(file, { force: true });
    process.kill(processId, 'SIGUSR2');
    const use = await until('the server has reported', () => readJson(file));
    return { ...use, descriptors: entries(processId, 'fd'), threads: entries(processId, 'task') };
  }

  #printed(): string {
    const logs = this.#shared.files.filter((file) => file.endsWith('.log'));
    return logs.map((file) => readFileSync(join(this.#shared.folder, file), 'utf8')).join('');
  }
}

function readJson(file: string): ReportedUse | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ReportedUse;
  } catch {
    return undefined;
  }
}

/** 0 where there is no such system. */
function entries(processId: number, what: 'fd' | 'task'): number {
  try {
    return readdirSync(`/proc/${String(processId)}/${what}`).length;
  } catch {
    return 0;
  }
}
