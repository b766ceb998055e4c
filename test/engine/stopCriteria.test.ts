// Tests where an output ends and which text is certain before that. Tokens arrive in rounds, as from the session; token
// i is piece i. decodeSession.test.ts and losslessness.test.ts test the end of whole decodes.
import assert from 'node:assert/strict';
import type { DecodeRequest } from '../../server/engine/decode/decode';
import { RepetitionGuard } from '../../server/engine/repetitionGuard';
import { StopCriteria } from '../../server/engine/stopCriteria';
import type { FinishReason } from '../../server/engine/request/stats';
import { PieceTokenizer } from '../support/pieceTokenizer';
import { seededIntegers } from '../support/seededRandom';

const END = 9;
const SMILE = Buffer.from('🙂');
const [HEAD, TAIL] = [SMILE.subarray(0, 2), SMILE.subarray(2)];
const PIECES = ['a', 'b', 'STOP', 'ST', 'OP', '\n', 'xSTOPy', HEAD, TAIL, '<end>'];
const [A, B, SMILE_1, SMILE_2] = [0, 1, 7, 8] as const;
const tokenizer = new PieceTokenizer(PIECES, { special: [END] });

interface Outcome {
  readonly tokens: number[];
  /** Text of each round, then the text that `flush` returned. */
  readonly texts: string[];
  readonly finishReason: FinishReason | undefined;
}

/** `eosTokenIds` are the end tokens of the target. */
type Rules = Partial<DecodeRequest> & { readonly eosTokenIds?: readonly number[] };

function criteriaOf(
  { eosTokenIds = [END], ...request }: Rules,
  pieces: PieceTokenizer | undefined,
): StopCriteria {
  return new StopCriteria({ maxTokens: 100, ...request }, eosTokenIds, pieces);
}

/** Feeds rounds until the output ends. */
function feed(rounds: readonly number[][], rules: Rules): Outcome {
  const criteria = criteriaOf(rules, tokenizer);
  const tokens: number[] = [];
  const texts: string[] = [];
  for (const round of rounds) {
    const taken = criteria.append(round);
    tokens.push(...taken.tokens);
    texts.push(taken.text);
    if (criteria.finishReason) break;
  }
  texts.push(criteria.flush());
  return { tokens, texts, finishReason: criteria.finishReason };
}

describe('StopCriteria', () => {
  it('spells out the requested special tokens and no others', () => {
    const round = [A, END, B];
    assert.deepEqual(feed([round], { eosTokenIds: [] }).texts.join(''), 'ab');
    assert.deepEqual(feed([round], { eosTokenIds: [], spelledTokenIds: [END] }).texts.join(''), 'a<end>b');
  });

  it('finds a stop string before an incomplete character', () => {
    const pieces = ['a', Buffer.concat([Buffer.from('STOP'), SMILE.subarray(0, 1)])];
    const rules = { maxTokens: 2, eosTokenIds: [], stopStrings: ['STOP'] };
    const criteria = criteriaOf(rules, new PieceTokenizer(pieces));
    assert.deepEqual(criteria.append([0, 1]), { tokens: [0, 1], text: 'a' });
    assert.equal(criteria.finishReason, 'stop');
    assert.equal(criteria.flush(), '');
  });

  it('yields the same output however tokens fall into rounds, also with hundreds of stop strings', () => {
    const absent = Array.from({ length: 300 }, (_, i) => ['STSTb', 'z', 'abz', '🙂z'][i % 4] + String(i));
    const stopStrings = ['bab', 'STST', '\na', 'OPa', ...absent];
    for (let seed = 0; seed < 300; seed++) {
      const tokens = seededIntegers(seed, 40, A, SMILE_2);
      const sizes = seededIntegers(seed + 1000, 40, 1, 8);
      const rounds: number[][] = [];
      let rest = tokens;
      for (const size of sizes) {
        if (rest.length === 0) break;
        rounds.push(rest.slice(0, size));
        rest = rest.slice(size);
      }
      const decoded = tokenizer.decode(tokens);
      const single = feed(
        tokens.map((token) => [token]),
        { stopStrings },
      );
      const outcome = feed(rounds, { stopStrings });
      assert.deepEqual(outcome.tokens, single.tokens);
      assert.equal(outcome.finishReason, single.finishReason);
      const stops = stopStrings.map((stop) => decoded.indexOf(stop)).filter((at) => at >= 0);
      const text = tokens.at(-1) === SMILE_1 ? decoded.replace(/\uFFFD$/, '') : decoded;
      const expected = stops.length > 0 ? decoded.slice(0, Math.min(...stops)) : text;
      assert.equal(outcome.texts.join(''), expected, `seed ${String(seed)}`);
      assert.equal(single.texts.join(''), expected, `seed ${String(seed)}`);
    }
  });
});

