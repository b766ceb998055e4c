// How a download is shown: one line that changes on a terminal, and a line now and then elsewhere.
import { formatSize } from '../../rules/format';
import type { TransferProgress } from '../../hub/transferMeter';

interface Screen {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const TERMINAL_MS = 200;
const PLAIN_MS = 10_000;
const CLEAR = '\r\x1b[K';

export class ProgressLine {
  #shown = -Infinity;
  #isOpen = false;
  #isWhole = false;

  constructor(
    private readonly screen: Screen = process.stderr,
    private readonly now: () => number = () => performance.now(),
  ) {}

  show(progress: TransferProgress): void {
    const { isTTY = false } = this.screen;
    const wasWhole = this.#isWhole;
    this.#isWhole = progress.bytes === progress.totalBytes;
    const isSoon = this.now() - this.#shown < (isTTY ? TERMINAL_MS : PLAIN_MS);
    if (this.#isWhole ? wasWhole : isSoon) return;
    this.#shown = this.now();
    this.#isOpen = isTTY;
    this.screen.write(isTTY ? CLEAR + progressText(progress) : `${progressText(progress)}\n`);
  }

  /** Whatever is written next begins a line. */
  end(): void {
    if (this.#isOpen) this.screen.write('\n');
    this.#isOpen = false;
  }
}

export function progressText({ bytes, totalBytes, bytesPerSecond, secondsLeft }: TransferProgress): string {
  const percent = totalBytes === 0 ? 100 : Math.floor((100 * bytes) / totalBytes);
  const amount = `${String(percent).padStart(3)}%  ${formatSize(bytes)} of ${formatSize(totalBytes)}`;
  if (secondsLeft === undefined || bytes === totalBytes) return amount;
  return `${amount}  ${formatSize(bytesPerSecond)}/s  ${timeText(secondsLeft)} left`;
}

function timeText(seconds: number): string {
  if (seconds < 100) return `${String(Math.ceil(seconds))} s`;
  if (seconds < 100 * 60) return `${String(Math.ceil(seconds / 60))} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
