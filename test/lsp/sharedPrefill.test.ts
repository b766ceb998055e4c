// Alternatives on the embedded pair: the prompt is read once for all of them, what is drawn is what the target alone
// would have drawn, and asking anew gives the same list. Passes and their rows are counted.
import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { settle } from '../../server/completion/session/suggest';
import { embeddedBlock } from '../support/embeddedFacts';
import { EditorClient, insertedText, type Place } from './editorClient';
import type { RecordedServer } from '../../bench/replay/recordedServer';
import { recordedServer, verified } from './recordedServer';

const SETTINGS = { prefetch: 'never', maxSuggestionTokens: 16, useOpenFiles: false } as const;
const DOCUMENT = `export class Inventory {
  private readonly items = new Map<string, number>();

  add(name: string, count: number): void {
    this.items.set(name, (this.items.get(name) ?? 0) + count);
  }

  ║
}
`;

describe('the prompt of alternatives', () => {
  let server: RecordedServer;
  let client: EditorClient;
  let place: Place;
  /** Rows of each pass of the target. */
  let passes: number[];
  before(async () => {
    server = await recordedServer(settle);
    client = new EditorClient(server.reader, server.writer);
    await client.start(SETTINGS);
    place = await client.open('inventory.ts', DOCUMENT);
  });
  after(() => client.connection.sendRequest('shutdown'));

  beforeEach(() => {
    passes = [];
    const { target } = server.engine;
    const forward = target.forward.bind(target);
    mock.method(target, 'forward', (...given: Parameters<typeof forward>) => {
      passes.push(given[0].shape.at(-1) ?? NaN);
      return forward(...given);
    });
  });
  afterEach(() => {
    mock.restoreAll();
  });

  async function texts(): Promise<string[]> {
    return ((await client.complete(place, { invoked: true })) ?? []).map(insertedText);
  }

  let first: readonly string[];

  it('is read once: those that are drawn begin with a round', async () => {
    first = await texts();
    assert.equal(first.length, 3, first.join('|'));
    assert.equal(new Set(first).size, 3);
    const [best, ...drawn] = client.rows;
    assert.equal(best?.kind, 'inline');
    assert.ok(drawn.length >= 2 && drawn.every(({ kind }) => kind === 'alternative'));
    const { promptTokens } = best.stats;
    for (const { stats } of drawn) {
      assert.equal(stats.promptTokens, promptTokens);
      assert.equal(stats.reusedTokens, promptTokens - 1);
      assert.equal(stats.prefillMs, 0);
      assert.equal(stats.roundTokens, stats.emittedTokens);
    }
    const rounds = client.rows.reduce((sum, { stats }) => sum + stats.rounds, 0);
    assert.equal(passes.length, rounds + 1, 'one pass for the prompt');
    assert.equal(passes.filter((rows) => rows === promptTokens).length, 1);
    assert.ok(passes.filter((rows) => rows > embeddedBlock).length === 1, 'no block has more rows');
    assert.ok(promptTokens > 2 * embeddedBlock);
  });

  it('gives the same list again without a pass', async () => {
    assert.deepEqual(await texts(), first);
    assert.deepEqual(passes, []);
  });

  it('gives the same list when nothing is remembered, and however much is drafted', async () => {
    for (const draftLength of [0, 'full'] as const) {
      await client.close(place.uri);
      await client.settings({ ...SETTINGS, debounceMs: 0, draftLength });
      place = await client.open('inventory.ts', DOCUMENT);
      assert.deepEqual(await texts(), first, String(draftLength));
      assert.ok(passes.length > 0);
    }
  });

  it('is followed by what the target alone would have drawn', async () => {
    const { different, requests } = await verified(server);
    assert.equal(different, 0);
    assert.ok(requests >= 9);
  });
});
