// Tests which proposals only take back what the user has just done.
import assert from 'node:assert/strict';
import { EditLog } from '../../server/nextEdit/editLog';
import { isRevert } from '../../server/nextEdit/reverts';
import { changedLines } from '../../server/rules/lineDiff';
import { snapshot, URI } from './sumFile';

/** Lines that are far enough apart for separate events. */
const LINES = Array.from({ length: 30 }, (_, i) => `line ${String(i)}`);

/** Returns whether a proposal of the text `after` is a revert in a document that has had `texts`, in this order. */
function takesBack(texts: readonly (readonly string[])[], after: readonly string[]): boolean {
  const log = new EditLog();
  for (const [i, lines] of texts.entries()) log.changed(snapshot(lines.join('\n')), 2000 * i);
  const lines = texts.at(-1) ?? [];
  return isRevert(log, URI, lines, changedLines(lines, after) ?? assert.fail());
}

describe('isRevert', () => {
  const [first, second] = [LINES.with(5, 'a'), LINES.with(5, 'a').with(25, 'b')];

  it('finds a proposal that restores an earlier text or undoes one event', () => {
    assert.ok(takesBack([LINES, first, second], LINES), 'an earlier text');
    assert.ok(takesBack([LINES, first, second], first), 'the last event');
    assert.ok(takesBack([LINES, first, second], LINES.with(25, 'b')), 'an earlier event alone');
    assert.ok(!takesBack([LINES, first, second], second.with(15, 'c')));
    const third = second.with(15, 'c');
    assert.ok(takesBack([LINES, first, second, third], first.with(15, 'c')), 'the event before the last');
  });

  it('finds the undoing of an event whose lines later events have moved, but not of a part of it', () => {
    const above = ['new', ...second];
    assert.ok(takesBack([LINES, first, second, above], ['new', ...LINES.with(25, 'b')]));
    assert.ok(!takesBack([LINES, second, above], ['new', ...LINES.with(5, 'a')]), 'a part of an event');
    const below = [...second, 'new'];
    assert.ok(takesBack([LINES, first, second, below], [...LINES.with(25, 'b'), 'new']));
  });

  it('finds a text from before more events than the log keeps', () => {
    const texts = Array.from({ length: 13 }, (_, i) => LINES.map((line, at) => (at < i ? 'x' : line)));
    assert.ok(takesBack(texts, LINES));
  });

  it('follows the lines of an event through later events in their order, until one changes these lines', () => {
    const inserted = ['x', 'y', 'z', ...first];
    const changed = inserted.with(5, 'c');
    assert.ok(takesBack([LINES, first, inserted, changed], changed.with(8, 'line 5')));
    const both = LINES.with(5, 'a').with(6, 'b');
    const texts = [LINES, both, both.with(6, 'c'), both.with(6, 'c').with(25, 'z')];
    assert.ok(!takesBack(texts, LINES.with(25, 'z')));
  });

  it('finds the undoing of the last events together, from before the texts that the log remembers', () => {
    const log = new EditLog();
    const typed = (from: number, length: number): string[][] =>
      Array.from({ length }, (_, i) => LINES.with(5, 'x'.repeat(from + i + 1)));
    log.changed(snapshot(LINES.join('\n')), 0);
    for (const [i, lines] of typed(0, 40).entries()) log.changed(snapshot(lines.join('\n')), i);
    for (const [i, lines] of typed(40, 40).entries()) log.changed(snapshot(lines.join('\n')), 5000 + i);
    assert.deepEqual([log.events().length, log.hadLines(URI, LINES)], [2, false]);
    const lines = log.lines(URI) ?? assert.fail();
    const change = (text: string) => changedLines(lines, LINES.with(5, text)) ?? assert.fail();
    assert.ok(isRevert(log, URI, lines, change('line 5')));
    assert.ok(!isRevert(log, URI, lines, change('line five')));
  });

  it('finds the undoing of an event next to the lines of a later event', () => {
    for (const line of [4, 6])
      assert.ok(takesBack([LINES, first, first.with(line, 'b')], LINES.with(line, 'b')), String(line));
  });

  it('finds the deletion of a part of the last typed text, but no other deletion', () => {
    const typed = LINES.with(5, 'line 5 and more');
    assert.ok(takesBack([LINES, typed], typed.with(5, 'line 5 and')));
    assert.ok(!takesBack([LINES, typed], typed.with(5, '5 and more')), 'other text of the line');
    const same = LINES.with(5, 'line 5 6');
    assert.ok(!takesBack([LINES, same], same.with(6, 'line')), 'the same text in another line');
    const below = LINES.with(7, 'line 7 6');
    assert.ok(!takesBack([LINES, below], below.with(6, 'line')), 'the same text in a line above');
    assert.ok(!takesBack([LINES, typed], typed.toSpliced(20, 0, '')), 'a blank line restores nothing');
    const inserted = LINES.toSpliced(5, 0, 'x();', 'y();');
    assert.ok(takesBack([LINES, inserted], LINES.toSpliced(5, 0, 'x();')));
    assert.ok(!takesBack([LINES, inserted], inserted.toSpliced(7, 1)));
  });

  it('finds the deletion of a line in which the user has just inserted text, but not of lines around it', () => {
    const typed = LINES.with(5, 'line 5 and more');
    assert.ok(takesBack([LINES, typed], typed.toSpliced(5, 1)));
    assert.ok(takesBack([LINES, typed], typed.toSpliced(4, 3)));
    for (const at of [4, 6]) assert.ok(!takesBack([LINES, typed], typed.toSpliced(at, 1)), String(at));
    const emptied = LINES.with(5, 'line');
    assert.ok(!takesBack([LINES, emptied], emptied.toSpliced(5, 1)), 'the user has only deleted text there');
  });

  it('finds the insertion of the line that was just deleted, wherever it is put', () => {
    const without = LINES.toSpliced(5, 1);
    assert.ok(takesBack([LINES, without], without.toSpliced(20, 0, '  line 5')));
    assert.ok(!takesBack([LINES, without], without.toSpliced(20, 0, 'line 99')));
    const [call, emptied] = [LINES.with(5, 'f(x)'), LINES.with(5, 'f()')];
    assert.ok(takesBack([call, emptied], emptied.with(20, 'line 20x')));
    assert.ok(!takesBack([call, emptied], emptied.with(20, 'line x')), 'in place of other text');
    const indented = LINES.with(5, '  line 5');
    assert.ok(takesBack([indented, without], without.toSpliced(20, 0, 'line 5')));
  });
});
