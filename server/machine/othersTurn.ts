// Long work in parts, between which the others in the process have their turn.
import { setImmediate } from 'node:timers/promises';

/** Until others have their turn. */
const SLICE_MS = 10;

let sliceBegan = 0;

/** Lets the others go first, if somebody who asks here has worked for some milliseconds since they could. */
export async function othersTurn(): Promise<void> {
  if (performance.now() - sliceBegan <= SLICE_MS) return;
  await setImmediate();
  sliceBegan = performance.now();
}
