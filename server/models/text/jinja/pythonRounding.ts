// Rounds floats to decimal digits as Python does: by their exact binary value, halves to the nearest even digit.
// JavaScript rounds halves up.
import { printedNumber, requireLength } from './jinjaValues';

/** Digits after the point of the smallest float; no float has more. */
const MAX_DIGITS = 1074;

/** Returns Python's `round(number, digits)`. Throws an Error if the result is too large for a float. */
export function roundedFloat(number: number, digits: number): number {
  if (!Number.isFinite(number)) return number;
  const places = Math.max(-MAX_DIGITS, Math.min(digits, MAX_DIGITS));
  const size = Number(`${String(scaledInteger(Math.abs(number), places))}e${String(-places)}`);
  if (size === Infinity) throw new Error('rounded value too large to represent');
  return isNegative(number) ? -size : size;
}

/** Returns the text of Python's `%.Nf`, with `digits` digits after the point. */
export function fixedText(number: number, digits: number): string {
  if (!Number.isFinite(number)) return printedNumber(number);
  requireLength('characters', digits);
  const places = Math.min(digits, MAX_DIGITS);
  const text = String(scaledInteger(Math.abs(number), places)).padStart(places + 1, '0');
  const point = text.length - places;
  const fraction = digits === 0 ? '' : `.${text.slice(point).padEnd(digits, '0')}`;
  return (isNegative(number) ? '-' : '') + text.slice(0, point) + fraction;
}

/** Returns the integer nearest to `size * 10 ** digits`; the even one of two that are equally near. */
function scaledInteger(size: number, digits: number): bigint {
  let mantissa = size;
  let denominator = 1n;
  for (; !Number.isInteger(mantissa); mantissa *= 2) denominator *= 2n;
  let numerator = BigInt(mantissa);
  const scale = 10n ** BigInt(Math.abs(digits));
  if (digits < 0) denominator *= scale;
  else numerator *= scale;
  const quotient = numerator / denominator;
  const twiceRest = 2n * (numerator % denominator);
  const roundsUp = twiceRest > denominator || (twiceRest === denominator && quotient % 2n === 1n);
  return roundsUp ? quotient + 1n : quotient;
}

function isNegative(number: number): boolean {
  return number < 0 || Object.is(number, -0);
}
