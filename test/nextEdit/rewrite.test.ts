// Tests how a rewritten window is read: the edit that it makes, and the reasons to refuse the output.
import assert from 'node:assert/strict';
import { editWindow } from '../../server/nextEdit/editWindow';
import { refusal } from '../../server/nextEdit/refusals';
import { readPart, readRewrite, type Reading } from '../../server/nextEdit/rewrite';
import { withChange } from '../../server/rules/lineDiff';
import { seededRandom } from '../support/seededRandom';

const OLD = ['const a = 1;', 'const b = 2;', '', 'f(a);', '}', 'f(b);', '}', 'return a + b;'];

function read(lines: readonly string[], isEnded = true, old: readonly string[] = OLD) {
  return readRewrite(old, `${lines.join('\n')}\n`, isEnded);
}

/** Reads the output for lines `from` to the last one of a document, all of which is the window, and judges it. */
function readWindow(lines: readonly string[], from: number, output: string): Reading {
  const cursor = { line: from, character: 0 };
  const window = editWindow(lines, cursor, { from: 0, to: lines.length }, undefined) ?? assert.fail();
  const reading = readPart(window, { from }, output, true);
  if (reading.kind !== 'change') return reading;
  const prompt = { path: 'a.ts', lines, cursor, window, events: [], room: 0 };
  const reason = refusal(reading.change, prompt, []);
  return reason === undefined ? reading : { kind: 'refused', reason };
}

/** Applies the first change of an output to the window, again and again, until they are equal. */
function settled(old: readonly string[], output: readonly string[]): readonly string[] | string {
  let lines = old;
  for (let i = 0; i < 50; i += 1) {
    const reading = read(output, true, lines);
    if (reading.kind === 'same') return lines;
    if (reading.kind !== 'change') return reading.kind;
    lines = withChange(lines, reading.change);
  }
  return 'endless';
}

