// Runs a pass on a GPU in parts of a few layers: the first parts are computed while JavaScript builds the graph of the
// next ones, and a long pass gives the event loop turns between its parts (docs/internals/results.md).
import { MAX_TRACED_ROWS } from './compiled';
import type { DeviceName } from './device';
import { begin, beginPart } from './evaluation';
import { largeScope } from './memory';
import type { MxArray } from './addonTypes';
import * as mx from './ops';

/** Layers per part: more parts cost more calls, but the GPU waits for the first part to be built. */
const LAYERS = 4;

interface PartEnd {
  /** Output of the last layer, [1, rows, hidden]. */
  readonly h: MxArray;
  /** Other arrays of the part that later parts need. */
  readonly needed: readonly MxArray[];
}

/**
 * Calls `run` for the layers [from, to) of each part of a pass of `rows`. On a CPU, one part has all `count` layers.
 */
export function inParts(
  device: DeviceName,
  count: number,
  rows: number,
  run: (from: number, to: number) => PartEnd,
): void {
  if (device === 'cpu') {
    run(0, count);
    return;
  }
  for (let from = 0; from < count; from += LAYERS) {
    const part = (): PartEnd => run(from, Math.min(count, from + LAYERS));
    if (rows <= MAX_TRACED_ROWS) begin(part().h);
    else beginLong(part);
  }
}

/** Begins to evaluate a part of many rows. Frees its intermediates first, so that MLX reuses their memory. */
function beginLong(part: () => PartEnd): void {
  const [h] = largeScope((): [MxArray, ...MxArray[]] => {
    const { h: output, needed } = part();
    return [output, ...needed];
  });
  beginPart(h, () => mx.astype(mx.slice(mx.reshape(h, -1), 0, 0, 1), mx.float32));
}
