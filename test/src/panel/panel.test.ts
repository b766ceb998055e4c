// Tests the page of the statistics panel: its numbers come from the rows, names are escaped, and rounds have texts.
// test/e2e/examples/completing.test.ts compares them with the server.
import assert from 'node:assert/strict';
import type { StatsRow } from '../../../server/protocol/messages';
import { comparison, verdict } from '../../../src/panel/comparison';
import { ledger } from '../../../src/panel/ledger';
import { explainedRow, explanation } from '../../../src/panel/explanation';
import { isUserRequest, rowHistory } from '../../../src/panel/rows';
import { sections } from '../../../src/panel/sections';
import { page } from '../../../src/panel/page';
import { withAccepted, type AcceptedByDay } from '../../../src/ghostText/acceptedByDay';
import { extensions } from '../support/fakeVscode';
import { sampleRow } from '../support/sampleRow';

const rounds = [
  [3, 2],
  [3, 3],
  [1, 0],
] as const;
const ROWS = [
  sampleRow({ id: 1, decodeMs: 120 }),
  sampleRow({ id: 2, rounds: [[2, 0]], file: '<script>"&\'.ts' }),
  sampleRow({ id: 3, kind: 'compare', rounds: [[0, 0]] }),
  sampleRow({ id: 4, rounds }),
];

describe('rows of the statistics panel', () => {
  it('are merged in order without duplicates, also after a restart of the server; the last hundred are kept', () => {
    const [first, second] = ROWS;
    assert.ok(first && second);
    assert.deepEqual(rowHistory([second], [first, second]), [first, second]);
    assert.equal(rowHistory([sampleRow({ id: 1, at: 1 })], [sampleRow({ id: 1, at: 2 })]).length, 2);
    const [third, fourth] = [3, 4].map((id) => sampleRow({ id, at: 5 }));
    assert.ok(third && fourth);
    assert.deepEqual(rowHistory([fourth], [third, fourth]), [third, fourth], 'also those of one millisecond');
    const many = Array.from({ length: 130 }, (_, i) => sampleRow({ id: i }));
    assert.deepEqual(rowHistory(many, []), many.slice(30));
  });

  it('leave comparisons, alternatives and prefetches out of the requests of the user', () => {
    const kinds = ['prefetch', 'generate', 'alternative'] as const;
    const rows = [...ROWS, ...kinds.map((kind, i) => sampleRow({ id: 5 + i, kind }))];
    assert.deepEqual(
      rows.filter(isUserRequest).map(({ id }) => id),
      [1, 2, 4, 6],
    );
  });
});

describe('the ledger of the panel', () => {
  it('has the counters of a request', () => {
    const lines = ledger(ROWS.slice(0, 1)).map(({ name, value }) => [name, value]);
    assert.deepEqual(Object.fromEntries(lines), {
      emitted: 7,
      rounds: 2,
      passesAvoided: 4,
      tokensPerRound: 3,
      accepted: 4,
      'source-dflash': 4,
      thrownAway: 2,
      wholeRounds: 1,
      mismatches: 1,
      reusedTokens: 16,
      prefillMs: 30,
      draftMs: 30,
      verifyMs: 60,
    });
  });

  it('adds up each drafter separately, next to the last request', () => {
    const dflash = { name: 'dflash', rounds: 2, drafted: 6, accepted: 4 };
    const ngram = { name: 'ngram', rounds: 1, drafted: 3, accepted: 3 };
    const rows = [sampleRow({ sources: [dflash, ngram] }), sampleRow({ id: 2, sources: [dflash] })];
    const drawn = sections(rows).ledger;
    assert.match(drawn, /data-name="source-dflash"[^]*?data-value="4">4 of 6<[^]*?data-value="8">8 of 12</);
    assert.match(drawn, /data-name="source-ngram"[^]*?data-value="0">0 of 0<[^]*?data-value="3">3 of 3</);
    assert.match(drawn, /data-name="accepted"[^]*?data-value="4">4 of 6<[^]*?data-value="8">8 of 12</);
    assert.match(drawn, /data-name="wholeRounds"[^]*?data-value="1">1 of 2<[^]*?data-value="2">2 of 4</);
    assert.match(drawn, /data-name="mismatches"[^]*?>1 \(0 1 0\)<[^]*?>2 \(0 2 0\)</);
    assert.match(drawn, /data-name="reusedTokens"[^]*?>16 of 64<[^]*?>32 of 128</);
  });
});

