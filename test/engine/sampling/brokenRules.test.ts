// What the counts of texts can tell: each of these rules is wrong in a way that is easily missed, and none of them
// passes. The counts, the seeds and the drafter are those with which the right rules pass.
import assert from 'node:assert/strict';
import { draw, probabilityOf, type Distribution } from '../../../server/engine/sampling/distribution';
import { occurrences, processRow } from '../../../server/engine/sampling/processRow';
import { judgeDrafts, rowDraws } from '../../../server/engine/sampling/rowDraws';
import { samplingOf, type Sampling, type SamplingOptions } from '../../../server/engine/request/sampling';
import { chiSquareOf } from '../../support/chiSquare';
import { logitTable } from '../../support/logitTable';
import { plainTexts } from '../../support/plainChain';
import {
  drawnDrafting,
  textDrawer,
  textPlaces,
  type Drafting,
  type TextWish,
} from '../../support/textDrawer';

const DRAWS = 20_000;
const LENGTH = 3;
const SEED = 4_000_000;
const SURE_NO = 1e-6;

const table = logitTable(7, 5);
const other = logitTable(8, table.vocabSize);
const prompt = [2, 4, 1];

/** How well the counts agree with plain sampling. */
function agreement(options: SamplingOptions, rule: (sampling: Sampling) => Partial<TextWish>): number {
  const sampling = samplingOf({ temperature: 1, acceptance: 'rejection', ...options, seed: 0 });
  const drafting = drawnDrafting(other, sampling, ({ position }) => LENGTH - position);
  const drawText = textDrawer({ prompt, length: LENGTH, table, drafting, sampling, ...rule(sampling) });
  const places = textPlaces(drawText, { seed: SEED, draws: DRAWS, vocabSize: table.vocabSize });
  const expected = plainTexts(table.after, prompt, LENGTH, sampling);
  return chiSquareOf(places, expected);
}

/** Drafts as far as `passes` lets them. */
function upTo(drafting: Drafting, passes: (q: Distribution, token: number) => boolean): Drafting {
  return (...round) => {
    const { tokens, distributions = [] } = drafting(...round);
    const end = tokens.findIndex((token, i) => {
      const q = distributions[i];
      return q === undefined || !passes(q, token);
    });
    return { tokens: tokens.slice(0, end < 0 ? tokens.length : end), distributions };
  };
}

const mostProbable = ({ tokens, probabilities }: Distribution): number =>
  tokens[probabilities.indexOf(Math.max(...probabilities))] ?? NaN;

const penalties = { repetitionPenalty: 1.6, presencePenalty: 1, penaltyWindow: 3 };

describe('counted texts', () => {
  const drafts = (sampling: Sampling) => drawnDrafting(other, sampling, ({ position }) => LENGTH - position);

  it('agree with plain sampling by the right rules', () => {
    for (const options of [{}, penalties, { acceptance: 'match' as const }])
      assert.ok(agreement(options, () => ({})) > 0.01);
    const sure = (q: Distribution): boolean => Math.max(...q.probabilities) > 0.45;
    assert.ok(agreement({}, (sampling) => ({ drafting: upTo(drafts(sampling), sure) })) > 0.01);
  });

  it('disagree when the most probable token is accepted without chance', () => {
    const judge: typeof judgeDrafts =
      ({ tokens }, target) =>
      (row) => {
        const from = target.from(row, tokens);
        return tokens[row] === mostProbable(from) ? tokens[row] : draw(from, target.rng(row).token);
      };
    const p = agreement({}, () => ({ judge }));
    assert.ok(p < SURE_NO, String(p));
  });

  it('disagree when drafts are judged by another distribution than the one they were drawn from', () => {
    const flat = (q: Distribution): Distribution => ({
      ...q,
      probabilities: q.tokens.map(() => 1 / q.tokens.length),
    });
    const judge: typeof judgeDrafts = ({ tokens, distributions }, target, sampling) =>
      judgeDrafts({ tokens, distributions: distributions?.map(flat) }, target, sampling);
    const p = agreement({}, () => ({ judge }));
    assert.ok(p < SURE_NO, String(p));
  });

  it('disagree when the residual is that of another distribution', () => {
    const judge: typeof judgeDrafts = (drafted, target, sampling) => {
      const tokenAt = judgeDrafts(drafted, target, sampling);
      return (row) => {
        const token = tokenAt(row);
        if (token === drafted.tokens[row]) return token;
        return draw(target.from(row, drafted.tokens), target.rng(row).token);
      };
    };
    const p = agreement({}, () => ({ judge }));
    assert.ok(p < SURE_NO, String(p));
  });

  it('disagree when a draft is dropped because the token that was drawn is improbable', () => {
    const likely = (q: Distribution, token: number): boolean => probabilityOf(q, token) > 0.3;
    const p = agreement({}, (sampling) => ({ drafting: upTo(drafts(sampling), likely) }));
    assert.ok(p < SURE_NO, String(p));
  });

  it('disagree when the number that accepts chooses the correction too', () => {
    const judge: typeof judgeDrafts = (drafted, { from, rng }, sampling) => {
      const one = (row: number) => ({ ...rng(row), token: rng(row).accept });
      return judgeDrafts(drafted, { from, rng: one }, sampling);
    };
    const p = agreement({}, () => ({ judge }));
    assert.ok(p < SURE_NO, String(p));
  });

  it('disagree when the penalties inside a block do not know its drafts', () => {
    const draws: typeof rowDraws = (rowBehind, at, sampling) => ({
      ...rowDraws(rowBehind, at, sampling),
      from: (...place) => processRow(rowBehind(...place), occurrences(sampling, at.history), sampling),
    });
    for (const acceptance of ['match', 'rejection'] as const) {
      const p = agreement({ ...penalties, acceptance }, () => ({ draws }));
      assert.ok(p < SURE_NO, String(p));
    }
  });
});
