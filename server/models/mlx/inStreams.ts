// Runs long passes on several cores of a CPU. Each product runs in one thread, and MLX runs each stream in a thread of
// its own, which sleeps while it waits, so no thread takes a core only to wait for another one.
import { core } from './binding';
import type { Stream } from './addonTypes';
import type { DeviceName } from './device';

/** Minimum rows per stream: fewer take as long, because reading the weights takes most of the time. */
const MIN_ROWS = 32;
/**
 * Maximum streams. Two cores would need fewer, but more threads get a larger share of a busy machine, and a fourth one
 * keeps 13 to 20 MB of freed memory, more than its speed is worth (docs/internals/results.md).
 */
const MAX_STREAMS = 3;

/** Streams of the process, which last as long as it does: MLX cannot end one. */
const streams: Stream[] = [];

/**
 * Calls `run` for consecutive parts [from, to) of `rows` and returns the results. Each part is computed in a stream of
 * its own; MLX waits where one part needs the results of another. On a GPU, one part has all rows.
 */
export function inStreams<T>(device: DeviceName, rows: number, run: (from: number, to: number) => T): T[] {
  const count = device === 'gpu' ? 1 : Math.max(1, Math.min(MAX_STREAMS, Math.floor(rows / MIN_ROWS)));
  if (count === 1) return [run(0, rows)];
  try {
    return Array.from({ length: count }, (_, i) => {
      core.setDefaultStream(streamAt(i));
      return run(Math.round((i * rows) / count), Math.round(((i + 1) * rows) / count));
    });
  } finally {
    core.setDefaultStream(streamAt(0));
  }
}

function streamAt(index: number): Stream {
  return (streams[index] ??= index === 0 ? core.defaultStream(core.cpu) : core.newStream(core.cpu));
}
