// Cuts the end of an incomplete text so that a closer or the end of a statement can follow.

/** Ends that no closer can follow. */
const DANGLING = /(?:\s|->|\s\/|[.,=:?&|+*%<~^@!-])+$/;
/** The first half of `a ? b : c`. */
const HALF_CHOICE = /\s\?\s[^:]*$/;

/** Cuts an operator, a separator or half a choice at the end. A function without a body gets an empty one. */
export function withoutDangling(text: string): string {
  return /=>\s*$/.test(text) ? `${text.trimEnd()} {}` : text.replace(HALF_CHOICE, '').replace(DANGLING, '');
}
