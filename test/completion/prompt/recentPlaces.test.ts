// Tests which edits and which places that the cursor has left are remembered, and when they are forgotten.
import assert from 'node:assert/strict';
import { RecentPlaces } from '../../../server/completion/prompt/recentPlaces';
import { completionContext } from '../../../server/completion/prompt/context';

/** Lines of nine characters and their line end, each with its number. */
const LINES = Array.from({ length: 500 }, (_, i) => `line ${String(i).padStart(4, '0')}\n`).join('');

function documentOf(name: string, text = LINES) {
  return { uri: `file:///${name}`, fileName: name, languageId: 'typescript', text };
}
const A = documentOf('a.ts');
const B = documentOf('b.ts');

/** Returns the offsets of the places that a prompt at `offset` of a document can quote. */
function placesLeft(places: RecentPlaces, document = B, offset = 0, reach = 0): readonly number[] {
  return places.placesLeftOutside(completionContext(document, offset), reach).map((place) => place.offset);
}

describe('recent edits', () => {
  it('are the newest of each place, from eight places, in documents other than the completed one', () => {
    const places = new RecentPlaces();
    const offsets = (count = 100) => places.editsOutside(B.uri, count).map(({ offset }) => offset);
    places.edited(A, 1000);
    places.edited(A, 1400);
    assert.deepEqual(offsets(), [1400], 'edits within 400 characters are one place');
    places.edited(A, 1801);
    places.edited(documentOf('c.ts'), 1801);
    assert.deepEqual(offsets(), [1801, 1801, 1400]);
    assert.deepEqual(offsets(2), [1801, 1801]);
    places.edited(B, 0);
    assert.deepEqual(offsets(), [1801, 1801, 1400], 'edits of the completed document');
    for (let i = 2; i < 8; i++) places.edited(B, i * 500);
    assert.deepEqual(offsets(), [1801]);
  });

  it('have the whole lines around them, as they were then', () => {
    const textAt = (offset: number, text = LINES) => {
      const places = new RecentPlaces();
      places.edited(documentOf('a.ts', text), offset);
      const [edit] = places.editsOutside(B.uri, 1);
      const lines = (edit?.text ?? '').split('\n');
      return [lines[0], lines.at(-1)];
    };
    assert.deepEqual(textAt(2005), ['line 0161', 'line 0239']);
    assert.deepEqual(textAt(399), ['line 0000', 'line 0078']);
    assert.deepEqual(textAt(400), ['line 0000', 'line 0079']);
    assert.deepEqual(textAt(4601), ['line 0421', '']);
    assert.deepEqual(textAt(0, 'a\r\nb'), ['a', 'b']);
    assert.deepEqual(textAt(500, 'x'.repeat(1000)), ['', ''], 'a line that is too long');
  });

  it('are forgotten when their document is closed', () => {
    const places = new RecentPlaces();
    places.edited(A, 0);
    places.edited(documentOf('c.ts'), 0);
    places.closed(A.uri);
    assert.deepEqual(
      places.editsOutside(B.uri, 9).map(({ fileName }) => fileName),
      ['c.ts'],
    );
  });
});

describe('places that the cursor has left', () => {
  it('were left once the cursor is more than 800 characters from where it came', () => {
    const places = new RecentPlaces();
    places.visited(A, 1000);
    places.visited(A, 1800);
    assert.deepEqual(placesLeft(places), []);
    places.visited(A, 1801);
    assert.deepEqual(placesLeft(places), [1800], 'the place is where the cursor was last');
    places.visited(B, 1801);
    assert.deepEqual(placesLeft(places), [1801], 'another visit of a place within 400 characters');
    places.edited(A, 3000);
    assert.deepEqual(placesLeft(places, A, 3000, 1000), [1801, 1801], 'an edit moves the cursor too');
  });

  it('are the newest sixteen, with the lines around them', () => {
    const places = new RecentPlaces();
    for (let i = 0; i < 18; i++) places.visited(documentOf(`${String(i)}.ts`), i);
    assert.deepEqual(
      placesLeft(places),
      Array.from({ length: 16 }, (_, i) => 16 - i),
    );
    const [newest] = places.placesLeftOutside(completionContext(B, 0), 0);
    assert.deepEqual(newest?.text.split('\n').slice(-1), ['line 0040']);
  });

  it('are quoted in their own document only if they are beyond the reach of the current place', () => {
    const places = new RecentPlaces();
    for (const offset of [0, 2000, 4000]) places.visited(A, offset);
    assert.deepEqual(placesLeft(places, A, 4000, 1999), [2000, 0]);
    assert.deepEqual(placesLeft(places, A, 4000, 2000), [0]);
    places.visited(A, 4700);
    assert.deepEqual(placesLeft(places, A, 4700, 2000), [0], 'the cursor moves within its place');
    assert.deepEqual(placesLeft(places, B, 0, 1e9), [2000, 0], 'other documents are always out of reach');
    places.visited(B, 0);
    assert.deepEqual(placesLeft(places, A, 100, 1000), [4700, 2000]);
  });

  it('stay when their document is closed, and are forgotten if it must not be kept', () => {
    const places = new RecentPlaces();
    places.visited(A, 0);
    places.visited(documentOf('c.ts'), 10);
    places.closed('file:///c.ts');
    assert.deepEqual(placesLeft(places), [10, 0]);
    places.visited(documentOf('d.ts'), 20);
    places.keep((uri) => uri === A.uri);
    places.visited(A, 3000);
    assert.deepEqual(placesLeft(places), [0], 'the current place is forgotten as well');
    places.keep(() => true);
    places.visited(B, 0);
    assert.deepEqual(placesLeft(places), [3000, 0], 'the current place is kept');
  });
});
