// Functions of arrays that build the same graph for the same number of rows, such as a layer between two uses of its
// memory. On a GPU each is traced once per number of rows and then repeated by one native call, and its intermediates
// never reach JavaScript: a step of 36 layers has 379 native calls instead of 2,115 (docs/internals/results.md).
import type { MxArray } from './addonTypes';
import type { Device } from './device';
import type { HeldArrays } from './heldArrays';
import * as mx from './ops';

/** Inputs or outputs of a compiled function: at least one array. */
export type Arrays = [MxArray, ...MxArray[]];

/** Builds a graph. `rows` is the number of rows of the pass; anything else that it uses must never change. */
export type Build<Inputs extends MxArray[], Outputs extends Arrays> = (
  rows: number,
  ...inputs: Inputs
) => Outputs;

/** Maximum rows of a pass that is traced, each number of rows separately. In longer passes the calls do not matter. */
export const MAX_TRACED_ROWS = 32;

/**
 * Compiles `build`, which uses `arrays`, on a GPU. Returns `build` itself on a CPU, where compiling would start a C++
 * compiler.
 */
export function compiled<Inputs extends MxArray[], Outputs extends Arrays>(
  { device, arrays }: { readonly device: Device; readonly arrays: HeldArrays },
  build: Build<Inputs, Outputs>,
): Build<Inputs, Outputs> {
  if (device.name === 'cpu') return build;
  /** Number of rows of the pass, which `build` gets in its trace. */
  let tracedRows = 0;
  let repeat: ((...inputs: Inputs) => Outputs) | undefined;
  // The traced function holds the weights.
  arrays.onDispose(() => (repeat = undefined));
  return (rows, ...inputs) => {
    if (rows > MAX_TRACED_ROWS) return build(rows, ...inputs);
    tracedRows = rows;
    // Compiled in the first pass, because the device of the weights is the default one only then. Each number
    // of rows is traced anew, as the shapes of the inputs differ.
    repeat ??= mx.compile((...traces: Inputs) => build(tracedRows, ...traces));
    return repeat(...inputs);
  };
}
