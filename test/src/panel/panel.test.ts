// What the statistics panel draws: only the numbers of the rows, escaped, and in words as well.
import assert from 'node:assert/strict';
import type { StatsRow } from '../../../server/protocol/messages';
import { ledger } from '../../../src/panel/ledger';
import { isOwnRequest, rowHistory, sections } from '../../../src/panel/page';
import { sampleRow } from '../support/sampleRow';

const ROWS = [
  sampleRow({
    id: 1,
    rounds: [
      [3, 3],
      [3, 1],
    ],
    decodeMs: 120,
  }),
  sampleRow({ id: 2, rounds: [[2, 0]], file: '<script>"&\'.ts', timeToFirstTokenMs: 250 }),
  sampleRow({ id: 3, kind: 'compare', rounds: [[0, 0]] }),
  sampleRow({
    id: 4,
    rounds: [
      [3, 2],
      [3, 3],
      [1, 0],
    ],
    decodeMs: 200,
  }),
];

describe('rowHistory', () => {
  it('joins without doubles, in order, and keeps the last hundred', () => {
    const [first, second] = ROWS;
    assert.ok(first && second);
    assert.deepEqual(rowHistory([second], [first, second]), [first, second]);
    const many = Array.from({ length: 130 }, (_, i) => sampleRow({ id: i }));
    assert.equal(rowHistory(many, []).length, 100);
    assert.equal(rowHistory(many, []).at(-1)?.id, 129);
  });

  it('keeps rows of the same id from before and after a restart', () => {
    assert.equal(rowHistory([sampleRow({ id: 1, at: 1 })], [sampleRow({ id: 1, at: 2 })]).length, 2);
  });

  it('leaves comparisons, alternatives and what was prefetched out of the person’s own requests', () => {
    const kinds = ['prefetch', 'generate', 'alternative'] as const;
    const rows = [...ROWS, ...kinds.map((kind, i) => sampleRow({ id: 5 + i, kind }))];
    assert.deepEqual(
      rows.filter(isOwnRequest).map(({ id }) => id),
      [1, 2, 4, 6],
    );
  });
});

describe('ledger', () => {
  const numbers = (rows: readonly StatsRow[]): Readonly<Record<string, number | null>> =>
    Object.fromEntries(ledger(rows).map(({ name, value }) => [name, value]));

  it('is made of sums of the counters', () => {
    const [first] = ROWS;
    assert.ok(first);
    assert.deepEqual(numbers([first]), {
      emitted: 7,
      rounds: 2,
      passesAvoided: 4,
      tokensPerRound: 3,
      accepted: 4,
      'source-dflash': 4,
      thrownAway: 2,
      reusedTokens: 16,
      prefillMs: 30,
      draftMs: 30,
      verifyMs: 60,
    });
    const all = numbers(ROWS.filter(isOwnRequest));
    assert.equal(all['passesAvoided'], all['accepted']);
    assert.equal(
      all['tokensPerRound'],
      (Number(all['accepted']) + Number(all['rounds'])) / Number(all['rounds']),
    );
  });

  it('sums each drafter by itself', () => {
    const one = { name: 'dflash', rounds: 2, drafted: 6, accepted: 4 };
    const other = { name: 'ngram', rounds: 1, drafted: 3, accepted: 3 };
    const rows = [sampleRow({ sources: [one] }), sampleRow({ id: 2, sources: [other, one] })];
    const titles = ledger(rows).map(({ title }) => title);
    assert.deepEqual(titles.slice(5, 7), ['- from dflash', '- from ngram']);
    const drawn = sections(rows).ledger;
    const without = sections([...rows, sampleRow({ id: 3, sources: [one] })]).ledger;
    assert.match(without, /data-name="source-ngram"[^]*?data-value="0">0 of 0<[^]*?data-value="3">3 of 3</);
    assert.match(drawn, /data-name="source-ngram"[^]*?data-value="3">3 of 3<[^]*?data-value="3">3 of 3</);
    assert.match(drawn, /data-name="source-dflash"[^]*?data-value="4">4 of 6<[^]*?data-value="8">8 of 12</);
    assert.match(drawn, /data-name="reusedTokens"[^]*?>16 of 64<[^]*?>32 of 128</);
  });
});

describe('sections', () => {
  const drawn = sections(ROWS);

  it('show each request with the numbers of its row, unrounded', () => {
    for (const { id, stats, rates } of ROWS) {
      const row = drawn.requests.split('<tr').find((part) => part.includes(`data-request="${id}"`));
      assert.ok(row);
      for (const value of [
        stats.emittedTokens,
        stats.rounds,
        stats.timeToFirstTokenMs,
        rates.decodeTokensPerSecond,
        rates.tokensPerRound,
      ])
        assert.ok(row.includes(`data-value="${value}"`), `${value} in request ${id}`);
    }
    assert.ok(
      drawn.requests.indexOf('data-request="4"') < drawn.requests.indexOf('data-request="1"'),
      'newest first',
    );
  });

  it('escape file names and text of tokens', () => {
    assert.ok(!Object.values(drawn).some((text) => text.includes('<script')));
    assert.ok(drawn.requests.includes('&#60;script&#62;'));
  });

  it('draw the rounds of the last request token by token, with words for each', () => {
    const text = drawn['last-rounds'];
    assert.ok(text.includes('data-request="4"'));
    assert.equal(text.match(/class="token draft"/g)?.length, 1 + 5);
    assert.equal(text.match(/class="token target"/g)?.length, 1 + 3);
    assert.equal(text.match(/class="token prefill"/g)?.length, 1 + 1);
    assert.ok(text.includes('Round 3: 0 from the draft, 1 from the target'));
  });

  it('have no handlers, styles or scripts of their own, which the policy would refuse', () => {
    for (const text of Object.values(drawn))
      assert.doesNotMatch(text, /\sstyle=|\son\w+=|<script|<style|javascript:/i);
  });

  it('say something useful before the first request', () => {
    const empty = sections([]);
    assert.ok(empty.requests.includes('No requests yet'));
    assert.ok(empty['last-rounds'].includes('No request has produced text yet'));
    assert.equal(empty.ledger, '');
  });
});
