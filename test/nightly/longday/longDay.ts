// A long day of typing with one shared server: rounds of a trace, and between them events of windows and models. After
// each round, with the same number of windows and the same models, the server reports its resources.
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Rng } from '../../../bench/rng';
import { until } from '../../editor/waiting';
import { SharedWindows } from '../../socket/sharedWindows';
import { DSPARK_BUILT_IN } from '../../support/fixtures';
import { DayWindow, type DaySettings } from './dayWindow';
import type { DaySample } from './judgeDay';
import { USE_FOLDER, type ReportedUse } from './reportUse';

export interface DayOptions {
  /** Simulated hours of typing. They take this time divided by `speed`, as all pauses are. */
  readonly hours: number;
  readonly speed: number;
  readonly seed: number;
  readonly signal: AbortSignal;
  /** Modules to preload into the server. */
  readonly preloads?: readonly string[];
  readonly onSample?: (sample: DaySample) => void;
}

export interface Day {
  readonly samples: readonly DaySample[];
  readonly keys: number;
  /** Number of events of each kind. */
  readonly events: Readonly<Record<(typeof EVENTS)[number], number>>;
  readonly wrongDocuments: readonly string[];
  /** Output of the server, which should be empty. */
  readonly printed: string;
}

/** Another model for a while, an unloaded model, a reloaded window, and another window for a while. */
const EVENTS = ['model', 'sleep', 'reload', 'open'] as const;
/** Number of windows at all times. */
const WINDOWS = 2;
const KEYS = 80;
const HOUR_MS = 3_600_000;
/** Time for which the server keeps the model after its last window; shorter than in the product, as the day is. */
const LINGER_MS = 1000;
/** Minutes without use until the model is unloaded: almost none. */
const SLEEP_AFTER_MINUTES = 0.0001;
const OTHER_MODELS: readonly DaySettings[] = [
  { drafter: 'none' },
  { drafter: resolve(DSPARK_BUILT_IN) },
  { drafterBits: '8' },
  { draftLength: 0, maxSuggestionTokens: 16 },
];

export function longDay(options: DayOptions): Promise<Day> {
  return new DayOfWindows(options).run();
}

class DayOfWindows {
  readonly #shared = new SharedWindows(LINGER_MS);
  readonly #folder = join(this.#shared.root, 'use');
  readonly #rng: Rng;
  readonly #windows: DayWindow[] = [];
  readonly #events = { reload: 0, open: 0, model: 0, sleep: 0 };

  constructor(private readonly options: DayOptions) {
    this.#rng = new Rng(options.seed);
    mkdirSync(this.#folder);
  }

  async run(): Promise<Day> {
    try {
      return await this.#run();
    } finally {
      this.#shared.remove();
    }
  }

  async #run(): Promise<Day> {
    const { hours, speed, signal, onSample } = this.options;
    const samples: DaySample[] = [];
    const wrong: string[] = [];
    while (this.#windows.length < WINDOWS) await this.#open();
    const [processId = 0] = this.#shared.running();
    const startedAt = performance.now();
    const hour = (): number => ((performance.now() - startedAt) * speed) / HOUR_MS;
    while (hour() < hours && !signal.aborted) {
      await this.#causeEvent();
      const typed = await this.#type();
      wrong.push(...typed.wrong);
      for (const window of this.#windows) await window.waitUntil('ready');
      const sample = { hour: hour(), resources: await this.#resources(processId), times: typed.times };
      samples.push(sample);
      onSample?.(sample);
    }
    const logs = this.#shared.files.filter((file) => file.endsWith('.log'));
    const printed = logs.map((file) => readFileSync(join(this.#shared.folder, file), 'utf8')).join('');
    while (this.#windows.length > 0) await this.#closeOldest();
    await until('the server has ended', () => this.#shared.running().length === 0);
    return { samples, keys: KEYS * samples.length, events: this.#events, wrongDocuments: wrong, printed };
  }

  /** Causes one event, or none, between two periods of typing. */
  async #causeEvent(): Promise<void> {
    const event = this.#rng.pick([...EVENTS, 'nothing', 'nothing'] as const) ?? 'nothing';
    if (event === 'nothing') return;
    this.#events[event] += 1;
    if (event === 'model') await this.#tryAnotherModel();
    else if (event === 'sleep') await this.#sleep();
    else if (event === 'reload') {
      await this.#closeOldest();
      await this.#open();
    } else {
      // Opens another window for a while, and then closes the oldest.
      await this.#open();
      await this.#type();
      await this.#closeOldest();
    }
  }

  /** Changes a setting of all windows, as in the editor, and then reverts it. */
  async #tryAnotherModel(): Promise<void> {
    await this.#configure(this.#rng.pick(OTHER_MODELS) ?? {});
    await this.#type();
    await this.#configure({});
  }

  async #sleep(): Promise<void> {
    for (const window of this.#windows) window.configure({ unloadAfterMinutes: SLEEP_AFTER_MINUTES });
    for (const window of this.#windows) await window.waitUntil('asleep');
    for (const window of this.#windows) window.configure({});
    // A window wakes its model when typing starts in it.
    for (const window of this.#windows) await this.#type(window);
  }

  async #configure(settings: DaySettings): Promise<void> {
    for (const window of this.#windows) window.configure(settings);
    for (const window of this.#windows) await window.waitUntil('ready');
  }

  async #closeOldest(): Promise<void> {
    await this.#windows.shift()?.close();
  }

  async #type(window = this.#rng.pick(this.#windows)) {
    const { speed, signal } = this.options;
    if (window === undefined) throw new Error('No window is open.');
    return await window.type({ seed: this.#rng.integer(1, 1e6), keys: KEYS, speed, signal });
  }

  async #open(): Promise<void> {
    const preloads = [join(__dirname, 'reportUse.js'), ...(this.options.preloads ?? [])];
    const window = await DayWindow.open(this.#shared, {
      FLASHLINE_CACHE: join(this.#shared.root, 'cache'),
      [USE_FOLDER]: this.#folder,
      NODE_OPTIONS: preloads.map((path) => `--require ${path}`).join(' '),
    });
    this.#windows.push(window);
  }

  /** Returns the resources of the server, with open files and threads if the system reports them. */
  async #resources(processId: number): Promise<DaySample['resources']> {
    const file = join(this.#folder, `${String(processId)}.json`);
    rmSync(file, { force: true });
    process.kill(processId, 'SIGUSR2');
    const use = await until('the server has reported', () => readJson(file));
    return { ...use, descriptors: entryCount(processId, 'fd'), threads: entryCount(processId, 'task') };
  }
}

function readJson(file: string): ReportedUse | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ReportedUse;
  } catch {
    return undefined;
  }
}

/** Counts the entries of a folder of a process; 0 on systems without /proc. */
function entryCount(processId: number, folder: 'fd' | 'task'): number {
  try {
    return readdirSync(`/proc/${String(processId)}/${folder}`).length;
  } catch {
    return 0;
  }
}
