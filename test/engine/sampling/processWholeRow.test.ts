// The chain on rows of which every logit has to be read: what comes out is what the chain gives for a row that is known
// from the start, whatever is asked for and however many logits are equal.
import assert from 'node:assert/strict';
import { draw, type Distribution } from '../../../server/engine/sampling/distribution';
import { processRow } from '../../../server/engine/sampling/processRow';
import { processWholeRow } from '../../../server/engine/sampling/processWholeRow';
import { completeRow, type LogitRow } from '../../../server/engine/sampling/logitRow';
import { occurrences } from '../../../server/engine/sampling/penalised';
import { samplingOf, type SamplingOptions } from '../../../server/engine/sampling/sampling';
import { seededRandom } from '../../support/seededRandom';

const VOCABULARY = 40;
const random = seededRandom(5);
const whole = (limit: number): number => Math.floor(limit * random());
const sometimes = <T>(value: T): T | undefined => (random() < 0.5 ? value : undefined);

function anyOptions(): SamplingOptions {
  return {
    temperature: sometimes(0.2 + 2 * random()),
    topK: sometimes(whole(VOCABULARY + 5)),
    topP: sometimes(0.05 + 0.95 * random()),
    minP: sometimes(random() / 4),
    repetitionPenalty: sometimes(0.5 + random()),
    presencePenalty: sometimes(random() - 0.5),
    frequencyPenalty: sometimes(random() - 0.5),
    forbiddenTokens: sometimes([whole(VOCABULARY), whole(VOCABULARY)]),
  };
}

/** Knows nothing but that there is more. */
function unknownRow(logits: readonly number[]): LogitRow {
  return { ...completeRow(rowOf(logits)), known: new Map(), others: logits.length, floor: Infinity };
}

function rowOf(logits: readonly number[]): LogitRow {
  return {
    known: new Map(logits.entries()),
    others: 0,
    floor: -Infinity,
    logTotals: new Map(),
    all: () => logits,
  };
}

function byToken({ tokens, probabilities }: Distribution): number[] {
  return Array.from({ length: VOCABULARY }, (_, token) => probabilities[tokens.indexOf(token)] ?? 0);
}

describe('a row that is read as a whole', () => {
  it('gives what a row gives that is known from the start, for 2000 settings', () => {
    for (let i = 0; i < 2000; i++) {
      const logits = Array.from({ length: VOCABULARY }, () => (whole(12) - 6) / (1 + (i % 2)));
      const sampling = samplingOf(anyOptions());
      const counts = occurrences(
        sampling,
        Array.from({ length: 9 }, () => whole(VOCABULARY)),
      );
      const expected = byToken(processRow(rowOf(logits), counts, sampling));
      const got = byToken(processRow(unknownRow(logits), counts, sampling));
      for (const [token, probability] of expected.entries()) {
        const difference = Math.abs(probability - (got[token] ?? 0));
        assert.ok(difference < 1e-9, `${JSON.stringify(sampling)}: token ${String(token)}`);
      }
    }
  });

  it('may be as long as the largest vocabularies', () => {
    const logits = Array.from({ length: 300_000 }, () => random());
    const counts = new Map<number, number>();
    for (const options of [{}, { topP: 0.5 }, { topK: 200_000 }]) {
      const sampling = samplingOf({ temperature: 1, ...options });
      const result = processRow(unknownRow(logits), counts, sampling);
      assert.ok(draw(result, 0.5) > 0);
    }
  });

  it('is undefined when everything is forbidden', () => {
    const sampling = samplingOf({ temperature: 1, forbiddenTokens: [0, 1] });
    assert.equal(processWholeRow([1, 2], new Map(), sampling), undefined);
  });
});
