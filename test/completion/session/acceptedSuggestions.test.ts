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
  readonly sourceOf: (path: string, text: string) => Source;
  readonly parserOf: (path: string) => Parser;
}

const scriptLanguage = (languageId: string, typed: TypedLanguage = 'typescript'): Language => ({
  languageId,
  typed,
  sourceOf: scriptSource,
  parserOf: scriptParser,
});
const LANGUAGES: Readonly<Record<string, Language>> = {
  ts: scriptLanguage('typescript'),
  tsx: scriptLanguage('typescriptreact'),
  js: scriptLanguage('javascript'),
  mjs: scriptLanguage('javascript'),
  jsx: scriptLanguage('javascriptreact'),
  json: scriptLanguage('json', 'json'),
  html: { languageId: 'html', typed: 'html', sourceOf: htmlSource, parserOf: () => htmlParser },
  py: { languageId: 'python', typed: 'python', sourceOf: pythonSource, parserOf: () => pythonParser },
};

/** A document while a part of a published file is typed again, up to the cursor. */
interface TypedPart extends CursorDocument {
  /** Rest of that part. */
  readonly truth: string;
  /** Text of the file after that part. */
  readonly below: string;
  /** Closers that the editor has inserted after the cursor. */
  readonly closers: string;
}

/** Types the line at an offset again, and the two smallest units around it. */
function* typedParts({ text, kinds, units }: Source, typed: TypedLanguage, at: number): Generator<TypedPart> {
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

/** An output of the model. */
interface Output {
  readonly text: string;
  /** Whether the token limit cut it off. */
  readonly isCut: boolean;
}

/** Returns outputs as models write them, listed at the top of this file. */
function outputs({ truth, below, closers }: TypedPart): Output[] {
  const bare = closers.replace(/\s/g, '');
  const cutOff = [2, 6, 17, 41, 80].map((end) => ({ text: wholeTokens(truth + below, end), isCut: true }));
  return [
    { text: truth, isCut: false },
    { text: truth + below.slice(0, 120), isCut: false },
    { text: truth + bare, isCut: false },
    { text: `${truth.split('\n', 1).join()}"')}]\``, isCut: true },
    ...(bare !== '' && truth.endsWith(bare) ? [{ text: truth.slice(0, -bare.length), isCut: false }] : []),
    ...cutOff,
  ].filter(({ text }) => text.trim() !== '');
}

/** Cuts a text at the end of a word, since tokens end there too. */
function wholeTokens(text: string, end: number): string {
  return text.slice(0, end + text.slice(end).search(/(?<=[^\p{L}\p{N}_])|(?![\p{L}\p{N}_])/u));
}

/** A document after Tab has accepted a suggestion. */
interface AcceptedPart extends CursorDocument {
  /** The suggestion in its line, for messages. */
  readonly shown: string;
}

/** Suggests with a model that writes `output`, and accepts the suggestion; returns undefined if there is none. */
async function afterTab(
  languageId: string,
  { before, after, truth, below }: TypedPart,
  output: Output,
): Promise<AcceptedPart | undefined> {
  const text = before + after;
  const context = completionContext({ uri: 'file:///a', fileName: 'a', languageId, text }, before.length);
  const answer = (prompt: string): readonly string[] => {
    // A healed prompt lacks the last token before the cursor, so the model writes that token first.
    const [head = ''] = prompt.split('<|fim_suffix|>');
    const isHealedBy = (count: number): boolean =>
      head.endsWith(before.slice(-60 - count, before.length - count));
    const healed = Array.from({ length: 40 }, (_, count) => count).find(isHealedBy) ?? 0;
    return (before.slice(before.length - healed) + output.text).match(/[^]{1,4}/g) ?? [];
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
  return {
    before: before + shown.text,
    after: text.slice(before.length + shown.replacesAfter),
    more,
    shown: `${before.slice(before.lastIndexOf('\n') + 1)}⟦${shown.text}⟧${String(shown.replacesAfter)}║${after.slice(0, 40)}`,
  };
}

/** Results for one kind of output: the number of suggestions, and those that break a file that could be parsed. */
class Tally {
  shown = 0;
  readonly broken: string[] = [];
}

async function tryFile(path: string, tallies: { readonly uncut: Tally; readonly cut: Tally }): Promise<void> {
  const language = LANGUAGES[path.split('.').at(-1) ?? ''];
  assert.ok(language, path);
  const text = readFileSync(path, 'utf8');
  const source = language.sourceOf(path, text);
  const parts = Array.from({ length: CURSORS }, (_, i) => {
    // A shift that depends on the file puts the cursors into different columns.
    const at = Math.floor(((i + ((path.length * 0.37) % 1)) * text.length) / CURSORS);
    return at === 0 ? [] : [...typedParts(source, language.typed, at)];
  }).flat();
  const parse = language.parserOf(path);
  const parsedBefore = parse(parts);
  const accepted: { readonly part: AcceptedPart; readonly output: Output; readonly was: Parses }[] = [];
  for (const [i, was = 'never'] of parsedBefore.entries()) {
    const part = parts[i];
    if (part === undefined || was === 'never') continue;
    for (const output of outputs(part)) {
      const suggestedPart = await afterTab(language.languageId, part, output);
      if (suggestedPart) accepted.push({ part: suggestedPart, output, was });
    }
  }
  for (const [i, is] of parse(accepted.map(({ part }) => part)).entries()) {
    const { part, output, was } = accepted[i] ?? assert.fail();
    const tally = output.isCut ? tallies.cut : tallies.uncut;
    const isWorse = is === 'never' || (!output.isCut && was === 'as it is' && is !== was);
    if (isWorse) tally.broken.push(`${path} ${part.shown} <= ${output.text}`);
    tally.shown += 1;
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
  const cut = new Tally();

  for (const path of [...BENCH, ...PUBLISHED])
    it(`leave a parseable file parseable: ${path}`, async () => {
      const uncut = new Tally();
      await tryFile(path, { uncut, cut });
      assert.deepEqual(uncut.broken, []);
      assert.ok(uncut.shown >= CURSORS, `only ${String(uncut.shown)} suggestions`);
    });

  it('leave a file parseable in 99 of 100 cases in which the token limit has cut the output', () => {
    assert.ok(cut.shown > 100 * CURSORS, `only ${String(cut.shown)} suggestions`);
    assert.ok(cut.broken.length <= cut.shown / 100, `of ${String(cut.shown)}:\n${cut.broken.join('\n')}`);
  });
});