describe('the cost of drafts in the panel', () => {
  it('is a share of the time of all rounds, unless that is unknown or nothing was measured', () => {
    const cost = (...rows: StatsRow[]): string =>
      /class="words">([^<]*)</.exec(sections(rows).ledger)?.[1] ?? '';
    const row = sampleRow({ decodeMs: 120 });
    assert.equal(cost(row, row), 'Drafting takes 33 % of the time spent in rounds.');
    assert.match(cost(sampleRow({ decodeMs: 0 })), /^No round has been measured yet/);
    const unknown = { ...row, stats: { ...row.stats, draftMs: null } } as unknown as StatsRow;
    assert.match(cost(row, unknown), /^A remote engine does not report/);
    assert.match(
      sections([row, unknown]).ledger,
      /data-name="draftMs"[^]*?data-value="">unknown[^]*?data-value="">unknown/,
    );
  });
});

describe('the requests in the panel', () => {
  it('are the last thirty, newest first, with kind, outcome and measured speed', () => {
    const many = Array.from({ length: 40 }, (_, id) => sampleRow({ id, at: 0 }));
    const listed = [...sections(many).requests.matchAll(/data-request="(\d+)"/g)].map(([, id]) => Number(id));
    assert.deepEqual(
      listed,
      Array.from({ length: 30 }, (_, i) => 39 - i),
    );
    const long = sampleRow({ kind: 'nextEdit', outcome: 'superseded', rounds: [[9, 9]], decodeMs: 100 });
    const { requests } = sections([
      long,
      sampleRow({ kind: 'inline', outcome: 'filtered', rounds: [[3, 1]] }),
    ]);
    assert.match(
      requests,
      /ghost text<[^]*filtered out<[^]*data-name="decodeTokensPerSecond" data-value="">unknown/,
    );
    assert.match(
      requests,
      /next edit<[^]*>superseded<[^]*data-name="decodeTokensPerSecond" data-value="100">100</,
    );
    assert.match(requests, /data-name="promptTokens" data-value="64">64 \(16\)</);
  });

  it('have each number in its column', () => {
    const row = sampleRow({
      rounds: [
        [4, 4],
        [4, 1],
        [1, 1],
      ],
      decodeMs: 300,
    });
    const cells = [...sections([row]).requests.matchAll(/data-name="(\w+)" data-value="([\d.]*)">([^<]*)</g)];
    assert.deepEqual(
      cells.map(([, name, value, text]) => [name, Number(value).toFixed(2), text]),
      [
        ['decodeTokensPerSecond', '30.00', '30'],
        ['timeToFirstTokenMs', '40.00', '40.0 ms'],
        ['tokensPerRound', '3.00', '3.00'],
        ['acceptanceRate', '0.67', '67 %'],
        ['emittedTokens', '10.00', '10'],
        ['rounds', '3.00', '3'],
        ['promptTokens', '64.00', '64 (16)'],
      ],
    );
    const { requests } = sections([row]);
    const titles = [...requests.matchAll(/<th scope="col"[^>]*>([^<]*)</g)].map(([, title]) => title);
    assert.deepEqual(titles, [
      'Time',
      'File',
      'Kind',
      'Outcome',
      'Tokens/s',
      'First token',
      'Tokens per round',
      'Accepted',
      'Tokens',
      'Rounds',
      'Prompt (reused)',
    ]);
  });

  it('have a speed from nine tokens on', () => {
    const speed = (accepted: number): string | undefined =>
      /"decodeTokensPerSecond"[^>]*>([^<]*)</.exec(
        sections([sampleRow({ rounds: [[6, accepted]], decodeMs: 100 })]).requests,
      )?.[1];
    assert.deepEqual([speed(6), speed(7)], ['unknown', '80']);
  });

  it('have words for each kind and outcome', () => {
    const words = (row: StatsRow): (string | undefined)[] =>
      [...sections([row]).requests.matchAll(/<td class="text">([^<]*)</g)].map(([, text]) => text);
    for (const [kind, text] of [
      ['inline', 'ghost text'],
      ['alternative', 'alternative'],
      ['nextEdit', 'next edit'],
      ['prefetch', 'prefetch'],
      ['generate', 'generate'],
      ['compare', 'comparison'],
    ] as const)
      assert.deepEqual(words(sampleRow({ kind })), [text, 'shown']);
    for (const [outcome, text] of [
      ['empty', 'nothing to suggest'],
      ['filtered', 'filtered out'],
      ['hidden', 'probably not wanted'],
      ['stop', 'complete'],
      ['length', 'token limit reached'],
      ['repetition', 'kept repeating itself'],
      ['cancelled', 'cancelled'],
      ['superseded', 'superseded'],
      ['abandoned', 'ended early'],
    ] as const)
      assert.deepEqual(words(sampleRow({ outcome })), ['ghost text', text]);
  });
});

