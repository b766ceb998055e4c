// Measures the speed of a download and the time left.
import type { DownloadProgress } from '../protocol/modelCatalogue';

/** The recent past over which the speed is measured. */
const WINDOW_MS = 5_000;

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
