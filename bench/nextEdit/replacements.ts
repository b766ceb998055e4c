// Extracts token replacements from a change and replays them elsewhere: the baseline for next-edit models.
import { lineDiff } from '../../server/rules/lineDiff';

export interface Replacement {
  readonly from: readonly string[];
  readonly to: readonly string[];
}

const TOKENS = /[\p{L}_$][\p{L}\p{N}_$]*|\d+|\s+|[^]/gu;
const NAME = /^[\p{L}_$][\p{L}\p{N}_$]*$/u;

function tokensOf(text: string): readonly string[] {
  return text.match(TOKENS) ?? [];
}

export function namesOf(text: string): readonly string[] {
  return tokensOf(text).filter((token) => NAME.test(token));
}

/** Returns the replacements whose old tokens contain a name. An insertion has no old tokens and is left out. */
export function replacementsOf(before: string, after: string): readonly Replacement[] {
  const old = tokensOf(before);
  return lineDiff(old, tokensOf(after))
    .map(({ at, removed, added }) => ({ from: old.slice(at, at + removed), to: added }))
    .filter(({ from }) => from.some((token) => NAME.test(token)));
}

/** Applies all replacements wherever they match. */
export function replayed(text: string, replacements: readonly Replacement[]): string {
  const result: string[] = [];
  const tokens = tokensOf(text);
  for (let i = 0; i < tokens.length;) {
    const found = replacements.find(({ from }) => from.every((token, k) => tokens[i + k] === token));
    result.push(...(found?.to ?? [tokens[i] ?? '']));
    i += found?.from.length ?? 1;
  }
  return result.join('');
}
