// Describes the progress of a download in words, the same in the editor and on the command line.
import { formatPercent, formatSize } from './formatNumber';

interface Amount {
  readonly arrivedBytes: number;
  readonly bytes: number;
}

interface Progress extends Amount {
  readonly bytesPerSecond: number;
  readonly secondsLeft?: number | undefined;
}

/** Describes progress, such as "43 %, 1.2 GB of 2.8 GB, 12 MB/s, 2 min left". */
export function progressText(progress: Progress): string {
  const { arrivedBytes, bytes, bytesPerSecond, secondsLeft } = progress;
  const amount = `${percentText(progress)}, ${formatSize(arrivedBytes)} of ${formatSize(bytes)}`;
  if (secondsLeft === undefined || arrivedBytes === bytes) return amount;
  return `${amount}, ${formatSize(bytesPerSecond)}/s, ${timeText(secondsLeft)} left`;
}

/** Returns the percentage, rounded down so that only a complete download has 100 %. */
export function percentText({ arrivedBytes, bytes }: Amount): string {
  return formatPercent(bytes === 0 ? 0 : Math.floor((100 * arrivedBytes) / bytes) / 100);
}

function timeText(seconds: number): string {
  if (seconds < 100) return `${Math.ceil(seconds)} s`;
  if (seconds < 100 * 60) return `${Math.ceil(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
