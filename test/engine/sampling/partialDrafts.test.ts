// Drafts from a part of the vocabulary are those of the whole of it in which all other tokens are impossible, for each
// kind of sampler, with a selector and without. On logits written by hand.
import assert from 'node:assert/strict';
import { greedySampler } from '../../../server/engine/sampling/greedySampler';
import { samplerOf } from '../../../server/engine/sampling/samplerOf';
import { samplingOf, type SamplingOptions } from '../../../server/engine/sampling/sampling';
import type { Drafted, Sampler } from '../../../server/engine/sampling/sampler';
import { Columns } from '../../../server/models/columns';
import type { ProposedLogits, Selector } from '../../../server/models/drafter';
import { dispose, liveArrays, scope, settle } from '../../../server/models/memory';
import * as mx from '../../../server/models/ops';
import { arrayOf, assertClose } from '../../support/arrayValues';
import { seededRandom } from '../../support/seededRandom';

const VOCABULARY = 3000;
const ROWS = 5;
const MASK = 2999;
/** Of the largest only, the largest is looked for in chunks. */
const PARTS = [
  { limit: 40, others: [2500, 41, 900] },
  { limit: 700, others: [1200, 701, 2998, 1500] },
  { limit: 2200, others: [2500, 2300] },
  { limit: 1000, others: [] },
];

interface Case {
  readonly part: () => ProposedLogits;
  readonly whole: () => ProposedLogits;
  readonly columns: Columns;
}

/** What the candidates of a row gain differs with each pair of tokens. */
const selector: Selector = {
  candidates: 12,
  gains: (ids) => {
    const rows = mx.rows(ids);
    const gains = rows.flatMap((tokens, row) =>
      tokens.flatMap((_, i) => tokens.map((token) => gain(rows[row - 1]?.[i] ?? 17, token))),
    );
    return arrayOf([rows.length, rows[0]?.length ?? 0, rows[0]?.length ?? 0], gains);
  },
};

const gain = (before: number, token: number): number => ((before * 31 + token * 17) % 23) / 4;

function newCase(seed: number, columns: Columns, extra: Pick<ProposedLogits, 'selector'>): Case {
  const random = seededRandom(seed);
  const rows = Array.from({ length: ROWS }, () => Array.from({ length: VOCABULARY }, () => 12 * random()));
  const tokens = [...Array(columns.limit).keys(), ...columns.others];
  const proposed = (values: readonly (readonly number[])[]): ProposedLogits => ({
    logits: arrayOf([1, ROWS, values[0]?.length ?? 0], values.flat()),
    ...extra,
  });
  const isPossible = (token: number): boolean => columns.columnOf(token) !== undefined;
  return {
    columns,
    part: () => ({ ...proposed(rows.map((row) => tokens.map((token) => row[token] ?? NaN))), columns }),
    whole: () => proposed(rows.map((row) => row.map((logit, id) => (isPossible(id) ? logit : -Infinity)))),
  };
}

async function picked(sampler: Sampler, propose: () => ProposedLogits, history: number[]): Promise<Drafted> {
  const before = liveArrays();
  const pending = scope(() => sampler.pick(propose(), { history, position: 3 }));
  await settle(pending);
  const result = pending.read();
  dispose(pending);
  assert.equal(liveArrays(), before);
  return result;
}

/** The tokens that may come out, and how likely each is. */
function likely({ distributions = [] }: Drafted) {
  return distributions.map(({ tokens, probabilities }) => {
    const known = tokens.map((token, i) => ({ token, probability: probabilities[i] ?? NaN }));
    return known.filter(({ probability }) => probability > 0).sort((a, b) => a.token - b.token);
  });
}

async function requireSame(sampler: Sampler, { part, whole, columns }: Case, history: number[]) {
  const [actual, expected] = [await picked(sampler, part, history), await picked(sampler, whole, history)];
  assert.deepEqual(actual.tokens, expected.tokens);
  assert.ok(actual.tokens.every((token) => columns.columnOf(token) !== undefined));
  assert.deepEqual(actual.confidence, expected.confidence);
  const [ours, theirs] = [likely(actual), likely(expected)];
  const tokensOf = (rows: ReturnType<typeof likely>) => rows.map((row) => row.map(({ token }) => token));
  assert.deepEqual(tokensOf(ours), tokensOf(theirs));
  const probabilities = (rows: ReturnType<typeof likely>) => rows.flat().map((each) => each.probability);
  if (ours.length > 0) assertClose(probabilities(ours), probabilities(theirs), 1e-6, 'probabilities');
  return actual;
}

const SAMPLINGS: readonly SamplingOptions[] = [
  { temperature: 1 },
  { temperature: 2, topK: 5, forbiddenTokens: [3, 701, 2500, 2997] },
  { temperature: 1.5, repetitionPenalty: 1.3, presencePenalty: 2, frequencyPenalty: 1, forbiddenTokens: [2] },
  { temperature: 0.8, topP: 0.9, presencePenalty: -8, penaltyWindow: 4 },
];

for (const extra of [{}, { selector }])
  describe(`drafts from a part of the vocabulary ${'selector' in extra ? 'with' : 'without'} a selector`, () => {
    for (const { limit, others } of PARTS) {
      const columns = new Columns(limit, others);
      const cases = [1, 2, 3, 4, 5, 6].map((seed) => newCase(seed, columns, extra));
      /** Tokens with a column, behind the limit too, and tokens without one. */
      const history = [5, 1200, 2500, 5, 9, 2500, 1999, 2999];

      it(`are the most probable ones below ${String(limit)} and of ${String(others.length)} more`, async () => {
        for (const each of cases) await requireSame(greedySampler, each, history);
      });

      it(`are drawn as from the whole, below ${String(limit)} and of ${String(others.length)} more`, async () => {
        for (const [i, options] of SAMPLINGS.entries())
          for (const [seed, each] of cases.entries()) {
            const sampling = samplingOf({ ...options, acceptance: 'rejection', seed: 100 * i + seed });
            const { tokens } = await requireSame(samplerOf(sampling, MASK), each, history);
            for (const forbidden of sampling.forbiddenTokens) assert.ok(!tokens.includes(forbidden));
          }
      });
    }

    it('can be a token from behind the limit', async () => {
      const favourite = new Columns(40, [2500, 41, 900]);
      const base = newCase(1, favourite, extra);
      const part = (): ProposedLogits => {
        const { logits, ...rest } = base.part();
        const bonus = Array.from({ length: 43 }, (_, column) => (column === 40 ? 100 : 0));
        return { logits: mx.add(logits, mx.constant(bonus, mx.float32)), ...rest };
      };
      for (const sampler of [
        greedySampler,
        samplerOf(samplingOf({ temperature: 1, acceptance: 'rejection', seed: 1 })),
      ])
        assert.deepEqual((await picked(sampler, part, [1])).tokens, Array<number>(ROWS).fill(2500));
    });
  });
