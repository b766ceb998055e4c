// Measures the speed of a download and the time left, at intervals, from byte counts and a clock.
import type { DownloadProgress } from '../protocol/modelCatalogue';

/** Time window over which the speed is averaged. */
const WINDOW_MS = 5_000;

export class TransferMeter {
  readonly #samples: { readonly time: number; readonly bytes: number }[];
  #reportedAt = -Infinity;
  #isComplete = false;

  constructor(
    private readonly totalBytes: number,
    /** Bytes from earlier downloads, which do not count towards the speed. */
    bytes: number,
    private readonly intervalMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#samples = [{ time: now(), bytes }];
  }

  /**
   * Returns the progress at `bytes`, which can decrease if a file starts over; undefined until the next report is due.
   * Completion is reported immediately, and only once.
   */
  progressAt(bytes: number): DownloadProgress | undefined {
    const { totalBytes } = this;
    const time = this.now();
    const wasComplete = this.#isComplete;
    this.#isComplete = bytes === totalBytes;
    if (this.#isComplete ? wasComplete : time - this.#reportedAt < this.intervalMs) return undefined;
    this.#reportedAt = time;
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
