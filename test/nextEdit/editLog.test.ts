// Tests the log of edits: which changes form one event, undo and redo, and secrets, which it must never contain.
import assert from 'node:assert/strict';
import { EditLog, isVisible, linesOf, quotable, type EditEvent } from '../../server/nextEdit/editLog';
import { withChange } from '../../server/rules/lineDiff';
import { seededRandom } from '../support/seededRandom';
import { snapshot, URI } from './sumFile';

/** Logs versions of one document, `apartMs` apart. */
function logged(texts: readonly string[], apartMs = 1500): EditLog {
  const log = new EditLog();
  for (const [i, text] of texts.entries()) log.changed(snapshot(text), i * apartMs);
  return log;
}

function described(events: readonly EditEvent[]): string[] {
  return events.map(
    ({ line, before, after }) => `${String(line)}: ${before.join('|')} -> ${after.join('|')}`,
  );
}

/** Lines of a document in which changes can be far apart. */
const LINES = Array.from({ length: 30 }, (_, i) => `line ${String(i)}`);

function withLine(at: number, text: string, lines: readonly string[] = LINES): string[] {
  return lines.map((line, i) => (i === at ? text : line));
}

describe('EditLog', () => {
  it('joins typing within a second and eight lines into one event', () => {
    assert.deepEqual(described(logged(['a', 'ab', 'abc'], 200).events()), ['0: a -> abc']);
    assert.deepEqual(described(logged(['a', 'ab', 'abc']).events()), ['0: a -> ab', '0: ab -> abc']);
    const near = withLine(8, 'x', withLine(3, 'x'));
    assert.deepEqual(
      described(
        logged(
          [LINES, withLine(3, 'x'), near].map((l) => l.join('\n')),
          200,
        ).events(),
      ),
      [`3: ${LINES.slice(3, 9).join('|')} -> x|${LINES.slice(4, 8).join('|')}|x`],
    );
    const far = withLine(20, 'x', withLine(3, 'x'));
    assert.equal(
      logged(
        [LINES, withLine(3, 'x'), far].map((l) => l.join('\n')),
        200,
      ).events().length,
      2,
    );
  });

  it('joins changes up to eight lines and one second apart, in either direction', () => {
    const count = (first: number, second: number, apartMs = 200): number => {
      const changed = withLine(first, 'x');
      const texts = [LINES, changed, withLine(second, 'y', changed)];
      return logged(
        texts.map((lines) => lines.join('\n')),
        apartMs,
      ).events().length;
    };
    assert.deepEqual([count(3, 11), count(3, 12), count(20, 12), count(20, 11)], [1, 2, 1, 2]);
    assert.deepEqual([count(3, 4, 1000), count(3, 4, 1001)], [1, 2]);
    const log = logged(['a', 'ab'], 0);
    log.changed(snapshot('other', 'file:///other.ts'), 0);
    log.changed(snapshot('others', 'file:///other.ts'), 0);
    assert.equal(log.events().length, 2, 'changes of two files');
  });

  it('has the line above an event, also of several changes', () => {
    const above = (...texts: readonly (readonly string[])[]): (string | undefined)[] =>
      logged(
        texts.map((lines) => lines.join('\n')),
        200,
      )
        .events()
        .map((event) => event.above);
    assert.deepEqual(above(LINES, withLine(0, 'x')), [undefined]);
    assert.deepEqual(above(LINES, withLine(3, 'x')), ['line 2']);
    const near = withLine(3, 'x');
    assert.deepEqual(above(LINES, near, withLine(5, 'y', near)), ['line 2']);
    const below = withLine(5, 'x');
    assert.deepEqual(above(LINES, below, withLine(3, 'y', below)), ['line 2']);
    // Only the second of two lines still differs.
    assert.deepEqual(above(LINES, near, withLine(5, 'y')), ['line 4']);
    assert.deepEqual(above(LINES, near, withLine(4, 'y')), ['line 3']);
  });

  it('has no event for typing that was deleted again', () => {
    assert.deepEqual(described(logged(['a', 'ab', 'abc', 'ab', 'a'], 200).events()), []);
    const keys = Array.from({ length: 70 }, (_, i) => 'a'.repeat(i + 1));
    assert.deepEqual(described(logged([...keys, 'a'], 200).events()), [], 'more keys than are remembered');
    assert.deepEqual(described(logged(['a', 'b', 'bc', 'cb', 'b']).events()), ['0: a -> b']);
  });

  it('remembers the last 64 texts of a document, and forgets a document that grows too long', () => {
    const texts = Array.from({ length: 66 }, (_, i) => `t${String(i)}`);
    const log = logged(texts);
    assert.deepEqual([log.hadLines(URI, ['t1']), log.hadLines(URI, ['t2'])], [false, true]);
    assert.ok(!log.hadLines('file:///other.ts', ['t2']));
    const repeated = logged(['first', ...Array.from({ length: 64 }, (_, i) => (i % 2 ? 'a' : 'b'))]);
    assert.ok(repeated.hadLines(URI, ['first']), 'a text that comes back counts once');
    const longest = 'x\n'.repeat(200_000);
    log.changed(snapshot(longest), 1e6);
    assert.ok(log.lines(URI));
    log.changed(snapshot(`${longest}x`), 2e6);
    assert.deepEqual([log.lines(URI), log.events()], [undefined, []]);
  });

  it('keeps an accepted suggestion apart from typing', () => {
    const log = new EditLog();
    for (const [i, text] of ['a', 'ab', 'abX', 'abXc'].entries())
      log.changed(snapshot(text), i * 100, () => i === 2);
    assert.deepEqual(described(log.events()), ['0: a -> ab', '0: ab -> abX', '0: abX -> abXc']);
    assert.deepEqual(
      log.events().map(({ isPrediction }) => isPrediction),
      [false, true, false],
    );
  });

  it('removes events on undo and adds them again on redo, and has no edit due after either', () => {
    const log = logged(['a', 'b', 'c']);
    assert.ok(log.isEditDue(URI));
    log.changed(snapshot('b'), 9000);
    assert.deepEqual(described(log.events()), ['0: a -> b']);
    assert.ok(!log.isEditDue(URI));
    log.changed(snapshot('c'), 18_000);
    assert.deepEqual(described(log.events()), ['0: a -> b', '0: b -> c']);
    assert.ok(!log.isEditDue(URI));
    log.changed(snapshot('d'), 27_000);
    assert.ok(log.isEditDue(URI));
  });

  it('removes only the later of two events in different lines on undo, and both when both are undone', () => {
    const first = withLine(5, 'a');
    const texts = [LINES, first, withLine(25, 'b', first)].map((lines) => lines.join('\n'));
    assert.deepEqual(described(logged([...texts, first.join('\n')]).events()), ['5: line 5 -> a']);
    assert.deepEqual(logged([...texts, LINES.join('\n')]).events(), []);
  });

  it('removes events on undo in their own document alone', () => {
    const log = logged(['a', 'b']);
    const inOtherFile = (text: string) => snapshot(text, 'file:///other.ts');
    for (const text of ['1\n2\nx', '1\n2\ny']) log.changed(inOtherFile(text), 9000);
    log.changed(snapshot('a'), 18_000);
    assert.deepEqual(described(log.events()), ['2: x -> y']);
  });

  it('has no edit due before the first edit and after a long paste', () => {
    assert.ok(!logged(['a']).isEditDue(URI));
    assert.ok(!logged(['a', `a${'x'.repeat(200)}`]).isEditDue(URI));
    assert.ok(!logged(['a', 'a\n1\n2\n3\n4\n5\n6\n7\n8']).isEditDue(URI));
    assert.ok(logged(['y'.repeat(500), `${'y'.repeat(500)}z`]).isEditDue(URI));
    assert.ok(logged(['a', `a${'x'.repeat(199)}`]).isEditDue(URI));
    assert.ok(logged(['a', 'a\n1\n2\n3\n4\n5\n6\n7']).isEditDue(URI));
    // The last line break is not a line of its own.
    assert.ok(logged(['a\n', 'a\n1\n2\n3\n4\n5\n6\n7\n']).isEditDue(URI));
    assert.ok(!logged(['a\n', 'a\n1\n2\n3\n4\n5\n6\n7\n8\n']).isEditDue(URI));
    const log = logged(['a']);
    for (const text of ['1', '2']) log.changed(snapshot(text, 'file:///other.ts'), 0);
    assert.deepEqual([log.isEditDue(URI), log.isEditDue('file:///other.ts')], [false, true]);
  });

  it('takes two characters, a pair of brackets or an indented line break for one key, more for a paste', () => {
    for (const [key, isTyped] of [
      ['()', true],
      ['\n        ', true],
      ['abc', false],
      ['\n\n', false],
    ] as const) {
      const texts = ['', ...Array.from({ length: 70 }, (_, i) => `|${key.repeat(i + 1)}`)];
      assert.equal(logged(texts.slice(0, 70), 10).isEditDue(URI), isTyped, JSON.stringify(key));
    }
    const inLongLine = ['', '1', '12', '123'].map((typed) => `a\n${'x'.repeat(150)}${typed}\nb`);
    assert.ok(logged(inLongLine, 10).isEditDue(URI), 'only the typed part of a line counts');
    assert.ok(!logged(['', 'x'.repeat(100), 'x'.repeat(200)], 1499).isEditDue(URI));
    assert.ok(logged(['', 'x'.repeat(100), 'x'.repeat(200)], 1500).isEditDue(URI));
  });

  it('recognises a paste that begins with many spaces without delay', () => {
    const code = 'call();\n'.repeat(10_000);
    const startedAt = performance.now();
    const log = logged([code, `${code}${' '.repeat(100_000)}x`]);
    assert.ok(performance.now() - startedAt < 1000);
    assert.deepEqual([log.events().length, log.isEditDue(URI)], [1, false]);
  });

  it('has no edit due after a long text that comes in parts within a second and a half', () => {
    const [half, lines] = ['x'.repeat(120), '\n1\n2\n3\n4'];
    for (const part of [half, lines]) {
      const texts = ['a', `a${part}`, `a${part}b${part}`];
      assert.ok(logged(texts.slice(0, 2), 700).isEditDue(URI));
      assert.ok(!logged(texts, 700).isEditDue(URI));
      assert.ok(logged(texts, 1600).isEditDue(URI));
    }
  });

  it('has an edit due after a key that follows a long paste', () => {
    const pasted = `a${'x'.repeat(250)}`;
    assert.ok(logged(['a', pasted, `${pasted}y`], 300).isEditDue(URI));
    assert.ok(logged(['a', pasted, `${pasted}\n    `], 300).isEditDue(URI));
    assert.ok(
      logged(['a', ...Array.from({ length: 10 }, (_, i) => `a${'\n  '.repeat(i + 1)}`)], 30).isEditDue(URI),
    );
  });

  it('does not count accepted suggestions as a paste', () => {
    const block = `\n${'  call();\n'.repeat(12)}}`;
    for (const [before, after, offered] of [
      ['f() {', `f() {${block}`, [block]],
      ['f() {\n}', `f() {${block}\n}`, ['other', block]],
      ['f() {', `f() {${block.slice(0, 90)}`, [block]],
      ['a', `a${'x'.repeat(200)}`, ['x'.repeat(200)]],
    ] as const)
      for (const texts of [offered, []]) {
        const log = logged([before]);
        log.changed(snapshot(after), 100, () => false, texts);
        assert.equal(log.isEditDue(URI), texts.length > 0);
      }
    const log = logged(['a']);
    log.changed(snapshot(`a${'x'.repeat(150)}`), 100, () => true);
    log.changed(snapshot(`a${'x'.repeat(150)}${'y'.repeat(150)}`), 200);
    assert.ok(log.isEditDue(URI), 'an accepted edit adds nothing to a later paste');
  });

  it('counts a suggestion that was inserted twice as a paste', () => {
    const block = `\n${'  call();\n'.repeat(12)}}`;
    const log = logged(['f() {']);
    log.changed(snapshot(`f() {${block}${block}`), 100, () => false, [block]);
    assert.ok(!log.isEditDue(URI));
  });

  it('has events that lead from the first version to the last, with either line end', () => {
    const random = seededRandom(11);
    const pick = (count: number): number => Math.floor(random() * count);
    for (const eol of ['\n', '\r\n']) {
      for (let round = 0; round < 100; round += 1) {
        const log = new EditLog();
        let lines = Array.from({ length: 1 + pick(20) }, () => `l${String(pick(5))}`);
        const first = lines;
        log.changed(snapshot(lines.join(eol)), 0);
        for (let i = 1; i < 9; i += 1) {
          const at = pick(lines.length);
          const change = {
            at,
            removed: pick(2),
            added: Array.from({ length: pick(3) }, () => `n${String(pick(99))}`),
          };
          const next = withChange(lines, change);
          lines = next.length === 0 ? [''] : [...next];
          log.changed(snapshot(lines.join(eol)), i * pick(1500));
        }
        const replayed = log.events().reduce<readonly string[]>((text, { line, before, after }) => {
          assert.deepEqual(text.slice(line, line + before.length), before);
          return withChange(text, { at: line, removed: before.length, added: after });
        }, first);
        assert.deepEqual(replayed, lines);
      }
    }
  });

  it('keeps the latest ten events', () => {
    assert.equal(logged(Array.from({ length: 30 }, (_, i) => `t${String(i)}`)).events().length, 10);
  });

  it('forgets the events of a document while it has a secret, and never logs the secret', () => {
    const key = `ghp_${'aB3dE5gH7jK9mN1pQ2sT4vW6xY8zA0cD2fG4'}`;
    const log = logged(['a', 'b', `b ${key}`, 'b', 'c']);
    assert.deepEqual(described(log.events()), ['0: b -> c']);
    assert.ok(!JSON.stringify(log.events()).includes('ghp_'));
  });

  it('quotes no part of a private key that was cut out of its file', () => {
    const row = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj';
    for (const texts of [
      [[row, row, row, 'x'], ['x']],
      [[row, row, row, 'x'], [row, row, 'x'], [row, 'x'], ['x']],
    ]) {
      const log = logged(texts.map((lines) => `${lines.join('\n')}\n`));
      assert.equal(log.events().length, texts.length - 1);
      assert.deepEqual(quotable(log.events()), []);
    }
    assert.equal(quotable(logged(['a', 'b', 'c']).events()).length, 2);
    const hidden = new EditLog();
    for (const [i, text] of ['a', 'b'].entries()) hidden.changed(snapshot(text, 'file:///w/.env', '.env'), i);
    assert.equal(hidden.events().length, 0);
  });

  it('forgets a closed document, and no other one', () => {
    const log = logged(['a', 'b']);
    for (const text of ['1', '2']) log.changed(snapshot(text, 'file:///other.ts'), 9000);
    assert.deepEqual(described(log.events('file:///other.ts')), ['0: 1 -> 2']);
    log.closed(URI);
    assert.deepEqual(described(log.events()), ['0: 1 -> 2']);
    assert.equal(log.lines(URI), undefined);
  });

  it('distinguishes events that change only white space from visible ones', () => {
    const [event] = logged(['f(a,b)', 'f(a, b)']).events();
    assert.ok(event && !isVisible(event));
    const [visible] = logged(['f(a,b)', 'f(a,c)']).events();
    assert.ok(visible && isVisible(visible));
  });

  it('splits a text at each kind of line end', () => {
    assert.deepEqual(linesOf('a\r\nb\rc\n'), ['a', 'b', 'c', '']);
  });
});
