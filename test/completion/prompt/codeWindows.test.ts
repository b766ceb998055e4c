// Tests the windows into which files are cut, and how they are compared.
import assert from 'node:assert/strict';
import {
  cutWindows,
  identifiersIn,
  shareLine,
  similarity,
} from '../../../server/completion/prompt/codeWindows';

describe('the windows of a file', () => {
  const windowsOf = (text: string) => cutWindows({ uri: 'file:///a.ts', fileName: 'a.ts', text });

  it('have 24 lines each, with \\n for line ends and none at the end', () => {
    const lines = Array.from({ length: 49 }, (_, i) => `line${String(i)}`);
    const windows = windowsOf(`${lines.join('\r\n')}\r\n\r\n`);
    assert.deepEqual(
      windows.map(({ text }) => text.split('\n').map((line) => Number(line.slice(4)))),
      [0, 24, 48].map((start) => lines.slice(start, start + 24).map((_, i) => start + i)),
    );
    assert.deepEqual([...(windows[2]?.identifiers ?? [])], ['line48']);
    assert.deepEqual([windows[0]?.uri, windows[0]?.fileName], ['file:///a.ts', 'a.ts']);
  });

  it('come from the first 40,000 characters', () => {
    const windows = windowsOf('x'.repeat(50_000));
    assert.deepEqual(
      windows.map(({ text }) => text.length),
      [40_000],
    );
  });
});

describe('the similarity of two windows', () => {
  it('is the share of their identifiers of four or more characters that both have', () => {
    assert.deepEqual(
      [...identifiersIn('let abc = _abc + $name(ünïcode, x1234); abc()')],
      ['_abc', '$name', 'ünïcode', 'x1234'],
    );
    const [a, b] = [new Set(['name', 'cart', 'item']), new Set(['name', 'cart', 'file', 'path'])];
    assert.equal(similarity(a, b), 2 / 5);
    assert.equal(similarity(new Set(), new Set()), 0);
  });

  it('is too close if they share a line of more than eight characters', () => {
    assert.equal(shareLine('a\n  save(abc)\nb', 'c\n  save(abc)'), true);
    assert.equal(shareLine('  save(abc)', 'save(abc)'), false, 'another indentation');
    assert.equal(shareLine('  return x', '  return x'), false);
    assert.equal(shareLine('  return xy', '  return xy'), true);
  });
});
