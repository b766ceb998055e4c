// Places that were left: which are remembered, from where they count as elsewhere, and what is forgotten.
import assert from 'node:assert/strict';
import type { DocumentSnapshot } from '../../server/completion/prompt/context';
import { Places } from '../../server/completion/prompt/places';

const LINE = 'call(argument);\n';

function open(name: string, lines = 1000): DocumentSnapshot {
  return { uri: name, fileName: name, languageId: 'typescript', version: 1, text: LINE.repeat(lines) };
}

function left(places: Places, uri = 'elsewhere', offset = 0, reach = 2000): (readonly [string, number])[] {
  return places.elsewhere(uri, offset, reach).map((place) => [place.uri, place.offset]);
}

describe('places that were left', () => {
  let places: Places;
  beforeEach(() => {
    places = new Places();
  });

  it('are those that the cursor has jumped from, to another file or far away, newest first', () => {
    places.visit(open('a'), 5000);
    assert.deepEqual(left(places), []);
    places.visit(open('a'), 5300);
    places.visit(open('b'), 10);
    places.visit(open('b'), 9000);
    places.visit(open('a'), 20);
    assert.deepEqual(left(places), [
      ['b', 9000],
      ['b', 10],
      ['a', 5300],
    ]);
  });

  it('are whole lines', () => {
    places.visit(open('a'), 5003);
    places.visit(open('b'), 0);
    const [{ text } = { text: '' }] = places.elsewhere('b', 0, 2000);
    assert.match(text, /^(call\(argument\);\n)+call\(argument\);$/);
    assert.ok(text.length > 700 && text.length <= 800);
  });

  it('count once in one place, and are the newest of many', () => {
    for (let i = 0; i < 40; i++) {
      places.visit(open('a'), 5000 + i);
      places.visit(open(`f${String(i)}`), 0);
    }
    const known = left(places);
    assert.equal(known.length, 16);
    assert.equal(known.filter(([uri]) => uri === 'a').length, 1);
  });

  it('of the same file must be further away than its prompt reaches, as seen from where the person came to', () => {
    places.visit(open('a'), 12_000);
    places.visit(open('a'), 1000);
    places.visit(open('a'), 4000);
    const far = [['a', 12_000]];
    assert.deepEqual(left(places, 'a', 4000, 5000), far);
    for (let offset = 4000; offset < 4800; offset += 100) {
      places.visit(open('a'), offset);
      assert.deepEqual(left(places, 'a', offset, 7500), far);
    }
  });

  it('stay when their file is closed, until only open files may be quoted', () => {
    places.visit(open('a'), 5000);
    places.closed('b');
    assert.deepEqual(left(places), []);
    places.closed('a');
    places.visit(open('b'), 0);
    assert.deepEqual(left(places), [['a', 5000]]);
    places.keepOnly((uri) => uri !== 'b');
    assert.deepEqual(left(places), [['a', 5000]]);
    places.visit(open('c'), 0);
    assert.deepEqual(left(places), [['a', 5000]], 'nothing is left of b');
    places.keepOnly((uri) => uri === 'c');
    assert.deepEqual(left(places), []);
  });
});
