// A row of logits of which only the largest and some named ones are known, as the device would give it; it counts how
// often the rest is asked for.
import type { LogitRow } from '../../server/engine/sampling/readLogitRows';
import { largestFirst } from './largestFirst';

export interface PartialRow extends LogitRow {
  /** Number of times that all logits were read. */
  reads: number;
}

export interface Knowledge {
  readonly largest: number;
  readonly named?: readonly number[];
  readonly temperatures?: readonly number[];
}

export function partialRow(logits: readonly number[], knowledge: Knowledge): PartialRow {
  const { largest, named = [], temperatures = [] } = knowledge;
  const first = largestFirst(logits).slice(0, largest);
  const tokens = [...new Set([...first, ...named])].sort((a, b) => a - b);
  const best = logits[first[0] ?? 0] ?? NaN;
  const logTotal = (temperature: number): number =>
    best / temperature +
    Math.log(logits.reduce((sum, logit) => sum + Math.exp((logit - best) / temperature), 0));
  const row: PartialRow = {
    tokens,
    logits: tokens.map((token) => logits[token] ?? NaN),
    unknownCount: logits.length - tokens.length,
    floor: tokens.length < logits.length ? (logits[first.at(-1) ?? 0] ?? NaN) : -Infinity,
    logTotals: new Map(temperatures.map((temperature) => [temperature, logTotal(temperature)])),
    reads: 0,
    readAll: () => {
      row.reads += 1;
      return logits;
    },
  };
  return row;
}
