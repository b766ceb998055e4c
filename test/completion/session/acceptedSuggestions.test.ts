// Tests that a file that could be parsed still parses after a suggestion is accepted. Published files are typed again,
// with the closers that the editor inserts after the cursor, and with outputs as models write them: right, running on,
// cut off at the token limit, repeating closers, or leaving out text that is there.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { completionContext } from '../../../server/completion/prompt/context';
import { RecentSuggestions } from '../../../server/completion/session/recent';
import { settle } from '../../../server/completion/session/settle';
import { suggest } from '../../../server/completion/session/suggest';
import { toSuggestions } from '../../../server/completion/session/suggestions';
import { SETTINGS } from '../suggesting';
import { FakeDecoder } from '../fakeDecoder';
import { pythonParser, pythonSource, scriptParser, scriptSource } from '../parsedSources';
import type { CursorDocument, Parser, Parses, Source } from '../parsedSources';
import { htmlParser, htmlSource } from '../parsedMarkup';
import { closedByEditor, type TypedLanguage } from '../typedByHand';
import { fullSize } from '../../support/fullSize';

const FILES = 'bench/holes/files';
/** Number of cursors in a file; the nightly tests try more. */
const CURSORS = fullSize ? 60 : 4;

interface Language {
  readonly languageId: string;
  readonly typed: TypedLanguage;
  readonly read: (path: string, text: string) => Source;
  readonly parser: (path: string) => Parser;
}

const script = (languageId: string, typed: TypedLanguage = 'typescript'): Language => ({
  languageId,
  typed,
  read: scriptSource,
  parser: scriptParser,
});
const LANGUAGES: Readonly<Record<string, Language>> = {
  ts: script('typescript'),
  tsx: script('typescriptreact'),
  js: script('javascript'),
  mjs: script('javascript'),
  jsx: script('javascriptreact'),
  json: script('json', 'json'),
  html: { languageId: 'html', typed: 'html', read: htmlSource, parser: () => htmlParser },
  py: { languageId: 'python', typed: 'python', read: pythonSource, parser: () => pythonParser },
};

/** A cursor in the middle of typing. */
interface Written extends CursorDocument {
  /** Rest of the text being typed. */
  readonly truth: string;
  /** Text of the file after that. */
  readonly below: string;
  /** Closers that the editor has inserted after the cursor. */
  readonly closers: string;
}

function* written({ text, kinds, units }: Source, typed: TypedLanguage, at: number): Generator<Written> {
  const lineStart = text.lastIndexOf('\n', at - 1) + 1;
  const lineEnd = at + text.slice(at).search(/\n|$/);
  const begin = lineStart + (/^[ \t]*/.exec(text.slice(lineStart, at))?.[0].length ?? 0);
  const around = units.filter(([start, end]) => start < at && at <= end).sort((a, b) => b[0] - a[0]);
  for (const [from, to] of new Map([[begin, lineEnd], ...around.slice(0, 2)])) {
    const below = text.slice(to);
    const kindAt = (i: number) => kinds[from + i] ?? 'other';
    const closers = closedByEditor(text.slice(0, from), text.slice(from, at), below, typed, kindAt);
    yield { before: text.slice(0, at), after: closers + below, truth: text.slice(at, to), below, closers };
  }
}

interface Output {
  readonly text: string;
  /** Whether it is cut off at the token limit. */
  readonly isCut: boolean;
}

function outputs({ truth, below, closers }: Written): Output[] {
  const bare = closers.replace(/\s/g, '');
  const cut = [2, 6, 17, 41, 80].map((end) => ({ text: wholeTokens(truth + below, end), isCut: true }));
  return [
    { text: truth, isCut: false },
    { text: truth + below.slice(0, 120), isCut: false },
    { text: truth + bare, isCut: false },
    { text: `${truth.split('\n', 1).join()}"')}]\``, isCut: true },
    ...(bare !== '' && truth.endsWith(bare) ? [{ text: truth.slice(0, -bare.length), isCut: false }] : []),
    ...cut,
  ].filter(({ text }) => text.trim() !== '');
}

/** Cuts a text at the end of a word, since tokens end there too. */
function wholeTokens(text: string, end: number): string {
  return text.slice(0, end + text.slice(end).search(/(?<=[^\p{L}\p{N}_])|(?![\p{L}\p{N}_])/u));
}

interface Tabbed extends CursorDocument {
  readonly shown: string;
}

