// How fast something arrives, and how long the rest will take. Arithmetic on bytes and a clock.

export interface TransferProgress {
  readonly bytes: number;
  readonly totalBytes: number;
  /** Of the last seconds. */
  readonly bytesPerSecond: number;
  /** Undefined as long as nothing has come. */
  readonly secondsLeft: number | undefined;
}

/** Seconds of the past that count. */
const WINDOW_MS = 5_000;
const STEP_MS = 250;

export class TransferMeter {
  readonly #samples: { readonly time: number; readonly bytes: number }[];

  constructor(
    private readonly totalBytes: number,
    /** There before; not part of the speed. */
    bytes: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#samples = [{ time: now(), bytes }];
  }

  /** `bytes` are those that are there now; fewer than before after a file that begins anew. */
  at(bytes: number): TransferProgress {
    const time = this.now();
    const last = this.#samples.at(-1);
    if (last === undefined || bytes < last.bytes) this.#samples.splice(0, Infinity, { time, bytes });
    else if (time - last.time >= STEP_MS) this.#samples.push({ time, bytes });
    while (this.#samples.length > 2 && time - (this.#samples[1]?.time ?? time) >= WINDOW_MS)
      this.#samples.shift();
    const first = this.#samples[0] ?? { time, bytes };
    const seconds = (time - first.time) / 1000;
    const bytesPerSecond = seconds > 0 ? (bytes - first.bytes) / seconds : 0;
    const secondsLeft = bytesPerSecond > 0 ? (this.totalBytes - bytes) / bytesPerSecond : undefined;
    return { bytes, totalBytes: this.totalBytes, bytesPerSecond, secondsLeft };
  }
}
