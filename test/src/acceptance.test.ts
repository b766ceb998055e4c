// What the counters make of offers, document changes and the command of an accepted item.
import assert from 'node:assert/strict';
import { Acceptance, movedSpan, NO_ACCEPTANCE } from '../../src/acceptance';

const FILE = 'file:///a.ts';
const insert = (rangeOffset: number, text: string) => [{ rangeOffset, rangeLength: 0, text }];

describe('Acceptance', () => {
  it('counts an offer once while it is typed into', () => {
    const acceptance = new Acceptance();
    const id = acceptance.offer(FILE, 10, ['urn items;']);
    acceptance.change(FILE, insert(10, 'u'));
    assert.equal(acceptance.offer(FILE, 11, ['rn items;']), id);
    assert.equal(acceptance.counts.offered, 1);
    assert.notEqual(acceptance.offer(FILE, 11, ['other']), id);
    assert.equal(acceptance.counts.offered, 2);
  });

  it('does not count an empty answer', () => {
    const acceptance = new Acceptance();
    acceptance.offer(FILE, 10, []);
    assert.deepEqual(acceptance.counts, NO_ACCEPTANCE);
  });

  it('counts a whole accept with its text', () => {
    const acceptance = new Acceptance();
    const id = acceptance.offer(FILE, 10, ['urn items;']);
    acceptance.change(FILE, insert(10, 'urn items;'));
    assert.deepEqual(acceptance.accept(id), { uri: FILE, text: 'urn items;', span: { start: 10, end: 20 } });
    assert.deepEqual(acceptance.counts, {
      ...NO_ACCEPTANCE,
      offered: 1,
      accepted: 1,
      acceptedCharacters: 10,
    });
  });

  it('derives words and lines from the changes, the last one from the command', () => {
    const acceptance = new Acceptance();
    const id = acceptance.offer(FILE, 0, ['return a +\n  b;']);
    assert.equal(acceptance.change(FILE, insert(0, 'return'))?.text, 'return');
    assert.equal(acceptance.change(FILE, insert(6, ' a +\r\n'))?.span.start, 6);
    acceptance.change(FILE, insert(12, '  b;'));
    acceptance.accept(id);
    const { accepted, acceptedParts, acceptedCharacters } = acceptance.counts;
    assert.deepEqual(
      { accepted, acceptedParts, acceptedCharacters },
      { accepted: 1, acceptedParts: 2, acceptedCharacters: 15 },
    );
  });

  const notParts: readonly (readonly [
    name: string,
    changes: { rangeOffset: number; rangeLength: number; text: string }[],
  ])[] = [
    ['one typed character', insert(5, '(')],
    ['a bracket closed by the editor', insert(5, '()')],
    ['text at another place', insert(9, '()foo')],
    ['other text', insert(5, 'bar')],
    ['a replacement', [{ rangeOffset: 5, rangeLength: 2, text: '()foo' }]],
    ['two changes at once', [...insert(5, '()fo'), ...insert(50, 'x')]],
    ['a deletion', [{ rangeOffset: 4, rangeLength: 1, text: '' }]],
  ];
  for (const [name, changes] of notParts)
    it(`takes ${name} for no part`, () => {
      const acceptance = new Acceptance();
      acceptance.offer(FILE, 5, ['()foo()']);
      assert.equal(acceptance.change(FILE, changes), undefined);
      assert.equal(acceptance.counts.acceptedParts, 0);
    });

  it('follows the alternative that is being typed', () => {
    const acceptance = new Acceptance();
    acceptance.offer(FILE, 0, ['first();', 'second();']);
    assert.equal(acceptance.change(FILE, insert(0, 'second'))?.text, 'second');
    assert.equal(acceptance.change('file:///b.ts', insert(6, '();')), undefined);
  });

  it('does not count an alternative twice that another one continues', () => {
    const acceptance = new Acceptance();
    const id = acceptance.offer(FILE, 0, ['foo', 'foobar']);
    acceptance.change(FILE, insert(0, 'foo'));
    acceptance.accept(id);
    assert.equal(acceptance.counts.acceptedParts, 0);
    assert.equal(acceptance.counts.accepted, 1);
  });

  it('counts an accept whose offer has been replaced, without its text', () => {
    const acceptance = new Acceptance();
    const id = acceptance.offer(FILE, 0, ['foo']);
    acceptance.offer(FILE, 1, ['bar']);
    assert.equal(acceptance.accept(id), undefined);
    assert.equal(acceptance.counts.accepted, 1);
  });

  it('calls a text kept when only white space has changed', () => {
    const acceptance = new Acceptance();
    acceptance.review('a = b;\n  c()', 'a = b;\n\tc()');
    acceptance.review('a = b;', 'a = d;');
    assert.equal(acceptance.counts.reviewed, 2);
    assert.equal(acceptance.counts.kept, 1);
  });

  it('goes on from stored counts, also from older ones', () => {
    assert.deepEqual(new Acceptance({ accepted: 4 }).counts, { ...NO_ACCEPTANCE, accepted: 4 });
  });
});

describe('movedSpan', () => {
  const span = { start: 10, end: 20 };
  const cases: readonly (readonly [
    name: string,
    change: readonly [number, number, string],
    start: number,
    end: number,
  ])[] = [
    ['an insertion before', [0, 0, 'abc'], 13, 23],
    ['a deletion before', [0, 4, ''], 6, 16],
    ['an insertion at the start', [10, 0, 'ab'], 12, 22],
    ['an insertion at the end', [20, 0, 'ab'], 10, 20],
    ['a change after', [30, 5, ''], 10, 20],
    ['an insertion inside', [15, 0, 'abc'], 10, 23],
    ['a deletion inside', [12, 3, ''], 10, 17],
    ['the deletion of all of it', [10, 10, ''], 10, 10],
    ['a deletion around it', [5, 20, ''], 5, 5],
    ['a deletion over its start', [5, 10, ''], 5, 10],
    ['a deletion over its end', [15, 10, ''], 10, 15],
  ];
  for (const [name, [rangeOffset, rangeLength, text], start, end] of cases)
    it(`follows ${name}`, () => {
      assert.deepEqual(movedSpan(span, [{ rangeOffset, rangeLength, text }]), { start, end });
    });

  it('follows several changes of one event', () => {
    const changes = [
      { rangeOffset: 15, rangeLength: 0, text: '  ' },
      { rangeOffset: 0, rangeLength: 0, text: '  ' },
    ];
    assert.deepEqual(movedSpan(span, changes), { start: 12, end: 24 });
  });
});
