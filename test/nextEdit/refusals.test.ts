// Tests the reasons to refuse a change that a model has made.
import assert from 'node:assert/strict';
import { editWindow } from '../../server/nextEdit/editWindow';
import { refusal } from '../../server/nextEdit/refusals';
import type { LineChange } from '../../server/rules/lineDiff';

const OLD = ['const a = 1;', 'const b = 2;', '', 'f(a);', '}', 'f(b);', '}', 'return a + b;'];

/** Returns the reason to refuse a change of a document that is one window. */
function reasonFor(
  change: LineChange,
  lines: readonly string[],
  cursorLine: number,
  path = 'a.ts',
): string | undefined {
  const cursor = { line: cursorLine, character: 0 };
  const window = editWindow(lines, cursor, { from: 0, to: lines.length }, undefined);
  assert.ok(window);
  return refusal(change, { path, lines, cursor, window, events: [], room: 0 }, []);
}

describe('refusal', () => {
  it('names conflict marks, large removals, wrong characters, omissions and insertions above the cursor', () => {
    const long = Array.from({ length: 12 }, (_, i) => `something(${String(i)}, 'a long line of code here');`);
    for (const [change, window, reason] of [
      [{ at: 3, removed: 1, added: ['<<<<<<< HEAD', 'f(a);'] }, OLD, 'conflict marks'],
      [{ at: 1, removed: 9, added: [] }, long, 'removes too much'],
      [{ at: 3, removed: 1, added: ['f(\uFFFD);'] }, OLD, 'broken characters'],
      [{ at: 1, removed: 0, added: ['const c = 3;'] }, OLD, 'insertion above the cursor'],
    ] as const)
      assert.equal(reasonFor(change, window, 3), reason, JSON.stringify(change));
    for (const line of [
      '...',
      '  // ... existing code ...',
      '# rest of the code',
      '<!-- \u2026 -->',
      '{/* ... */}',
      '// [...]',
      '; ... existing code',
      '// the rest of this function remains unchanged',
    ])
      assert.equal(reasonFor({ at: 3, removed: 4, added: ['g(a);', line] }, OLD, 3), 'leaves code out', line);
    for (const line of [
      '// Copies the rest of the bytes.',
      ';[...a].forEach(g)',
      '#[...a]',
      '// [...a].map(g)',
    ])
      assert.equal(reasonFor({ at: 3, removed: 4, added: ['g(a);', line] }, OLD, 3), undefined, line);
    const longer = Array.from({ length: 4 }, () => long).flat();
    for (const [change, window, what] of [
      [{ at: 0, removed: 2, added: [] }, OLD, 'many of few characters'],
      [{ at: 40, removed: 8, added: [] }, longer, 'a small part of many lines'],
      [{ at: 0, removed: 1, added: ["f('\uFFFD', 1);"] }, ["f('\uFFFD');"], 'broken before'],
    ] as const)
      assert.equal(reasonFor(change, window, 0), undefined, what);
    const copied = ['// Load the rest of the file.', ...OLD];
    assert.equal(
      reasonFor({ at: 4, removed: 4, added: ['// Load the rest of the file.', 'g(a);'] }, copied, 4),
      undefined,
      'a comment that the window has',
    );
    const stub = { at: 3, removed: 4, added: ['...'] };
    assert.equal(reasonFor(stub, OLD, 3, 'a.py'), undefined, 'a statement of Python');
    assert.equal(reasonFor(stub, OLD, 3), 'leaves code out');
    const inOnePart = ['// ... existing code ...', 'f(b);', 'g(a);', 'g(b);', '}'];
    assert.equal(
      reasonFor({ at: 3, removed: 4, added: inOnePart }, OLD, 3),
      'leaves code out',
      'in one part',
    );
    for (const line of ['...', '// ... and so on', '# the rest'])
      assert.equal(reasonFor({ at: 3, removed: 1, added: [line] }, OLD, 3), undefined, line);
    const strings = ["f('a');", 'g("b");', 'h(1 - 2);', 'a b'];
    for (const [at, line, reason] of [
      [0, 'f(\u2018c\u2019);', 'typographic characters'],
      [1, 'g(\u201cc\u201d);', 'typographic characters'],
      [2, 'h(1 \u2013 3);', 'typographic characters'],
      [3, 'a\u00a0c', 'typographic characters'],
      [0, "f('a\u2026');", undefined],
    ] as const)
      assert.equal(reasonFor({ at, removed: 1, added: [line] }, strings, 0), reason, line);
    for (const [line, reason] of [
      ['f([\u201c,\u201d]);', 'typographic characters'],
      ['f(\u2018a\u2019);', 'typographic characters'],
      ['// It\u2019s 1\u20132\u2026', undefined],
    ] as const)
      assert.equal(reasonFor({ at: 8, removed: 0, added: [line] }, OLD, 7), reason, line);
    const inWindow = ["f('a');", '// \u2018x\u2019'];
    assert.equal(reasonFor({ at: 0, removed: 1, added: ['f(\u2018c\u2019);'] }, inWindow, 0), undefined);
    const quoted = { at: 1, removed: 1, added: ['Then \u201cgo\u201d \u2013 on.'] };
    assert.equal(reasonFor(quoted, ['# T', 'Then go - on.'], 1, 'a.md'), undefined);
    assert.equal(reasonFor({ at: 5, removed: 1, added: ['f(c);'] }, OLD, 3), undefined);
    assert.equal(reasonFor({ at: 2, removed: 0, added: ['g(a);'] }, OLD, 2), undefined, 'at a blank line');
    assert.equal(reasonFor({ at: 0, removed: 0, added: ['g(a);'] }, OLD, 2), 'insertion above the cursor');
    assert.equal(
      reasonFor({ at: 1, removed: 2, added: ['Results', '======='] }, ['', 'Result', '======'], 0),
      undefined,
    );
  });

  it('names indentation that the window does not use', () => {
    const [tabs, spaces] = [
      ['f() {', '\tg();', '}'],
      ['f() {', '    g();', '}'],
    ];
    const both = [...tabs, ...spaces];
    for (const [window, added, reason] of [
      [tabs, '    h();', 'other indentation'],
      [tabs, '\th();', undefined],
      [tabs, '\t    h();', undefined],
      [tabs, ' * text', undefined],
      [spaces, '\th();', 'other indentation'],
      [spaces, '  \th();', 'other indentation'],
      [spaces, '  h();', undefined],
      [both, '\th();', undefined],
      [both, '    h();', undefined],
      [['f();', 'g();', 'h();'], '\th();', undefined],
    ] as const)
      assert.equal(reasonFor({ at: 1, removed: 1, added: [added] }, window, 1), reason, added);
    for (const [window, added] of [
      [['all: a.o \\', '     b.o', '', 'clean:'], '\tcc -o all'],
      [['func f() {', '\tg(`', '`)', '}'], '  a: 1'],
    ] as const)
      assert.equal(reasonFor({ at: 2, removed: 0, added: [added] }, window, 1), undefined, added);
    const afterBlank = { at: 1, removed: 1, added: ['', '\tg();'] };
    assert.equal(reasonFor(afterBlank, ['f() {', '    g();', '}'], 1), 'other indentation');
    const text = { at: 1, removed: 1, added: ['\tg(`a:', '  b: 1'] };
    assert.equal(reasonFor(text, ['func f() {', '\tg(`', '`)', '}'], 1), undefined);
  });

  it('names a fence that leaves code open, but none that opens and closes it', () => {
    for (const [window, change, reason] of [
      [['f();'], { at: 1, removed: 0, added: ['```'] }, 'code fence'],
      [['# Use', '', ''], { at: 2, removed: 1, added: ['```ts', 'f();', '```'] }, undefined],
      [['```ts', 'f();'], { at: 2, removed: 0, added: ['```'] }, undefined],
      [['```ts', 'f();', '```'], { at: 0, removed: 1, added: ['```js'] }, undefined],
      [['```ts', 'f();', '```'], { at: 2, removed: 1, added: [] }, 'code fence'],
      [['```ts', 'f();'], { at: 1, removed: 1, added: ['g();'] }, undefined],
    ] as const)
      assert.equal(reasonFor(change, window, 0), reason, change.added.join());
  });

  it('allows a blank line between two changed lines', () => {
    const lines = ['a(n);', '}', 'b(n);', 'c(1);'];
    assert.equal(reasonFor({ at: 0, removed: 3, added: ['a(t);', '}', '', 'b(t);'] }, lines, 0), undefined);
  });

  it('names only new conflict marks at a line start, and insertions above the cursor', () => {
    const letters = [...'abcdefgh'].map((letter) => `${letter}();`);
    for (const [change, window, reason] of [
      [{ at: 0, removed: 1, added: ['f(); // <<<<<<< here'] }, ['g();'], undefined],
      [{ at: 0, removed: 1, added: ['>>>>>>> main'] }, ['g();'], 'conflict marks'],
      [{ at: 0, removed: 1, added: ['>>>>>>> main', 'f();'] }, ['g();', '>>>>>>> main'], undefined],
      [{ at: 1, removed: 0, added: ['x();'] }, letters, 'insertion above the cursor'],
      [{ at: 2, removed: 0, added: ['x();'] }, letters, undefined],
    ] as const)
      assert.equal(reasonFor(change, window, 1), reason, JSON.stringify(change));
  });

  it('names insertions that copy the lines above or below, blank lines aside, but not lines with hardly any text', () => {
    const lines = ['', 'first();', 'second();', '', 'third();', '}'];
    for (const [at, removed, added, isCopy] of [
      [3, 0, ['first();', 'second();'], true],
      [1, 0, ['first();', 'second();'], true],
      [4, 0, ['second();', ''], true],
      [3, 0, ['', 'third();'], true],
      [4, 0, ['second();'], true],
      [3, 0, ['third();'], true],
      [6, 0, ['third();', '}'], true],
      [6, 0, ['}'], false],
      [6, 0, ['', '}'], false],
      [4, 0, ['first();'], false],
      [3, 0, ['first();', 'other();'], false],
      [2, 1, ['first();'], false],
    ] as const)
      assert.equal(
        reasonFor({ at, removed, added }, lines, 0),
        isCopy ? 'repeats the lines around it' : undefined,
        `${String(at)} ${added.join()}`,
      );
  });
});
