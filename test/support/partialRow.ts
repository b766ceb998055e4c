// A row of logits as it is read from the device: only the logits of the largest and of some named tokens. It counts how
// often all logits are read.
import type { LogitRow } from '../../server/engine/sampling/readLogitRows';
import { largestFirst } from './largestFirst';

export interface PartialRow extends LogitRow {
  /** Number of times that all logits were read. */
  reads: number;
}

/** Logits that a row has without reading all. */
export interface RowContent {
  /** Number of largest logits. */
  readonly largest: number;
  /** Tokens whose logits are present in addition. */
  readonly named?: readonly number[];
  /** Temperatures whose totals over the vocabulary are present. */
  readonly temperatures?: readonly number[];
}

export function partialRow(logits: readonly number[], content: RowContent): PartialRow {
  const { largest, named = [], temperatures = [] } = content;
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