async function afterTab(
  languageId: string,
  { before, after, truth, below }: Written,
  output: Output,
): Promise<Tabbed | undefined> {
  const text = before + after;
  const context = completionContext({ uri: 'file:///a', fileName: 'a', languageId, text }, before.length);
  const answer = (prompt: string): readonly string[] => {
    // A healed prompt asks for the last token again.
    const [head = ''] = prompt.split('<|fim_suffix|>');
    const isAsked = (count: number): boolean =>
      head.endsWith(before.slice(-60 - count, before.length - count));
    const again = Array.from({ length: 40 }, (_, count) => count).find(isAsked) ?? 0;
    return (before.slice(before.length - again) + output.text).match(/[^]{1,4}/g) ?? [];
  };
  const decoder = new FakeDecoder([answer], {
    finishReason: output.isCut ? 'length' : 'stop',
  });
  const settings = { ...SETTINGS, maxSuggestionTokens: 1000 };
  const { signal } = new AbortController();
  const request = { context, trigger: 'automatic', settings, signal } as const;
  const { texts } = await suggest(request, { decoder, recent: new RecentSuggestions(), settle });
  const [shown] = toSuggestions(texts, context, undefined);
  if (shown === undefined) return undefined;
  const rest = (truth + below).startsWith(shown.text) ? (truth + below).slice(shown.text.length) : '';
  const more = output.isCut
    ? [...rest.matchAll(/\b|\n/g)].slice(0, 16).map(({ index }) => rest.slice(0, index))
    : [];
  const tabbed = {
    before: before + shown.text,
    after: text.slice(before.length + shown.replacesAfter),
    more,
  };
  return {
    ...tabbed,
    shown: `${before.slice(before.lastIndexOf('\n') + 1)}⟦${shown.text}⟧${String(shown.replacesAfter)}║${after.slice(0, 40)}`,
  };
}

/** Results for one kind of output: the number of suggestions, and those that break a file that could be parsed. */
class Tried {
  shown = 0;
  readonly broken: string[] = [];
}

async function tryFile(path: string, tried: { readonly whole: Tried; readonly cut: Tried }): Promise<void> {
  const language = LANGUAGES[path.split('.').at(-1) ?? ''];
  assert.ok(language, path);
  const text = readFileSync(path, 'utf8');
  const source = language.read(path, text);
  const places = Array.from({ length: CURSORS }, (_, i) => {
    // Different columns in each file.
    const at = Math.floor(((i + ((path.length * 0.37) % 1)) * text.length) / CURSORS);
    return at === 0 ? [] : [...written(source, language.typed, at)];
  }).flat();
  const parse = language.parser(path);
  const parsedBefore = parse(places);
  const tabs: { readonly tab: Tabbed; readonly output: Output; readonly was: Parses }[] = [];
  for (const [i, was = 'never'] of parsedBefore.entries()) {
    const place = places[i];
    if (place === undefined || was === 'never') continue;
    for (const output of outputs(place)) {
      const tab = await afterTab(language.languageId, place, output);
      if (tab) tabs.push({ tab, output, was });
    }
  }
  for (const [i, is] of parse(tabs.map(({ tab }) => tab)).entries()) {
    const { tab, output, was } = tabs[i] ?? assert.fail();
    const counted = output.isCut ? tried.cut : tried.whole;
    const isWorse = is === 'never' || (!output.isCut && was === 'as it is' && is !== was);
    if (isWorse) counted.broken.push(`${path} ${tab.shown} <= ${output.text}`);
    counted.shown += 1;
  }
}

const BENCH = readdirSync(FILES, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.\w+$/.test(path))
  .map((path) => join(FILES, path));
const PUBLISHED = [
  'node_modules/zod/package.json',
  'node_modules/typescript/package.json',
  'node_modules/mocha/lib/browser/template.html',
  'node_modules/playwright-core/lib/vite/traceViewer/index.html',
];

describe('accepted suggestions', () => {
  const cut = new Tried();

  for (const path of [...BENCH, ...PUBLISHED])
    it(`leave a parseable file parseable: ${path}`, async () => {
      const whole = new Tried();
      await tryFile(path, { whole, cut });
      assert.deepEqual(whole.broken, []);
      assert.ok(whole.shown >= CURSORS, String(whole.shown));
    });

  it('leave a file that parses in 99 of 100 places where the token limit has cut the text', () => {
    assert.ok(cut.shown > 100 * CURSORS, String(cut.shown));
    assert.ok(cut.broken.length <= cut.shown / 100, `of ${String(cut.shown)}:\n${cut.broken.join('\n')}`);
  });
});
