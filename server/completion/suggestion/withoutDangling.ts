// The end of a text that is cut off: what cannot be followed by a closer or the end of a statement.

/** No closer can follow these. */
const DANGLING = /(?:\s|->|\s\/|[.,=:?&|+*%<~^@!-])+$/;
/** The first half of `a ? b : c`. */
const HALF_CHOICE = /\s\?\s[^:]*$/;

/** Cuts what dangles at the end. A function that lacks its body gets an empty one. */
export function withoutDangling(text: string): string {
  return /=>\s*$/.test(text) ? `${text.trimEnd()} {}` : text.replace(HALF_CHOICE, '').replace(DANGLING, '');
}
