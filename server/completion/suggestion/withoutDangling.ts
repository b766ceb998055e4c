// Cuts the end of an incomplete text, so that a closer or the end of a statement can follow it.

/** Matches operators, separators and white space at the end, which no closer can follow. */
const DANGLING = /(?:\s|->|\s\/|[.,=:?&|+*%<~^@!-])+$/;
/** Matches `? b` of an incomplete `a ? b : c`. */
const HALF_CONDITIONAL = /\s\?\s[^:]*$/;

/**
 * Cuts an operator, a separator or half a conditional at the end. An arrow function without a body gets an empty one.
 */
export function withoutDangling(text: string): string {
  return /=>\s*$/.test(text)
    ? `${text.trimEnd()} {}`
    : text.replace(HALF_CONDITIONAL, '').replace(DANGLING, '');
}