describe('the rounds in the panel', () => {
  it('begin with prefill, show white space, and are at most two hundred', () => {
    const row = sampleRow({ rounds: Array.from({ length: 205 }, () => [1, 1] as const) });
    const shown = sections([row])['last-rounds'];
    assert.match(
      shown,
      />Prefill: prefill<[^]*>\u00b7prefill<[^]*>Round 1: 1 from the draft, 1 from the target: draft target</,
    );
    assert.match(shown, /Round 199:[^]*\.\.\. and 6 more rounds/);
    assert.doesNotMatch(shown, /Round 200:/);
    const [, ...rest] = row.rounds;
    const pieces = [{ source: 'target', text: '\r\n\ta' }] as const;
    const withoutPrefill = sections([{ ...row, rounds: [pieces, ...rest.slice(0, 3)] }])['last-rounds'];
    assert.match(withoutPrefill, /Round 1: 0 from the draft[^]*>\u21b5\u2192a</);
    assert.doesNotMatch(withoutPrefill, /Prefill:|more rounds/);
  });

  it('are those of the last request that has any, even if it has only prefill', () => {
    const [prefill = []] = sampleRow().rounds;
    const rows = [sampleRow({ id: 1 }), sampleRow({ id: 2 }), sampleRow({ id: 3 })] as const;
    const shown = sections([rows[0], { ...rows[1], rounds: [prefill] }, { ...rows[2], rounds: [] }]);
    assert.match(shown['last-rounds'], /data-request="2"[^]*Prefill: prefill/);
    assert.match(sections([{ ...rows[0], rounds: [] }])['last-rounds'], /No request has produced text yet/);
  });
});

describe('the comparison with plain decoding', () => {
  const plain = sampleRow({ kind: 'compare', rounds: [[0, 0]], decodeMs: 270 });
  const speculative = sampleRow({ kind: 'compare', rounds: [[1, 1]], decodeMs: 120 });

  it('shows both times and their ratio, and reports when drafts cost time or change nothing', () => {
    const { text } = comparison({ plain, speculative, identical: true });
    for (const part of ['data-value="300"', 'data-value="150"', 'data-ratio="2"', '2.00 times as fast'])
      assert.ok(text.includes(part), part);
    const rows = [...text.matchAll(/<th scope="row" class="text">([^<]*)<([^]*?)<\/tr>/g)];
    assert.deepEqual(
      rows.map(([, name, cells = '']) => [
        name,
        ...[...cells.matchAll(/data-value="([^"]*)"/g)].map(([, value]) => Math.round(Number(value))),
      ]),
      [
        ['Plain decoding', 300, 270, 4, 1, 2],
        ['With drafts', 150, 120, 17, 1, 3],
      ],
    );
    assert.match(verdict(0.8), /did not pay.*0\.80/);
    assert.match(verdict(1.001), /no difference/);
    assert.match(verdict(undefined), /nothing to compare/);
  });

  it('has no ratio if one of the runs decoded nothing, and one for runs of less than a millisecond', () => {
    const taking = (ms: number): StatsRow => {
      const row = sampleRow({ kind: 'compare' });
      return { ...row, stats: { ...row.stats, prefillMs: 0, decodeMs: ms } };
    };
    for (const [plainMs, speculativeMs, ratio] of [
      [0, 5, 0],
      [5, 0, 0],
      [0.5, 0.25, 2],
    ] as const) {
      const runs = { plain: taking(plainMs), speculative: taking(speculativeMs), identical: true };
      const { text } = comparison(runs);
      assert.match(text, new RegExp(`data-ratio="${ratio}"`));
      assert.equal(text.includes('Nothing was decoded'), ratio === 0);
    }
    assert.match(comparison({ plain, speculative, identical: true }).text, /produced the same tokens/);
  });

  it('distinguishes a difference by rounding from a bug', () => {
    for (const [nearTie, words] of [
      [true, /from token 5 on.*rounding decides/],
      [false, /This is a bug/],
    ] as const) {
      const difference = { position: 4, logitGap: 0.1, nearTie };
      assert.match(comparison({ plain, speculative, identical: false, difference }).text, words);
    }
  });
});

