// The bundled holes: enough of them, of every kind and language, each one where it says and worth asking for. And what
// is said of one that is not.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { transform } from 'esbuild';
import { HOLE_KINDS, holeAt, missingText, readHoles, type Hole } from '../../../../bench/holes/holes';
import { languageIdOf } from '../../../../bench/replay/sources';

const FOLDER = 'bench/holes';
const LANGUAGES = ['javascript', 'python', 'typescript'];
const MIN_HOLES = 150;
const MIN_PER_LANGUAGE = 60;
/** Of all holes, at least; README tells them. */
const SHARES = { rest: 0.4, word: 0.1, line: 0.05, middle: 0.1, arguments: 0.05, block: 0.05 };

const holes = readHoles(FOLDER);
const text = ({ source, start, end }: Hole) => `${source.slice(0, start)}${source.slice(end)}`;
const lineBefore = ({ source, start }: Hole) => source.slice(source.lastIndexOf('\n', start - 1) + 1, start);
const lineAfter = ({ source, end }: Hole) => /^.*/.exec(source.slice(end))?.[0] ?? '';

describe('the bundled holes', () => {
  it('are enough, in each language', () => {
    assert.ok(holes.length >= MIN_HOLES);
    assert.deepEqual([...new Set(holes.map(({ language }) => language))].sort(), LANGUAGES);
    for (const language of LANGUAGES)
      assert.ok(holes.filter((hole) => hole.language === language).length >= MIN_PER_LANGUAGE, language);
  });

  for (const kind of HOLE_KINDS)
    it(`have their share of the kind ${kind}`, () => {
      const count = holes.filter((hole) => hole.kind === kind).length;
      assert.ok(count >= SHARES[kind] * holes.length, String(count));
    });

  it('differ from each other and do not overlap', () => {
    assert.equal(new Set(holes.map((hole) => `${hole.path}\n${text(hole)}`)).size, holes.length);
    for (const [i, { path, start }] of holes.entries()) {
      const before = holes[i - 1];
      if (before?.path === path) assert.ok(before.end <= start, `${path} at ${String(start)}`);
    }
  });

  it('are what their kind says', () => {
    const wrong = holes.filter((hole) => !isOfItsKind(hole));
    assert.deepEqual(
      wrong.map(({ path, line, kind }) => ({ path, line, kind })),
      [],
    );
  });

  it('are at cursors at which the editor would ask', () => {
    const odd = holes.filter(
      (hole) => /^[\p{L}\p{N}_$]/u.test(lineAfter(hole)) || missingText({ ...hole, file: '' }).trim() === '',
    );
    assert.deepEqual(odd, []);
  });

  it('are in every bundled file, in languages that have a name', () => {
    const files = LANGUAGES.flatMap((each) =>
      readdirSync(`${FOLDER}/files/${each}`).map((name) => `${each}/${name}`),
    );
    assert.deepEqual([...new Set(holes.map(({ path }) => path))].sort(), files.sort());
    assert.ok(files.every((path) => languageIdOf(path).startsWith(path.split('/', 1).join())));
  });

  it('are in files that parse', async () => {
    const files = new Map(holes.map(({ path, source }) => [path, source]));
    for (const [path, source] of files) {
      if (path.startsWith('python/')) continue;
      const loader = path.endsWith('.tsx') ? 'tsx' : path.startsWith('typescript/') ? 'ts' : 'jsx';
      await transform(source, { loader, sourcefile: path });
    }
  });
});

describe('holeAt', () => {
  const source = 'one();\n  two(a, b);\nthree();\n';

  it('finds the offsets of what is marked', () => {
    const hole = holeAt('python/x.py', source, { kind: 'arguments', line: 2, text: 'two(⟦a, b⟧);' });
    assert.deepEqual(hole, {
      path: 'python/x.py',
      language: 'python',
      kind: 'arguments',
      line: 2,
      source,
      start: 13,
      end: 17,
    });
    assert.equal(missingText({ ...hole, file: '' }), 'a, b');
  });

  it('finds several lines', () => {
    const hole = holeAt('a/b', source, { kind: 'block', line: 2, text: '⟦two(a, b);\nthree();⟧' });
    assert.equal(missingText({ ...hole, file: '' }), 'two(a, b);\nthree();');
  });

  const wrong: readonly (readonly [what: string, place: unknown])[] = [
    ['another line', { kind: 'rest', line: 1, text: 'two(⟦a, b);⟧' }],
    ['other text', { kind: 'rest', line: 2, text: 'two(⟦a, c);⟧' }],
    ['a part of the line', { kind: 'rest', line: 2, text: 'two(⟦a, b⟧)' }],
    ['nothing between the marks', { kind: 'rest', line: 2, text: 'two(a, b);⟦⟧' }],
    ['no marks', { kind: 'rest', line: 2, text: 'two(a, b);' }],
    ['an unknown kind', { kind: 'tail', line: 2, text: 'two(⟦a, b);⟧' }],
    ['a line beyond the end', { kind: 'rest', line: 9, text: 'two(⟦a, b);⟧' }],
    ['no object', null],
  ];
  for (const [what, place] of wrong)
    it(`refuses ${what}`, () => {
      assert.throws(() => holeAt('a/b', source, place), /^TypeError: Expected a hole in a\/b as in /);
    });
});

function isOfItsKind(hole: Hole): boolean {
  const [before, missing, after] = [lineBefore(hole), missingText({ ...hole, file: '' }), lineAfter(hole)];
  const lines = missing.split('\n').length;
  if (hole.kind === 'block') return before.trim() === '' && after === '' && lines >= 2 && lines <= 4;
  if (lines > 1) return false;
  const inWord = /\w$/.test(before) && /^\w/.test(missing);
  switch (hole.kind) {
    case 'rest':
      return before.trim() !== '' && after === '' && !inWord;
    case 'word':
      return after === '' && inWord;
    case 'line':
      return before.trim() === '' && after === '';
    case 'middle':
      return before.trim() !== '' && after !== '' && !inWord;
    case 'arguments':
      return before.endsWith('(') && after.startsWith(')');
  }
}
