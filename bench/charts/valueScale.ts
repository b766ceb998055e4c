// The scale of an axis that begins at zero: round numbers at equal steps, up to the highest value or a little above.

export interface ValueScale {
  readonly top: number;
  readonly ticks: readonly { readonly value: number; readonly text: string }[];
}

/** About this many steps, so that lines are neither few nor crowded. */
const STEPS = 5;

/** Up to 1 where all values are 0. */
export function valueScale(highestValue: number): ValueScale {
  const highest = highestValue > 0 ? highestValue : 1;
  const step = roundStep(highest / STEPS);
  // Without the tolerance a value that is a multiple of the step could get one step too many.
  const count = Math.ceil(highest / step - 1e-9);
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const ticks = Array.from({ length: count + 1 }, (_, i) => ({
    value: i * step,
    text: (i * step).toFixed(decimals),
  }));
  return { top: count * step, ticks };
}

/** The next of 1, 2, 5, 10, 20, 50, ... and of their tenths. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5].find((factor) => factor * power >= least) ?? 10);
}