describe('the explanation of a suggestion', () => {
  const prompt = [
    { name: 'otherFile', file: '<b>.ts', characters: 40, tokens: 16 },
    { name: 'before', characters: 100, tokens: 48 },
  ] as const;

  it('has each part of the prompt with its share, and their total', () => {
    const { text } = explanation(sampleRow({ prompt }));
    const parts = [...text.matchAll(/data-part="(\w+)"([^]*?)<\/tr>/g)].map(([, name, cells = '']) => [
      name,
      ...[...cells.matchAll(/data-value="([^"]*)"/g)].map(([, value]) => Number(value)),
    ]);
    assert.deepEqual(parts, [
      ['otherFile', 16, 0.25, 40],
      ['before', 48, 0.75, 100],
      ['prompt', 64, 1, 140],
    ]);
    const chat = [{ name: 'instruction', characters: 9, tokens: null }] as const;
    assert.match(
      explanation(sampleRow({ prompt: chat })).text,
      /data-value="">unknown[^]*data-value="">unknown/,
    );
    const row = sampleRow({ prompt });
    const remote = explanation({ ...row, stats: { ...row.stats, promptTokens: null } }).text;
    assert.match(remote, /data-value="48">48<\/td>\s*<td class="number" data-value="">unknown/);
  });

  it('describes the last suggestion with a known prompt, not an instruction or a prefetch', () => {
    const kinds = ['inline', 'generate', 'prefetch'] as const;
    const rows = [...kinds.map((kind, id) => sampleRow({ id, kind, prompt })), sampleRow({ id: 9 })];
    assert.equal(explainedRow(rows)?.id, 0);
    assert.match(sections(rows).why, /data-request="0"/);
  });
});

describe('accepted suggestions', () => {
  it('are counted by day and language on the last 14 days with any, and come first in the page', () => {
    let days: AcceptedByDay = {};
    for (let day = 1; day <= 20; day++) days = withAccepted(days, 'go', new Date(2026, 2, day));
    for (const language of ['python', 'python', 'python', 'go'])
      days = withAccepted(days, language, new Date(2026, 2, 20, 9));
    assert.equal(Object.keys(days).length, 14);
    const languages = [{ id: 'python', aliases: ['Python', 'py'] }];
    extensions.all = [{ packageJSON: { contributes: { languages } } }];
    const { accepted } = sections([], days);
    extensions.all = [];
    assert.match(accepted, /^[^]*?data-day="2026-03-20"[^]*?Python 3, go 2[^]*?data-value="5"/);
    assert.doesNotMatch(accepted, /2026-03-06/);
    assert.ok(accepted.indexOf('2026-03-20') < accepted.indexOf('2026-03-19'), 'the newest day is first');
    const sources = { cspSource: '', nonce: '', script: '', style: '' };
    const order = [...page(sources).matchAll(/<h2 id="([\w-]+)-title"/g)].map(([, id]) => id);
    assert.deepEqual(order, ['accepted', 'requests', 'why', 'ledger', 'last-rounds']);
  });
});

describe('the page of the panel', () => {
  const text = page({
    cspSource: 'https://source',
    nonce: 'abc123',
    script: 's.js',
    style: 's.css',
  });
  const drawn = sections([
    ...ROWS,
    sampleRow({ prompt: [{ name: 'otherFile', file: '<script>', characters: 1, tokens: 1 }] }),
  ]);

  it('allows only its own style sheet and the script with the nonce, and has no inline style or script', () => {
    const policy = /Content-Security-Policy"\s+content="([^"]*)"/.exec(text)?.[1] ?? '';
    assert.ok(policy.startsWith('default-src &#39;none&#39;;'));
    assert.ok(policy.includes('script-src &#39;nonce-abc123&#39;'));
    assert.doesNotMatch(policy, /unsafe-|\*|data:/);
    assert.equal(text.match(/<script/g)?.length, 1);
    for (const html of [text.replace('<script', ''), ...Object.values(drawn)])
      assert.doesNotMatch(html, /\sstyle=|\son\w+=|<script|<style|javascript:/i);
    assert.ok(drawn.requests.includes('&#60;script&#62;'));
  });

  it('has a language, and a heading and a container for each section', () => {
    assert.ok(text.includes('<html lang="en">'));
    const headings = [...text.matchAll(/aria-labelledby="([^"]+)"/g)].map(([, id]) => id);
    for (const id of [...Object.keys(drawn), 'compare', ...headings])
      assert.ok(text.includes(`id="${id}"`), id);
    assert.match(text, /id="comparison" aria-live="polite"/);
  });

  it('shows the rounds of the last request token by token, with a text for each', () => {
    const shown = sections(ROWS)['last-rounds'];
    assert.ok(shown.includes('data-request="4"'));
    for (const [source, count] of Object.entries({ prefill: 1, draft: 5, target: 3 }))
      assert.equal(shown.match(new RegExp(`class="token ${source}"`, 'g'))?.length, 1 + count);
    assert.ok(shown.includes('Round 3: 0 from the draft, 1 from the target'));
  });

  it('says what is missing before the first request', () => {
    const empty: Readonly<Record<string, string>> = sections([] as StatsRow[]);
    assert.match(empty['requests'] ?? '', /No requests yet/);
    assert.match(empty['last-rounds'] ?? '', /No request has produced text yet/);
    assert.match(empty['why'] ?? '', /No suggestion has been computed yet/);
    assert.equal(empty['ledger'], '');
  });
});