describe('StopCriteria.countUseful', () => {
  const useful = (drafts: readonly number[], rules: Rules): number =>
    criteriaOf(rules, tokenizer).countUseful(drafts);

  it('counts the drafts before an end token, a stop string or a complete text', () => {
    assert.equal(useful([A, B, A], {}), 3);
    assert.equal(useful([A, B, END, A], {}), 2);
    for (let before = 0; before < 6; before++) {
      const drafts = [...Array<number>(before).fill(A), 2, B, B];
      assert.equal(useful(drafts, { stopStrings: ['STOP'] }), before, 'a stop string in one token');
      assert.equal(
        useful([...drafts.slice(0, before), 3, 4, B], { stopStrings: ['STOP'] }),
        before + 1,
        'a stop string in two tokens',
      );
      assert.equal(
        useful(drafts, { isComplete: (text) => text.includes('STOP') }),
        before,
        'a complete text',
      );
    }
  });
});

describe('StopCriteria.countUseful after other output', () => {
  for (const [what, rules, before, drafts, count] of [
    ['a stop string that the output has begun', { stopStrings: ['STOP'] }, [3], [4, B], 0],
    ['a text that is complete with what was written', { isComplete: isAab }, [A], [A, B, A], 1],
  ] as const)
    it(`counts the drafts before the end of ${what}`, () => {
      const criteria = criteriaOf(rules, tokenizer);
      criteria.append(before);
      assert.equal(criteria.countUseful(drafts), count);
    });
});

function isAab(text: string): boolean {
  return text.startsWith('aab');
}

/** Returns the number of tokens at which the guard ends the output; undefined if it does not. */
function endOf(tokens: readonly number[]): number | undefined {
  const guard = new RepetitionGuard();
  const at = tokens.findIndex((token) => guard.push(token));
  return at < 0 ? undefined : at + 1;
}

const repeated = (piece: readonly number[], times: number): number[] =>
  Array.from({ length: times }, () => piece).flat();

describe('RepetitionGuard', () => {
  it('reports a sequence of up to 24 tokens that repeats four times over at least 32 tokens', () => {
    for (let length = 1; length <= 24; length++) {
      const piece = Array.from({ length }, (_, i) => 100 + i);
      const end = Math.max(32, 4 * length);
      assert.equal(endOf(repeated(piece, 40)), end);
      assert.equal(endOf(repeated(piece, 40).slice(0, end - 1)), undefined);
      assert.equal(endOf([1, 2, 3, ...repeated(piece, 40)]), 3 + end);
    }
  });

  it('accepts fewer than four repetitions or 32 repeated tokens, as in tables of zeros', () => {
    const [zero, comma, line, dash] = [1, 2, 3, 4] as const;
    assert.equal(endOf([...repeated([zero, comma], 15), zero, line]), undefined);
    const row = [...repeated([zero, comma], 8), line];
    assert.equal(endOf(repeated(row, 3)), undefined);
    assert.equal(endOf(Array<number>(31).fill(dash)), undefined);
  });

  it('accepts lines that differ in one token', () => {
    const lines = Array.from({ length: 30 }, (_, i) => [1, 2, 3, 1000 + i, 4, 5]).flat();
    assert.equal(endOf(lines), undefined);
  });
});

describe('StopCriteria on an output that repeats itself', () => {
  const output = [9, 8, ...repeated([5, 6, 7], 30)];

  for (const repetitionGuard of [true, false])
    it(
      repetitionGuard
        ? 'ends an output that repeats itself in the middle of a round'
        : 'lets an output repeat itself without the repetition guard',
      () => {
        const criteria = criteriaOf({ eosTokenIds: [0], repetitionGuard }, undefined);
        assert.equal(criteria.append(output).tokens.length, repetitionGuard ? 2 + 32 : output.length);
        assert.equal(criteria.finishReason, repetitionGuard ? 'repetition' : undefined);
      },
    );

  it('reports the repetition rather than the limit if a token completes both', () => {
    const criteria = criteriaOf({ eosTokenIds: [0], repetitionGuard: true, maxTokens: 2 + 32 }, undefined);
    criteria.append(output);
    assert.equal(criteria.finishReason, 'repetition');
  });
});
