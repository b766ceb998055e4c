// Functions of arrays that build the same graph for the same number of rows: what a layer computes between two uses of
// its memory. On a GPU each is traced once and from then on repeated by one native call, which also makes none of the
// arrays in between known to JavaScript: a step of 36 layers has 5 to 10 times fewer calls (docs/internals/results.md).
import type { MxArray } from './addonTypes';
import * as mx from './ops';
import type { Weights } from '../checkpoint/weights';

/** What goes from one such function to the next: at least one array. */
export type Arrays = [MxArray, ...MxArray[]];

/** `rows` is the number of rows in the pass. Whatever else it uses must never change. */
export type Build<Inputs extends MxArray[], Outputs extends Arrays> = (
  rows: number,
  ...inputs: Inputs
) => Outputs;

/** Every number of rows is traced for itself; longer passes take so long that the calls do not matter. */
export const MOST_ROWS = 32;

/** On the CPU, `build` itself: compiled code would start a C++ compiler there. */
export function compiled<Inputs extends MxArray[], Outputs extends Arrays>(
  { device, arrays }: Pick<Weights, 'device' | 'arrays'>,
  build: Build<Inputs, Outputs>,
): Build<Inputs, Outputs> {
  if (device.name === 'cpu') return build;
  let traced = 0;
  let repeat: ((...inputs: Inputs) => Outputs) | undefined;
  // It holds the weights that it was traced with.
  arrays.heldBy(() => (repeat = undefined));
  return (rows, ...inputs) => {
    if (rows > MOST_ROWS) return build(rows, ...inputs);
    traced = rows;
    // Not before the first pass: only then the device is the default one.
    repeat ??= mx.compile((...traces: Inputs) => build(traced, ...traces));
    return repeat(...inputs);
  };
}