describe('readRewrite', () => {
  it('ends the first change where lines match again', () => {
    const output = ['const c = 1;', 'const b = 2;', '', 'f(a);', '}', 'f(c);', '}', 'return a + c;'];
    const change = { at: 0, removed: 1, added: ['const c = 1;'] };
    assert.deepEqual(read(output), { kind: 'change', change });
    assert.equal(read(output.slice(0, 3), false).kind, 'open', 'a blank line ended the change');
    assert.deepEqual(read(output.slice(0, 4), false), { kind: 'change', change });
  });

  it('ends a change of as many lines as it replaces at two lines that match again, or at the end after one', () => {
    for (const count of [1, 2, 3]) {
      const old = ['a();', 'b();', 'c();', 'd();', 'e();', 'f();'];
      const added = ['x();', 'y();', 'z();'].slice(0, count);
      const change = { at: 0, removed: count, added };
      const output = withChange(old, change);
      assert.equal(read(output.slice(0, count + 1), false, old).kind, 'open');
      assert.deepEqual(read(output.slice(0, count + 2), false, old), { kind: 'change', change });
      const other = output.with(count + 1, 'other();');
      assert.deepEqual(read(other, true, old), { kind: 'change', change });
    }
  });

  it('inserts or removes a line above equal lines without replacing one of them', () => {
    const old = ['a();', 'b();', 'b();', 'c();', 'd();'];
    for (const output of [
      ['a();', 'x();', 'b();', 'b();', 'c();', 'd();'],
      ['b();', 'b();', 'c();', 'd();'],
      ['x();', 'b();', 'b();', 'c();', 'd();'],
    ])
      assert.deepEqual(settled(old, output), output);
    const change = { at: 1, removed: 0, added: ['x();'] };
    assert.deepEqual(read(['a();', 'x();', 'b();', 'b();', 'c();'], false, old), { kind: 'change', change });
    const [one, two] = [3, 4].map((count) =>
      read(['a();', 'x();', 'c();', 'd();'].slice(0, count), false, ['a();', 'c();', 'd();']),
    );
    assert.deepEqual([one?.kind, two], ['open', { kind: 'change', change }]);
  });

  it('finds the same change in every longer output', () => {
    const output = [
      'const a = 1;',
      'const b = 2;',
      'x();',
      'y();',
      '',
      'f(a);',
      '}',
      'g(b);',
      '}',
      'return a;',
    ];
    const first = output
      .map((_, i) => read(output.slice(0, i + 1), false))
      .find(({ kind }) => kind !== 'open');
    assert.deepEqual(first, read(output));
    assert.deepEqual(first, {
      kind: 'change',
      change: { at: 2, removed: 0, added: ['x();', 'y();'] },
    });
  });

  it('inserts a block before a similar one instead of replacing that', () => {
    const blocks: readonly [string, string[], string[]][] = [
      ['method', ['  def b', '    2', '  end', ''], ['class A', '  def a', '    1', '  end', 'end']],
      ['methods', ['def b', '  2', 'end', ''], ['x', 'def a', '  1', 'end', '', 'def c', '  3', 'end']],
      [
        'tests',
        ['void b() {', '  y();', '}', '', '@Test'],
        ['@Test', 'void a() {', '  x();', '}', '', '@Test', 'void c() {', '  z();', '}'],
      ],
      [
        'a case with the same statement',
        ['case 9:', '  b();', '  break;'],
        ['case 1:', 'case 2:', '  b();', '  break;', 'case 3:', '  c();', '  break;', '}'],
      ],
      [
        'a guard',
        ['if a == nil {', '\treturn err', '}'],
        ['err := f()', 'if err != nil {', '\treturn err', '}', 'g(1)', 'h(2)'],
      ],
      [
        'a test with the same first line',
        ["it('a', () => {", '  const trial = new Trial();', '  trial.go();', '});', ''],
        ['describe(', "it('b', () => {", '  const trial = new Trial();', '  trial.run();', '});', ')'],
      ],
      [
        'a copied check',
        ['if err != nil {', '\treturn err', '}'],
        ['a, err := f()', 'b, err := g()', 'if err != nil {', '\treturn err', '}', 'return use(a, b)'],
      ],
      [
        'constructors',
        ['A(int b)', '{', '}', '', '/// <summary>'],
        ['/// <summary>', '/// A.', '/// </summary>', 'A(int c)', '{', '}', '', '/// <summary>', '/// B.'],
      ],
    ];
    for (const [name, added, old] of blocks) {
      const output = old.toSpliced(1, 0, ...added);
      const change = { at: 1, removed: 0, added };
      assert.deepEqual(settled(old, output), output, name);
      assert.deepEqual(read(output, true, old), { kind: 'change', change }, name);
      for (const [i] of output.entries()) {
        const early = read(output.slice(0, i + 1), false, old);
        if (early.kind !== 'open') assert.deepEqual(early, { kind: 'change', change }, name);
      }
    }
  });

  it('removes one of several equal lines apart from a later change', () => {
    const old = ['start();', 'log();', 'one();', 'log();', 'two();', 'three();', 'four();'];
    const output = ['start();', 'one();', 'log();', 'two();', 'third();', 'four();'];
    const change = { at: 1, removed: 1, added: [] };
    assert.deepEqual(read(output, true, old), { kind: 'change', change });
  });

  it('inserts a copy of a line further down without removing the lines above that', () => {
    const old = [
      'add() {',
      '  x();',
      '}',
      '',
      'remove() {',
      '  y();',
      '  notify();',
      '}',
      '',
      'total() {',
      '}',
    ];
    const output = old.toSpliced(2, 0, '  notify();');
    const change = { at: 2, removed: 0, added: ['  notify();'] };
    assert.deepEqual(read(output, true, old), { kind: 'change', change });
    assert.deepEqual(read(output.slice(0, 8), false, old), { kind: 'change', change });
    const moved = ['x();', 'b();', 'a();', 'y();'];
    const all = { at: 0, removed: 3, added: moved };
    assert.deepEqual(read(moved, true, ['a();', 'b();', 'c();']), { kind: 'change', change: all });
    const blank = { at: 0, removed: 2, added: ['x();', 'y();'] };
    const blankMoved = read(['x();', 'y();', 'c();', '', 'd();'], true, ['a();', '', 'c();', 'd();']);
    assert.deepEqual(blankMoved, { kind: 'change', change: blank }, 'a blank line does not count');
    const shorter = old.toSpliced(2, 4, '  z();');
    const removal = { at: 2, removed: 4, added: ['  z();'] };
    assert.deepEqual(read(shorter, true, old), { kind: 'change', change: removal });
  });

  it('leaves lines as they are that an output repeats with other blanks at their ends or in typography', () => {
    const old = ['say("it");', "say('a -- b');", 'wait(...);', 'a - b', 'c()', 'd = 4'];
    const printed = [
      'say(\u201cit\u201d);  ',
      'say(\u2018a \u2014 b\u2019);',
      'wait(\u2026);\t',
      'a\u00a0\u2013 b',
      'c() ',
    ];
    assert.deepEqual(read([...printed, 'd = 4'], true, old), { kind: 'same' });
    const change = { at: 5, removed: 1, added: ['d = 5'] };
    assert.deepEqual(read([...printed, 'd = 5  '], true, old), { kind: 'change', change });
    // A window with such characters or blanks is written with them.
    const fresh = ['\u201ca\u201d', 'b', 'c  ', 'd'];
    for (const [line, added] of [
      ['"b"', '\u201cb\u201d'],
      ['b', 'b  '],
    ] as const)
      for (const text of [`${added} x`, `x ${added}`]) {
        const reading = read(fresh.with(1, text), true, fresh.with(1, line));
        assert.deepEqual(reading, { kind: 'change', change: { at: 1, removed: 1, added: [text] } });
      }
    const quotes = { at: 1, removed: 1, added: ['\u201cb\u201d'] };
    const quoted = read(fresh.with(1, '\u201cb\u201d'), true, fresh.with(1, '"b"'));
    assert.deepEqual(quoted, { kind: 'change', change: quotes });
    const last = { at: 2, removed: 1, added: ['c'] };
    assert.deepEqual(read(['a', 'a  ', 'c'], true, ['a', 'a  ', 'b']), { kind: 'change', change: last });
    const lines = { at: 1, removed: 0, added: ['x', '', 'y'] };
    const inserted = read(['a', 'x', '', 'y', '  ', 'b', 'c'], true, ['a', '  ', 'b', 'c']);
    assert.deepEqual(inserted, { kind: 'change', change: lines });
    const replaced = { at: 1, removed: 1, added: ['"b"'] };
    const straight = read(['a', '"b"', 'c', 'd'], true, ['a', '\u201cb\u201d', 'c', 'd']);
    assert.deepEqual(straight, { kind: 'change', change: replaced });
  });

  it('does not end an insertion at a closing brace', () => {
    const old = ['if (a) {', '}', '}', 'end();'];
    const output = ['if (a) {', 'b();', '}', '}', 'end();'];
    const change = { at: 1, removed: 0, added: ['b();'] };
    assert.deepEqual(read(output, true, old), { kind: 'change', change });
  });

  it('passes over changes of white space and of imports alone, and reads on to the next change', () => {
    const end = ['g(a);', 'h(a);', 'f(b);', 'i(b);', 'return a + b;'];
    const old = ["import a from 'a';", ...OLD.slice(0, 4), ...end];
    const rest = end.with(2, 'f(c);');
    const change = { at: 7, removed: 1, added: ['f(c);'] };
    for (const [what, lines] of [
      ['indents a line', [...old.slice(0, 4), '  f(a);']],
      ['removes a blank line', [...old.slice(0, 3), 'f(a);']],
      ['adds two blank lines', [...old.slice(0, 3), '', '', ...old.slice(3, 5)]],
      ['adds a blank line', [...old.slice(0, 3), '', ...old.slice(3, 5)]],
      ['adds an import', [...old.slice(0, 1), "import b from 'b';", ...old.slice(1, 5)]],
      ['adds an import and a blank line', [...old.slice(0, 1), "import b from 'b';", '', ...old.slice(1, 5)]],
      ['changes imports and white space', ["import b from 'b';", ...old.slice(1, 4), 'f(a); ']],
    ] as const) {
      assert.deepEqual(read([...lines, ...rest], true, old), { kind: 'change', change }, what);
      assert.equal(read([...lines, ...rest.slice(0, 3)], false, old).kind, 'open', what);
      assert.deepEqual(read([...lines, ...rest], false, old), { kind: 'change', change }, what);
      assert.deepEqual(read([...lines, ...old.slice(5)], true, old), { kind: 'same' }, what);
    }
  });

  it('passes over imports of several languages', () => {
    for (const [old, fresh] of [
      ['from a import b', 'from a.b import c'],
      ['use App\\A;', 'use App\\B\\{C, D};'],
      ['use a::b;', 'pub use a::*;'],
      ['using A.B;', 'global using static A.C;'],
      ["require 'a'", "require_relative 'b'"],
      ['#include <a>', '# include "b"'],
    ] as const)
      assert.equal(read([fresh, ...OLD], true, [old, ...OLD]).kind, 'same', fresh);
    for (const [old, fresh] of [
      ['using (a) {', 'using (b) {'],
      ['use(a);', 'use(b);'],
      ["a = require('a')", "a = require('b')"],
    ] as const)
      assert.equal(read([fresh, ...OLD], true, [old, ...OLD]).kind, 'change', fresh);
  });

  it('shows a change of white space or imports next to another change', () => {
    const [one, other] = ["import a from 'a';", "import b from 'b';"];
    for (const [old, fresh] of [
      [one, 'f();'],
      ['f();', one],
      [one, `f(); // ${other}`],
    ] as const)
      assert.deepEqual(read([fresh], true, [old]), {
        kind: 'change',
        change: { at: 0, removed: 1, added: [fresh] },
      });
  });

  it('leads from the old window to the rewritten one apart from white space, change by change', () => {
    const random = seededRandom(7);
    const pick = (count: number): number => Math.floor(random() * count);
    let refusedCount = 0;
    for (let round = 0; round < 500; round += 1) {
      const old = Array.from(
        { length: 4 + pick(18) },
        () => ['a();', 'b();', '}', '', `x${String(pick(9))};`][pick(5)] ?? '',
      );
      const output = [...old];
      for (let i = 0; i <= pick(3); i += 1)
        output.splice(
          1 + pick(output.length),
          pick(2),
          ...Array.from({ length: pick(3) }, () => `new${String(pick(50))}`),
        );
      const result = settled(old, output);
      const text = (lines: readonly string[]): readonly string[] => lines.filter((line) => line !== '');
      if (typeof result === 'string') refusedCount += 1;
      else assert.deepEqual(text(result), text(output), JSON.stringify({ old, output }));
    }
    assert.ok(refusedCount < 3, `${String(refusedCount)} outputs were refused`);
  });

  it('allows a line three times in a row if it has no letter or the window has it so', () => {
    const closers = ['a();', 'x {', '}', '}', '}', 'b();'];
    assert.equal(read(closers, true, ['a();', 'b();']).kind, 'change');
    const old = ['a = [', '  null,', '  null,', '  null,', '];', 'b();', 'c();'];
    const output = old.toSpliced(1, 0, '  1,');
    const change = { at: 1, removed: 0, added: ['  1,'] };
    assert.deepEqual(read(output, true, old), { kind: 'change', change });
  });

  it('refuses outputs that begin elsewhere, repeat lines or never end', () => {
    const many = Array.from({ length: 40 }, (_, i) => `n${String(i)}();`);
    for (const [lines, reason] of [
      [OLD.slice(5), 'begins elsewhere'],
      [[...OLD.slice(0, 3), 'x();', 'x();', 'x();'], 'repeats a line'],
      [many, 'does not end'],
      [[...OLD.slice(0, 3), 'x'.repeat(5000), ...OLD.slice(3)], 'does not end'],
    ] as const)
      assert.deepEqual(read(lines), { kind: 'refused', reason });
    assert.deepEqual(readRewrite(OLD, `${OLD[0] ?? ''}\n${'x'.repeat(5000)}`, false), {
      kind: 'refused',
      reason: 'does not end',
    });
    for (const output of ['', '\n', '\n\n \n'])
      assert.deepEqual(readRewrite(OLD, output, true), { kind: 'refused', reason: 'empty' });
    assert.deepEqual(readRewrite([''], '\n', true), { kind: 'same' }, 'an empty window');
  });
});

