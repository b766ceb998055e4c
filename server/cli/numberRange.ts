// Numbers that a person gives, as text or in JSON, and the range that each has to be in.
import { InputError } from '../inputError';

export interface NumberRange {
  readonly min: number;
  readonly max: number;
  /** Whole numbers only, or numbers above `min` only; any by default. */
  readonly kind?: 'whole' | 'above';
}

export function isInRange(value: unknown, { min, max, kind }: NumberRange): value is number {
  if (typeof value !== 'number' || !(value >= min && value <= max)) return false;
  return kind === 'whole' ? Number.isInteger(value) : kind !== 'above' || value > min;
}

/** What is expected, in words. */
export function rangeText({ min, max, kind }: NumberRange): string {
  if (kind === 'above') return `a number above ${String(min)} and up to ${String(max)}`;
  return `a ${kind === 'whole' ? 'whole ' : ''}number from ${String(min)} to ${String(max)}`;
}

/** A number in decimal digits, without an exponent. */
export function parseNumber(option: string, text: string, range: NumberRange): number {
  const form = range.kind === 'whole' ? /^\d{1,15}$/ : /^-?(\d{1,9}(\.\d{1,9})?|\.\d{1,9})$/;
  const value = form.test(text) ? Number(text) : NaN;
  if (isInRange(value, range)) return value;
  throw new InputError({
    expected: `${option} to be ${rangeText(range)}`,
    got: `"${text}"`,
    remedy: 'correct the number',
  });
}
