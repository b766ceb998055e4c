// What is asked once the person has accepted: found out before, remembered, and not at all where it cannot help.
import assert from 'node:assert/strict';
import type { DocumentSnapshot } from '../../server/completion/context';
import {
  acceptedDocument,
  isAt,
  leadsTo,
  prefetch,
  PREFETCH_PAUSE_MS,
  type Accepted,
} from '../../server/completion/prefetch';
import { RecentSuggestions } from '../../server/completion/recent';
import { contextAt, markedDocument } from '../support/cursor';
import { FakeDecoder, type Answer, type FakeOptions } from './fakeDecoder';

const SETTINGS = { maxSuggestionTokens: 64, multiline: 'auto', debounceMs: 40 } as const;

function documentOf(text: string, fileName = 'sample.ts'): DocumentSnapshot {
  return { uri: `file:///${fileName}`, fileName, languageId: 'typescript', version: 1, text };
}

/** ⟦ ⟧ are around the suggestion. */
function accept(marked: string, fileName?: string): Accepted {
  const { text, offset, inserted } = markedDocument(marked);
  return acceptedDocument(documentOf(text, fileName), { text: inserted, start: offset, end: offset });
}

function tools(answers: readonly Answer[], options?: FakeOptions) {
  const waits: number[] = [];
  return {
    waits,
    decoder: new FakeDecoder(answers, options),
    recent: new RecentSuggestions(),
    settle: (milliseconds: number) => Promise.resolve(void waits.push(milliseconds)),
    mayBegin: () => Promise.resolve(true),
  };
}

const { signal } = new AbortController();

describe('prefetch', () => {
  it('remembers what comes after the suggestion', async () => {
    const used = tools([['\n', 'g();\n']]);
    const accepted = accept('f(⟦a);⟧\n');
    assert.equal(await prefetch({ accepted, settings: SETTINGS, signal }, used), 'shown');
    assert.deepEqual(used.recent.match(contextAt('f(a);║\n'))?.texts, ['\ng();']);
    assert.match(used.decoder.prompts[0] ?? '', /<\|fim_prefix\|>f\(a\);<\|fim_suffix\|>\n/);
  });

  it('leaves the suggestion that is shown, and its beginnings, as they were', async () => {
    const used = tools([['\n', 'g();\n']]);
    used.recent.remember(contextAt('f(║\n'), ['a, b);']);
    await prefetch({ accepted: accept('f(⟦a, b);⟧\n'), settings: SETTINGS, signal }, used);
    for (const typed of ['', 'a', 'a, ', 'a, b)'])
      assert.deepEqual(used.recent.match(contextAt(`f(${typed}║\n`))?.texts, ['a, b);'.slice(typed.length)]);
    assert.deepEqual(used.recent.match(contextAt('f(a, b);║\n'))?.texts, ['\ng();']);
  });

  it('waits for a while, and not for what every key waits for', async () => {
    const used = tools([['\n', 'g();\n']]);
    await prefetch({ accepted: accept('f(⟦a);⟧\n'), settings: SETTINGS, signal }, used);
    assert.deepEqual(used.waits, [PREFETCH_PAUSE_MS, 0]);
  });

  it('asks nothing when the model has said it before', async () => {
    const used = tools([['never']]);
    used.recent.remember(contextAt('f(a);║\n'), ['\ng();']);
    await prefetch({ accepted: accept('f(⟦a);⟧\n'), settings: SETTINGS, signal }, used);
    assert.equal(used.decoder.prompts.length, 0);
  });

  it('asks nothing once it is cancelled, or when it may not begin', async () => {
    const request = { accepted: accept('f(⟦a);⟧\n'), settings: SETTINGS, signal };
    const used = tools([['g();']]);
    assert.equal(await prefetch({ ...request, signal: AbortSignal.abort() }, used), 'cancelled');
    assert.equal(await prefetch(request, { ...used, mayBegin: () => Promise.resolve(false) }), 'skipped');
    assert.equal(used.decoder.prompts.length, 0);
  });

  it('remembers nothing that was cut off', async () => {
    const controller = new AbortController();
    const used = tools([['\n', 'g(', ');\n']], { beforePiece: (i) => i === 2 && controller.abort() });
    const accepted = accept('f(⟦a);⟧\n');
    const outcome = await prefetch({ accepted, settings: SETTINGS, signal: controller.signal }, used);
    assert.equal(outcome, 'cancelled');
    assert.equal(used.recent.match(contextAt('f(a);║\n')), undefined);
  });

  it('asks nothing inside of a word, or about what must stay out of prompts', async () => {
    const used = tools([['g();']]);
    for (const accepted of [accept('⟦na⟧me\n'), accept('KEY=⟦1⟧\n', '.env')])
      assert.equal(await prefetch({ accepted, settings: SETTINGS, signal }, used), 'skipped');
    const key = accept('⟦-----BEGIN PRIVATE KEY-----⟧\n');
    assert.equal(await prefetch({ accepted: key, settings: SETTINGS, signal }, used), 'skipped');
    assert.equal(used.decoder.prompts.length, 0);
  });
});

describe('an accepted document', () => {
  it('has the suggestion in place of what it replaces, and the cursor at its end', () => {
    const suggestion = { text: 'concat(b)', start: 2, end: 5 };
    const { document, context } = acceptedDocument(documentOf('a.con;\r\n'), suggestion);
    assert.equal(document.text, 'a.concat(b);\r\n');
    assert.deepEqual([context.offset, context.prefix, context.suffix], [11, 'a.concat(b)', ';\n']);
  });

  const accepted = accept('f(⟦a, b⟧);\n');
  const texts: readonly (readonly [text: string, leads: boolean])[] = [
    ['f();\n', true],
    ['f(a);\n', true],
    ['f(a, );\n', true],
    ['f(a, b);\n', true],
    ['f(x);\n', false],
    ['f(a, b));\n', false],
    ['f(a, b, );\n', false],
    ['f);\n', false],
    ['f(\n', false],
    ['g(a, b);\n', false],
    ['', false],
  ];
  for (const [text, leads] of texts)
    it(`is ${leads ? '' : 'not '}on the way from ${JSON.stringify(text)}`, () => {
      assert.equal(leadsTo(accepted, documentOf(text)), leads);
      assert.equal(leadsTo(accepted, documentOf(text, 'other.ts')), false);
    });

  it('is known again by its text and cursor', () => {
    assert.equal(isAt(accepted, documentOf('f(a, b);\n'), 6), true);
    assert.equal(isAt(accepted, documentOf('f(a, b);\n'), 5), false);
    assert.equal(isAt(accepted, documentOf('f(a, c);\n'), 6), false);
    assert.equal(isAt(accepted, documentOf('f(a, b);\n', 'other.ts'), 6), false);
  });
});
