// Who takes turns in the scheduler: all steps of a decode, or of several for one request, have one place in the row.

/** In order of urgency. */
export type RequestKind = 'inline' | 'generate' | 'prefetch';

/** After so many steps, an output goes to the end of the row, so that a long one does not keep short ones waiting. */
const STEPS = 64;

let placed = 0;

export class QueuePlace {
  order = (placed += 1);
  /** Steps of newer ones that were let past. */
  passed = 0;
  #steps = 0;

  constructor(readonly kind: RequestKind = 'generate') {}

  step(): void {
    this.#steps += 1;
    if (this.kind !== 'inline' && this.#steps % STEPS === 0) this.order = placed += 1;
  }
}
