// Suggestions while a person types, with everything on that may change how they are computed: reuse of what was read,
// prefetching, two drafters and adaptive lengths. Each has to be what the target alone says.
import assert from 'node:assert/strict';
import { sources } from '../../bench/replay/sources';
import { reuseRate } from '../../bench/replay/cases';
import { ReplayClient } from '../../bench/replay/replayClient';
import { newTrace } from '../../bench/replay/trace';
import { Typist } from '../../bench/replay/typist';
import { settle } from '../../server/completion/session/suggest';
import { isLossless, type Losslessness } from '../../bench/replay/lossless';
import type { LocalRow } from '../../server/protocol/messages';
import { fullSize } from '../support/fullSize';
import { RecordedServer } from './recordedServer';

const DECODES = fullSize ? 150 : 40;
/** Divides the pauses of the person and of the server alike. */
const SPEED = 6;
/** Of one trace; there are as many traces as it takes. */
const KEYS = fullSize ? 250 : 60;
/** When something has not come about by then, on a machine that is slow or fast. */
const MOST_TRACES = 20;
const LINES = 22;
const SETTINGS = {
  debounceMs: 0,
  prefetch: 'always',
  draftLength: 'adaptive',
  cacheMemoryMB: 256,
  maxSuggestionTokens: 16,
  maxGenerateTokens: 16,
} as const;
/** Many times what it takes on two cores that have nothing else to do. */
const LIMIT_MS = 1_800_000;

/** Beginnings of the bundled files, so that reading them takes no time. */
const FILES = sources([]).map(({ text, ...file }) => ({
  ...file,
  text: `${text.split('\n').slice(0, LINES).join('\n')}\n`,
}));

describe('a typing replay', () => {
  let rows: readonly LocalRow[];
  let lossless: Losslessness;
  before(async function () {
    this.timeout(LIMIT_MS);
    const server = await RecordedServer.start((milliseconds, signal) => settle(milliseconds / SPEED, signal));
    const client = new ReplayClient(server.reader, server.writer);
    await client.start(SETTINGS);
    const typing = { speed: SPEED, signal: new AbortController().signal };
    for (let seed = 1; server.decodes < DECODES || missing(client.rows).length > 0; seed++) {
      if (seed > MOST_TRACES) break;
      const trace = newTrace(FILES, { seed, keys: KEYS, generate: 'sometimes' });
      const { texts } = await new Typist(client, trace, typing).play();
      for (const [i, text] of texts.entries())
        if (text !== undefined) assert.equal(text, trace.documents[i]?.end);
    }
    ({ rows } = client);
    lossless = await server.verify();
    await client.shutdown();
  });

  it('gives what the target alone gives, in each decode', () => {
    assert.ok(lossless.requests >= DECODES);
    assert.ok(isLossless(lossless), JSON.stringify(lossless));
    assert.equal(lossless.equal + lossless.nearTies, lossless.requests);
  });

  it('reads most of the prompts no second time', () => {
    assert.ok(reuseRate(rows.map(({ stats }) => stats)) > 0.5);
  });

  it('comes to everything that it is about', () => {
    assert.deepEqual(missing(rows), []);
  });
});

/** What no decode has come to. */
function missing(rows: readonly LocalRow[]): readonly string[] {
  const has = (fits: (row: LocalRow) => boolean): boolean => rows.some(fits);
  const accepted = (drafter: string): boolean =>
    has(({ stats }) => stats.sources.some(({ name, accepted: right }) => name === drafter && right > 0));
  const lengths = new Set(rows.map(({ stats }) => stats.draftedByPosition.length));
  const seen: Readonly<Record<string, boolean>> = {
    'drafts of dflash': accepted('dflash'),
    'drafts of ngram': accepted('ngram'),
    suggestions: has(({ kind, stats }) => kind === 'inline' && stats.emittedTokens > 0),
    'prefetched ones': has(({ kind, stats }) => kind === 'prefetch' && stats.emittedTokens > 0),
    'ones that were broken off': has(({ stats }) => stats.finishReason === 'cancelled'),
    'lengths that are adapted': lengths.size > 3,
  };
  return Object.keys(seen).filter((what) => !seen[what]);
}
