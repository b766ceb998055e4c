// What a suggestion waited for, one after the other.
import type { RequestStats } from '../../server/engine/request/stats';
import type { Mark } from './startedServer';

/** Milliseconds by name, in order; `other` is what no mark and no decode accounts for. */
export type Parts = Readonly<Record<string, number>>;

export interface PartedTime {
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  /** What ended, and when; each between `from` and `to` is given the time since the one before. */
  readonly marks: readonly Mark[];
  readonly decodes: readonly Pick<RequestStats, 'prefillMs' | 'decodeMs'>[];
}

export function partsOf({ from, to, marks, decodes }: PartedTime): Parts {
  const parts = new Map<string, number>();
  const add = (name: string, ms: number): void => void parts.set(name, (parts.get(name) ?? 0) + ms);
  let last = from;
  for (const { name, at } of marks) {
    if (at < last || at > to) continue;
    add(name, at - last);
    last = at;
  }
  for (const { prefillMs, decodeMs } of decodes) {
    add('prefill', prefillMs);
    add('decode', decodeMs);
  }
  const known = [...parts.values()].reduce((sum, ms) => sum + ms, 0);
  add('other', to - from - known);
  return Object.fromEntries(parts);
}