describe('readPart', () => {
  it('takes a last line without a line break for complete unless it lacks text or lines follow it', () => {
    const old = OLD.slice(0, 4);
    for (const [last, kind] of [
      [['f(b);'], 'change'],
      [['f(a)'], 'refused'],
      [[], 'refused'],
    ] as const)
      assert.equal(
        readWindow(old, 0, [OLD[0], 'const c = 2;', '', ...last].join('\n').trimEnd()).kind,
        kind,
        last[0],
      );
    const tooEarly = { kind: 'refused', reason: 'ends too early' };
    assert.deepEqual(readWindow(OLD, 0, `${OLD.slice(0, 2).join('\n')}\n`), tooEarly);
    const withBlank = ['a();', 'b();', 'c();', 'd();', ''];
    assert.deepEqual(readWindow(withBlank, 0, 'a();\n\n'), tooEarly, 'before a blank line');
  });

  it('keeps the end of a block at the end of a document, which can change and have lines below it', () => {
    for (const end of ['}', '});', 'end', 'fi', 'done', 'esac', '</div>'])
      assert.deepEqual(
        readWindow(['a();', 'b (', '  c();', end], 1, 'b (\n  c();\n'),
        { kind: 'refused', reason: 'ends too early' },
        end,
      );
    const change = { at: 2, removed: 1, added: ['};', 'b();'] };
    const reading = readWindow(['a = {', '  c,', '}'], 0, 'a = {\n  c,\n};\nb();\n');
    assert.deepEqual(reading, { kind: 'change', change });
  });

  it('reads blank lines at the end of a window and of an output', () => {
    for (const [old, output, change] of [
      [['a();', 'b();', '', 'c();'], 'a();\nb();\n\n', { at: 3, removed: 1, added: [] }],
      [['a();', 'b();', ''], 'a();\nb();\nc();\n\n', { at: 2, removed: 0, added: ['c();'] }],
      [['a();', '}', 'b();', '}'], 'a();\n}\nc();\n}\n  ', { at: 2, removed: 2, added: ['c();', '}', ''] }],
    ] as const)
      assert.deepEqual(readWindow(old, 0, output), { kind: 'change', change }, JSON.stringify(output));
    const lines = ['a();', 'b();', ''];
    const window = editWindow([...lines, 'c();'], { line: 0, character: 0 }, { from: 0, to: 3 }, undefined);
    const reading = readPart(window ?? assert.fail(), { from: 0 }, 'a();\nb();\nd();\n\n', true);
    assert.deepEqual(reading, { kind: 'change', change: { at: 2, removed: 0, added: ['d();'] } });
  });

  it('makes edits of any lines below the first one of the window', () => {
    const call = ['a(1);', 'if (x) {', '  b(2);', '}', 'c(3);', 'd(4);', 'e(5);'];
    const list = ['a:', '  - b', '  - c', '  - d'];
    for (const [what, old, from, fresh] of [
      ['removes the line of the cursor', call, 4, call.toSpliced(4, 1)],
      ['joins the line of the cursor with the next one', call, 4, call.toSpliced(4, 2, 'cd(3, 4);')],
      ['unwraps a block', call, 1, call.toSpliced(1, 3, 'b(2);')],
      [
        'inserts a constant for the next lines',
        call,
        4,
        call.toSpliced(4, 2, 'const z = 3;', 'c(z);', 'd(z);'),
      ],
      ['rewrites all lines below', call, 4, [...call.slice(0, 4), 'f(6);', 'g(7);', 'h(8);']],
      ['removes the last entry', list, 1, list.slice(0, -1)],
      ['replaces the last entry by two', list, 1, [...list.slice(0, -1), '  - e', '  - f']],
      ['replaces a last word by two', ['[x]', 'a', 'b'], 1, ['[x]', 'a', 'c', 'd']],
      ['replaces a last statement by two', ['f:', ' a', ' pass'], 1, ['f:', ' a', ' b = 1', ' return b']],
      ['strikes the last element through', ['<p>', '<li>a', '<li>b'], 1, ['<p>', '<li>a', '<s>b</s>']],
      ['removes a last comma', ['a = [', ' 1,', ' 2,'], 1, ['a = [', ' 1,', ' 2']],
      ['removes a last comment', ['a();', 'b();', 'c(); // d'], 1, ['a();', 'b();', 'c();']],
      [
        'changes the last line without the blank one',
        ['a();', 'b();', 'c();', ''],
        1,
        ['a();', 'b();', 'd();'],
      ],
    ] as const) {
      const reading = readWindow(old, from, `${fresh.slice(from).join('\n')}\n`);
      assert.equal(reading.kind, 'change', what);
      if (reading.kind === 'change') assert.deepEqual(withChange(old, reading.change), fresh, what);
    }
  });

  it('refuses hardly any of the edits below the first line of a window', () => {
    const random = seededRandom(11);
    const pick = (count: number): number => Math.floor(random() * count);
    const reasons: string[] = [];
    for (let round = 0; round < 500; round += 1) {
      const old = Array.from(
        { length: 6 + pick(14) },
        (_, i) => [`a(${String(i)});`, `b(${String(i)}, c);`, 'c();', '}', ''][pick(5)] ?? '',
      ).concat('last();');
      const from = 1 + pick(old.length - 4);
      const at = from + pick(old.length - 1 - from);
      const change = {
        at,
        removed: Math.min(pick(4), old.length - 1 - at),
        added: Array.from({ length: pick(4) }, (_, i) => `new${String(i)}(${String(round)});`),
      };
      const fresh = withChange(old, change);
      const reading = readWindow(old, from, `${fresh.slice(from).join('\n')}\n`);
      if (reading.kind === 'refused') reasons.push(reading.reason);
      if (reading.kind === 'change')
        assert.deepEqual(withChange(old, reading.change), fresh, JSON.stringify({ old, from, change }));
    }
    const others = reasons.filter((reason) => reason !== 'insertion above the cursor');
    assert.ok(others.length < 10, others.join());
  });

  it('takes fewer lines at the start of the window for an edit if they resemble the first one', () => {
    const old = ['// Counts by day: only numbers, on this machine.', 'import a;', 'b();', 'c();', 'd();'];
    for (const line of ['// Counts by day.', '// Counts by day;']) {
      const change = { at: 0, removed: 2, added: [line] };
      const output = `${withChange(old, change).join('\n')}\n`;
      assert.deepEqual(readWindow(old, 0, output), { kind: 'change', change });
    }
    const tooLate = { kind: 'refused', reason: 'begins too late' };
    const skipped = withChange(old, { at: 0, removed: 2, added: ['import b;'] });
    assert.deepEqual(readWindow(old, 0, `${skipped.join('\n')}\n`), tooLate);
    assert.deepEqual(readWindow(['', ...old], 0, `\n${skipped.join('\n')}\n`), tooLate, 'after a blank line');
  });

  it('refuses a header, a path or a tag of thinking before the first line', () => {
    const old = ['a();', 'b();', 'c();', 'd();'];
    for (const fresh of [
      ['b();', 'x();', 'd();'],
      ['x();', 'c();', 'd();'],
    ])
      for (const line of ['updated:', 'updated/src/a.ts:1:4', '<think>', 'src/a.ts', 'a.ts'])
        assert.deepEqual(
          readWindow(old, 1, `${[line, ...fresh].join('\n')}\n`),
          { kind: 'refused', reason: 'begins before the window' },
          line,
        );
    const fresh = ['a();', 'x();', 'c();', 'd();'];
    for (const line of ['Here is the updated code:', 'updated/[slug].tsx:1:4', '];', '</think>'])
      assert.deepEqual(
        readWindow(old, 0, `${[line, ...fresh].join('\n')}\n`),
        { kind: 'refused', reason: 'begins before the window' },
        `${line} beside another change`,
      );
    assert.equal(readWindow(old, 1, 'updated: 1,\nb();\nx();\nd();\n').kind, 'change', 'a key');
    assert.deepEqual(
      readWindow(['', ...old], 0, `x();\n\n${old.join('\n')}\n`),
      { kind: 'change', change: { at: 0, removed: 0, added: ['x();'] } },
      'the only change',
    );
    const paths = ['files:', 'src/a', 'src/b', 'src/c'];
    for (const output of ['lib/a\nsrc/b\nsrc/c\n', 'lib/a\nlib/b\nsrc/b\nsrc/c\n'])
      assert.equal(readWindow(paths, 1, output).kind, 'change', 'a list of paths');
    assert.equal(readWindow(old, 1, 'b.c\nc();\nd();\n').kind, 'change', 'a line in place of another');
  });
});

describe('the limits of a rewritten window', () => {
  const letters = [...'abcdefgh'].map((letter) => `${letter}();`);

  it('let an output begin in the first quarter of the window, or in its second line', () => {
    for (const [old, first, kind] of [
      [letters, 2, 'open'],
      [letters, 3, 'refused'],
      [letters.slice(0, 3), 1, 'open'],
      [letters.slice(0, 3), 2, 'refused'],
    ] as const)
      assert.equal(
        read([old[first] ?? ''], false, old).kind,
        kind,
        `${String(first)} of ${String(old.length)}`,
      );
  });

  it('require that an output repeats a line of a window of four lines', () => {
    const output = ['w();', 'x();', 'y();', 'z();'];
    const text = (count: number): string => `${output.slice(0, count).join('\n')}\n`;
    assert.equal(readWindow(letters.slice(0, 3), 0, text(3)).kind, 'change');
    assert.deepEqual(readWindow(letters.slice(0, 4), 0, text(4)), {
      kind: 'refused',
      reason: 'repeats nothing',
    });
  });
});
