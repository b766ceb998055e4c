// Carries out a plan: downloads all files of its models, a few at a time, then creates the model directories. No
// snapshot is written before everything is there, so half a download never looks like a model.
import type { DownloadProgress } from '../protocol/modelCatalogue';
import type { HubConnection } from './connection';
import { downloadBlob } from './downloadBlob';
import type { DownloadPlan } from './downloadPlan';
import { folderProblem } from './downloadError';
import { writeSnapshot } from './snapshot';

export interface DownloadOptions {
  /** What has arrived stays, and the next download resumes there. */
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: DownloadProgress) => void;
  /** Shortest time between two reports, except for the last one. */
  readonly progressMs?: number;
}

/** Files at a time. */
const PARALLEL = 4;
/** The recent past over which the speed is measured. */
const WINDOW_MS = 5_000;

/**
 * Returns the model directories, in the order of the plan. Throws InputError when the hub, the network or the disk
 * does not allow it, and rejects with the reason of the signal when it aborts.
 */
export async function download(
  connection: HubConnection,
  { folder, models, bytes: totalBytes }: DownloadPlan,
  { signal, onProgress, progressMs = 0 }: DownloadOptions,
): Promise<string[]> {
  const work = models.flatMap(({ cache, repository: { commit }, files }) =>
    files.map((file) => ({ connection, cache, commit, file })),
  );
  const there = work.map(({ cache, file }) => cache.arrived(file));
  const arrived = (): number => there.reduce((sum, bytes) => sum + bytes, 0);
  const meter = new TransferMeter(totalBytes, arrived(), progressMs);
  try {
    signal.throwIfAborted();
    await inParallel(work.entries(), signal, async ([i, each], ended) => {
      const onBytes = (bytes: number): void => {
        there[i] = bytes;
        const progress = meter.at(arrived());
        if (progress) onProgress?.(progress);
      };
      await downloadBlob({ ...each, signal: ended, onBytes });
    });
    return models.map(({ cache, repository, files }) => writeSnapshot(cache, repository.commit, files));
  } catch (error) {
    signal.throwIfAborted();
    throw folderProblem(error, folder);
  }
}

/** Works on files a few at a time. The first failure ends the others; all have ended when it is thrown. */
export async function inParallel<T>(
  files: Iterable<T>,
  signal: AbortSignal,
  work: (file: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const failing = new AbortController();
  const ended = AbortSignal.any([signal, failing.signal]);
  const waiting = [...files].values();
  const worker = async (): Promise<void> => {
    for (const file of waiting) await work(file, ended);
  };
  const workers = Array.from({ length: PARALLEL }, () =>
    worker().catch((error: unknown) => failing.abort(error)),
  );
  await Promise.all(workers);
  ended.throwIfAborted();
}

/** How fast a download is and how long the rest will take, reported now and then. Arithmetic on bytes and a clock. */
export class TransferMeter {
  readonly #samples: { readonly time: number; readonly bytes: number }[];
  #told = -Infinity;
  #isWhole = false;

  constructor(
    private readonly totalBytes: number,
    /** Already there, so not part of the speed. */
    bytes: number,
    private readonly everyMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#samples = [{ time: now(), bytes }];
  }

  /**
   * `bytes` are there now, fewer than before if a file had to start over. Undefined until the next report is due; that
   * everything is there is reported at once, and only once.
   */
  at(bytes: number): DownloadProgress | undefined {
    const { totalBytes } = this;
    const time = this.now();
    const wasWhole = this.#isWhole;
    this.#isWhole = bytes === totalBytes;
    if (this.#isWhole ? wasWhole : time - this.#told < this.everyMs) return undefined;
    this.#told = time;
    if (bytes < (this.#samples.at(-1)?.bytes ?? 0)) this.#samples.length = 0;
    this.#samples.push({ time, bytes });
    while (this.#samples.length > 2 && time - (this.#samples[1]?.time ?? time) >= WINDOW_MS)
      this.#samples.shift();
    const first = this.#samples[0] ?? { time, bytes };
    const seconds = (time - first.time) / 1000;
    const bytesPerSecond = seconds > 0 ? (bytes - first.bytes) / seconds : 0;
    const secondsLeft = bytesPerSecond > 0 ? (totalBytes - bytes) / bytesPerSecond : undefined;
    return { arrivedBytes: bytes, bytes: totalBytes, bytesPerSecond, secondsLeft };
  }
}
