// Tests which lines Zeta rewrites and sees: as many as Zed's editor would take, with whole blocks where they fit.
import assert from 'node:assert/strict';
import { blocksAround } from '../../server/nextEdit/blocksAround';
import { zetaContext, zetaRegion } from '../../server/nextEdit/zetaRegion';

const CURSOR = 50;

/** Returns lines of 30 bytes, which count as ten tokens, in which a function goes from line `from` to line `to`. */
function program(from = Infinity, to = Infinity): string[] {
  return Array.from({ length: 100 }, (_, i) => {
    const start = i === from ? 'f {' : i === to ? '}' : i > from && i < to ? '  a' : 'a';
    return start.padEnd(30, 'x');
  });
}

/** Returns the blocks around the line that ends with a cursor, as their first and last lines. */
function blocks(text: string): string[] {
  const lines = text.split('\n');
  const cursor = lines.findIndex((line) => line.endsWith('|'));
  const plain = lines.map((line) => line.replace('|', ''));
  return [...blocksAround(plain, cursor)].map(
    ({ from, to }) => `${plain[from]?.trim() ?? ''} .. ${plain[to - 1]?.trim() ?? ''}`,
  );
}

describe('blocks around a line', () => {
  it('are found by indentation, with their closers', () => {
    const text = (cursor: number): string =>
      [
        'f() {',
        '  a();',
        '',
        '  if (b) {',
        '    c();',
        '  } else {',
        '    d();',
        '  }',
        '  e();',
        '}',
        'g();',
      ]
        .map((line, i) => (i === cursor ? `${line}|` : line))
        .join('\n');
    const whole = ['f() { .. }', 'f() { .. g();'];
    assert.deepEqual(blocks(text(1)), whole);
    assert.deepEqual(blocks(text(2)), whole);
    assert.deepEqual(blocks(text(4)), ['if (b) { .. } else {', 'if (b) { .. }', ...whole]);
    assert.deepEqual(blocks(text(6)), ['} else { .. }', 'if (b) { .. }', ...whole]);
    assert.deepEqual(blocks(text(3)), ['if (b) { .. } else {', 'if (b) { .. }', ...whole]);
    assert.deepEqual(blocks(text(7)), ['} else { .. }', 'if (b) { .. }', ...whole]);
    assert.deepEqual(blocks(text(9)), whole);
    assert.deepEqual(blocks(text(10)), ['f() { .. g();']);
    assert.deepEqual(blocks('f() {|\n}\ng();'), ['f() { .. g();'], 'an empty block');
  });

  it('need no closers', () => {
    const text = 'def f():\n    if a:\n        b()|\n    c()\n\n\nd()';
    assert.deepEqual(blocks(text), ['if a: .. b()', 'def f(): .. c()', 'def f(): .. d()']);
    assert.deepEqual(blocks('|'), [' .. ']);
  });
});

describe('the region of Zeta', () => {
  it('has 350 tokens around the cursor, and 150 more of context, where no block fits', () => {
    const lines = program();
    const region = zetaRegion(lines, CURSOR);
    assert.deepEqual(region, { from: CURSOR - 17, to: CURSOR + 18 });
    assert.deepEqual(zetaContext(lines, region, CURSOR), { from: CURSOR - 25, to: CURSOR + 25 });
  });

  it('spends all of its tokens, also where each line has one token', () => {
    const lines = Array.from({ length: 1000 }, () => 'a');
    const region = zetaRegion(lines, 500);
    assert.deepEqual(region, { from: 326, to: 676 });
    assert.deepEqual(zetaContext(lines, region, 500), { from: 251, to: 751 });
    // A line of two tokens leaves one token for the side that would come second.
    for (const at of [350, 650]) {
      const { from, to } = zetaRegion(lines.with(at, 'a'.repeat(6)), 500);
      assert.equal(to - from, 349);
    }
  });

  it('keeps its tokens for the block if the line below does not fit into three quarters of them', () => {
    const lines = program(CURSOR, CURSOR + 2);
    const long = lines.with(CURSOR + 1, `  ${'x'.repeat(798)}`);
    assert.deepEqual(zetaRegion(long, CURSOR), { from: CURSOR - 3, to: CURSOR + 6 });
  });

  it('spends three quarters of its tokens on lines, then grows to the block, then on the side that grew less', () => {
    const lines = program(CURSOR - 20, CURSOR + 2);
    assert.deepEqual(zetaRegion(lines, CURSOR), { from: CURSOR - 20, to: CURSOR + 15 });
    const long = program(CURSOR - 30, CURSOR + 2);
    assert.deepEqual(zetaRegion(long, CURSOR), { from: CURSOR - 17, to: CURSOR + 18 });
  });

  it('has exactly the block around it as context if that block fits', () => {
    const region = { from: CURSOR - 5, to: CURSOR + 5 };
    const context = zetaContext(program(CURSOR - 12, CURSOR + 7), region, CURSOR);
    assert.deepEqual(context, { from: CURSOR - 12, to: CURSOR + 8 });
    const onlyAbove = zetaContext(program(CURSOR - 12, CURSOR + 4), region, CURSOR);
    assert.deepEqual(onlyAbove, { from: CURSOR - 12, to: CURSOR + 5 });
    const full = zetaContext(program(CURSOR - 12, CURSOR + 12), region, CURSOR);
    assert.deepEqual(full, { from: CURSOR - 12, to: CURSOR + 13 });
  });

  it('counts a blank line as a token, and has the empty last line only if the cursor is there', () => {
    const lines = [...Array.from({ length: 348 }, () => ''), 'a', ''];
    assert.deepEqual(zetaRegion(lines, 348), { from: 0, to: 349 });
    assert.deepEqual(zetaRegion(lines, 349), { from: 0, to: 350 });
    assert.deepEqual(zetaRegion(['x'.repeat(5000), 'a'], 0), { from: 0, to: 2 });
  });
});
