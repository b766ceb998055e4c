// Ranges of numbers given in settings, in a request or on the command line.

export interface NumberRange {
  readonly min: number;
  readonly max: number;
  /** Whole numbers only, or numbers above `min` only; any by default. */
  readonly kind?: 'whole' | 'above';
}

export function whole(min: number, max: number): NumberRange {
  return { min, max, kind: 'whole' };
}

export function isInRange(value: unknown, { min, max, kind }: NumberRange): value is number {
  if (typeof value !== 'number' || !(value >= min && value <= max)) return false;
  return kind === 'whole' ? Number.isInteger(value) : kind !== 'above' || value > min;
}

/** The expected range, in words. */
export function rangeText({ min, max, kind }: NumberRange): string {
  if (kind === 'above') return `a number above ${String(min)} and up to ${String(max)}`;
  return `a ${kind === 'whole' ? 'whole ' : ''}number from ${String(min)} to ${String(max)}`;
}
