// The one chain from logits to a distribution, for plain steps, target rows and draft rows alike, in mlx-lm's order:
// forbidden tokens, penalties, top-p, min-p, top-k, temperature last. Pure arithmetic on one row.
import { certain, distribution, type Distribution } from './distribution';
import type { LogitRow } from './logitRow';
import type { Occurrences } from './penalised';
import { processWholeRow } from './processWholeRow';
import { truncates, type Sampling } from './sampling';
import { scoreRow, sureOnes, totalWeight, unknownWeight, type Candidate } from './scoreRow';
import { truncate } from './truncate';

/**
 * The distribution that the next token is drawn from. `row` must know every token that occurs or is forbidden. Reads
 * the rest of the row only where what is known of it does not settle the matter. Equal logits go in the order of
 * their ids. Throws a RangeError when everything is forbidden.
 */
export function processRow(row: LogitRow, counts: Occurrences, sampling: Sampling): Distribution {
  return processKnown(row, counts, sampling) ?? processWhole(row, counts, sampling);
}

/** The same as if nothing outside the known tokens existed: for drafts, which may be drawn from anything. */
export function processDraftRow(row: LogitRow, counts: Occurrences, sampling: Sampling): Distribution {
  return required(processKnown({ ...row, floor: -Infinity }, counts, sampling));
}

function processWhole(row: LogitRow, counts: Occurrences, sampling: Sampling): Distribution {
  return required(processWholeRow(row.all(), counts, sampling));
}

function required(result: Distribution | undefined): Distribution {
  if (result) return result;
  throw new RangeError('Expected a token that is not forbidden, got none');
}

function processKnown(row: LogitRow, counts: Occurrences, sampling: Sampling): Distribution | undefined {
  const scored = scoreRow(row, counts, sampling);
  const sure = sureOnes(scored, row);
  const [best] = sure;
  if (best === undefined) return undefined;
  if (sampling.temperature === 0) return certain(best.token);
  const total = (): number | undefined => totalWeight(row, scored, best.logit);
  const falling = sure.map(({ logit }) => logit);
  const passed = truncate(falling, row.floor === -Infinity, total, sampling);
  if (passed === undefined) return undefined;
  if (passed.settled) return tempered(sure.slice(0, passed.count), sampling.temperature);
  if (truncates(sampling)) return undefined;
  const weight = unknownWeight(row, scored, best.logit, sampling.temperature);
  if (weight === undefined) return undefined;
  return tempered(scored, sampling.temperature, { weight, whole: () => processWhole(row, counts, sampling) });
}

/** Listed in the order of their ids, so that rounding in close logits does not move what chance falls on. */
function tempered(
  candidates: readonly Candidate[],
  temperature: number,
  rest?: Parameters<typeof distribution>[2],
): Distribution {
  const best = candidates[0]?.logit ?? 0;
  const byToken = candidates.toSorted((a, b) => a.token - b.token);
  return distribution(
    byToken.map(({ token }) => token),
    byToken.map(({ logit }) => Math.exp((logit - best) / temperature)),
    rest,
  );
}
