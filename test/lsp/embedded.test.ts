// Tests the server with the embedded model in this process: its statistics are consistent, and comparisons with plain
// decoding agree.
import assert from 'node:assert/strict';
import type { LocalRow } from '../../bench/localRow';
import type { EditorClient } from './editorClient';
import { loadEmbedded, serverInMemory } from './serverInMemory';

/** A document that any model of code completes in the same way. */
const SUM = 'export function sum(a: number, b: number): number {\n  ║\n}\n';

/** Asserts that the numbers of a row agree with each other. */
function assertConsistent({ stats, rates, rounds, acceptanceLengths }: LocalRow): void {
  // If little of the prompt was unread, the first round reads it, and no token comes from prefill.
  const fromPrefill = stats.reusedTokens === 0 ? 1 : stats.emittedTokens - stats.roundTokens;
  const verified = rounds.slice(fromPrefill);
  assert.deepEqual(
    rounds.slice(0, fromPrefill).map((round) => round.map(({ source }) => source)),
    fromPrefill === 1 ? [['prefill']] : [],
  );
  assert.deepEqual(
    verified.map((round) => round.length),
    acceptanceLengths,
  );
  assert.equal(stats.rounds, verified.length);
  assert.equal(stats.emittedTokens, rounds.flat().length);
  const drafted = verified.flat().filter(({ source }) => source === 'draft').length;
  assert.equal(stats.acceptedTokens, drafted);
  for (const round of verified)
    assert.ok(
      round.slice(0, -1).every(({ source }) => source === 'draft'),
      'only the last token of a round comes from the target',
    );
  assert.ok(stats.acceptedTokens <= stats.draftedTokens);
  assert.equal(rates.tokensPerRound, stats.rounds && stats.roundTokens / stats.rounds);
  assert.equal(stats.roundTokens, stats.emittedTokens - fromPrefill);
}

describe('the language server with the embedded model', () => {
  let client: EditorClient;
  before(async () => {
    client = serverInMemory(loadEmbedded);
    // Adaptive draft lengths depend on time, and a short text can then have no drafts.
    await client.start({ maxSuggestionTokens: 16, draftLength: 'full' });
  });
  after(() => client.connection.sendRequest('shutdown'));

  it('completes code with consistent statistics', async () => {
    const text = await client.text(await client.open('sum.ts', SUM));
    assert.match(text ?? '', /^return a \+ b;?$/);
    await client.until(() => client.rows.length > 0);
    for (const row of client.rows) assertConsistent(row);
    const { rounds = [], outcome } = client.rows.at(-1) ?? {};
    assert.equal(outcome, 'shown');
    const texts = rounds.flat().map((token) => token.text);
    assert.ok(
      texts
        .join('')
        .trimStart()
        .startsWith(text ?? ''),
      texts.join('|'),
    );
  });

  it('gives the same tokens with and without drafts', async () => {
    const { identical, plain, speculative } = await client.compare();
    assert.equal(identical, true);
    assertConsistent(speculative);
    assert.equal(plain.stats.speculationOff, 'draft_length_zero');
    assert.equal(plain.stats.rounds, plain.stats.emittedTokens - 1);
    assert.ok(speculative.stats.rounds < plain.stats.rounds);
  });
});
