// A pass on a GPU, part by part: the first layers are computed while JavaScript builds the graph of those behind them,
// and a long pass gives the event loop turns between its parts (docs/internals/results.md).
import { MOST_ROWS } from './compiled';
import type { Device } from './device';
import { begin, beginPart, largeScope } from './memory';
import type { MxArray } from './addonTypes';
import * as mx from './ops';

/** Layers per part: each part takes a call, and the GPU waits for the first one. */
const LAYERS = 4;

/** What goes on behind a part: its output [1, rows, hidden], and what else was made in it and is needed later. */
interface PartEnd {
  readonly h: MxArray;
  readonly needed: readonly MxArray[];
}

/** Calls `run` for the layers [from, to) of each part of a pass of `rows`; a CPU has a single part of all `count`. */
export function inParts(
  { name }: Pick<Device, 'name'>,
  count: number,
  rows: number,
  run: (from: number, to: number) => PartEnd,
): void {
  if (name === 'cpu') {
    run(0, count);
    return;
  }
  for (let from = 0; from < count; from += LAYERS) {
    const part = (): PartEnd => run(from, Math.min(count, from + LAYERS));
    if (rows <= MOST_ROWS) begin(part().h);
    else beginLong(part);
  }
}

/** What a part of many rows made is freed before it begins, so that MLX uses its memory again. */
function beginLong(part: () => PartEnd): void {
  const [h] = largeScope((): [MxArray, ...MxArray[]] => {
    const { h: output, needed } = part();
    return [output, ...needed];
  });
  beginPart(h, () => mx.astype(mx.slice(mx.reshape(h, -1), 0, 0, 1), mx.float32));
}
