// Some hundred suggestions while a person types, with everything on that may change how they are computed: reuse of
// what was read, prefetching, two drafters and adaptive lengths. Each has to be what the target alone says.
import assert from 'node:assert/strict';
import { sources } from '../../server/cli/replay/sources';
import { reuseRate } from '../../server/cli/replay/cases';
import { ReplayClient } from '../../server/cli/replay/replayClient';
import { newTrace } from '../../server/cli/replay/trace';
import { Typist } from '../../server/cli/replay/typist';
import { settle } from '../../server/completion/settle';
import type { Losslessness } from '../../server/cli/replay/lossless';
import type { StatsRow } from '../../server/protocol';
import { RecordedServer } from './recordedServer';

const DECODES = 150;
/** Divides the pauses of the person and of the server alike. */
const SPEED = 6;
/** Of one trace; there are as many traces as it takes. */
const KEYS = 250;
const LINES = 22;
const SETTINGS = {
  debounceMs: 0,
  prefetch: 'always',
  draftLength: 'adaptive',
  cacheMemoryMB: 256,
  maxSuggestionTokens: 16,
  maxGenerateTokens: 16,
} as const;
/** It takes a minute on two cores that have nothing else to do. */
const LIMIT_MS = 900_000;

/** Beginnings of the bundled files, so that reading them takes no time. */
const FILES = sources([]).map(({ text, ...file }) => ({
  ...file,
  text: `${text.split('\n').slice(0, LINES).join('\n')}\n`,
}));

describe('a typing replay', () => {
  let rows: readonly StatsRow[];
  let lossless: Losslessness;
  before(async function () {
    this.timeout(LIMIT_MS);
    const server = await RecordedServer.start((milliseconds, signal) => settle(milliseconds / SPEED, signal));
    const client = new ReplayClient(server.reader, server.writer);
    await client.start(SETTINGS);
    const typing = { speed: SPEED, signal: new AbortController().signal };
    for (let seed = 1; server.decodes < DECODES; seed++) {
      const trace = newTrace(FILES, { seed, keys: KEYS, generate: 'sometimes' });
      const { texts } = await new Typist(client, trace, typing).play();
      for (const [i, text] of texts.entries())
        if (text !== undefined) assert.equal(text, trace.documents[i]?.end);
    }
    ({ rows } = client);
    lossless = await server.verify();
    await client.shutdown();
  });

  it('gives what the target alone gives, in each of 150 decodes and more', () => {
    assert.ok(lossless.requests >= DECODES);
    assert.equal(lossless.different, 0);
    assert.equal(lossless.equal + lossless.nearTies, lossless.requests);
  });

  it('reads most of the prompts no second time', () => {
    assert.ok(reuseRate(rows.map(({ stats }) => stats)) > 0.5);
  });

  it('asks both drafters, and takes what each has drafted', () => {
    for (const drafter of ['dflash', 'ngram']) {
      const drafts = rows.flatMap(({ stats }) => stats.sources.filter(({ name }) => name === drafter));
      assert.ok(
        drafts.some(({ accepted }) => accepted > 0),
        drafter,
      );
    }
  });

  it('has suggestions, some of them prefetched and some broken off', () => {
    const has = (fits: (row: StatsRow) => boolean): boolean => rows.some(fits);
    for (const kind of ['inline', 'prefetch'] as const)
      assert.ok(
        has((row) => row.kind === kind && row.stats.emittedTokens > 0),
        kind,
      );
    assert.ok(has(({ stats }) => stats.finishReason === 'cancelled'));
  });

  it('has rounds without drafts and rounds with many', () => {
    const drafted = rows.flatMap(({ stats }) => stats.draftedByPosition.length);
    assert.ok(new Set(drafted).size > 3, 'the lengths are adapted');
  });
});
