// Traces: what they type is what they say, whatever is accepted of the suggestions on the way.
import assert from 'node:assert/strict';
import { sources, type SourceText } from '../../../../bench/replay/sources';
import { newTrace, type Trace, type TraceEvent } from '../../../../bench/replay/trace';
import { seededRandom } from '../../../support/seededRandom';
import { playOnPaper } from './playOnPaper';

const FILES: readonly SourceText[] = [
  ...sources([]),
  { fileName: 'one.txt', languageId: 'plaintext', text: 'a 🦉 line\n' },
  {
    fileName: 'tabs.go',
    languageId: 'go',
    text: 'package a\n\nfunc f() {\n\tif b {\n\n\t\tc()\n\t}\n      odd()\n}\n\nvar d = 1\nvar e = 2\nvar g = 3\n',
  },
];
const LONG = { seed: 3, keys: 6000, generate: 'sometimes' } as const;

function opened(trace: Trace, texts: readonly (string | undefined)[]): void {
  for (const [i, text] of texts.entries())
    if (text !== undefined) assert.equal(text, trace.documents[i]?.end, `document ${String(i)}`);
}

describe('a typing trace', () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    it(`types exactly what it says when nothing is accepted (seed ${String(seed)})`, () => {
      const trace = newTrace(FILES, { ...LONG, seed });
      opened(trace, playOnPaper(trace));
    });

    it(`types the same when parts of it are accepted on the way (seed ${String(seed)})`, () => {
      const trace = newTrace(FILES, { ...LONG, seed });
      const random = seededRandom(seed);
      let accepted = 0;
      const texts = playOnPaper(trace, (_, toCome) => {
        const count = Math.floor(random() * Math.min(toCome.length, 80));
        accepted += count;
        return count;
      });
      assert.ok(accepted > 100);
      opened(trace, texts);
    });
  }

  it('fills each file completely before it opens it again', () => {
    const trace = newTrace(FILES, LONG);
    const complete = trace.documents.slice(0, FILES.length);
    assert.deepEqual(
      complete.map(({ end }) => end),
      FILES.map(({ text }) => text),
    );
    for (const { start, end } of complete) assert.ok(start.length < end.length);
    assert.ok(trace.documents.length > FILES.length, 'there is a second round');
    const open = new Set<number>();
    for (const event of trace.events) {
      if (event.kind === 'close') assert.ok(open.delete(event.document));
      if (event.kind !== 'open') continue;
      open.add(event.document);
      const names = [...open].map((i) => trace.documents[i]?.fileName);
      assert.equal(new Set(names).size, names.length, 'one document of a name at a time');
    }
  });

  it('has every kind of event, and comes back to a file', () => {
    const { events } = newTrace(FILES, LONG);
    const kinds = new Set(events.map(({ kind }) => kind));
    const all: TraceEvent['kind'][] = ['key', 'newline', 'slip', 'backspace', 'deleteLine', 'undo', 'look'];
    all.push('open', 'close', 'passage', 'generate');
    assert.deepEqual([...kinds].sort(), all.sort());
    const visits = events.flatMap((event) => (event.kind === 'passage' ? [event.document] : []));
    const switches = visits.filter((document, i) => i > 0 && document !== visits[i - 1]);
    assert.ok(switches.length > new Set(visits).size, 'some document is visited twice');
  });

  it('asks for generated code only when it is told to', () => {
    const { events } = newTrace(FILES, { ...LONG, generate: 'never' });
    assert.ok(events.every(({ kind }) => kind !== 'generate'));
  });

  it('depends on its seed alone', () => {
    const options = { seed: 7, keys: 500, generate: 'never' } as const;
    assert.deepEqual(newTrace(FILES, options), newTrace(FILES, options));
    assert.notDeepEqual(newTrace(FILES, options).events, newTrace(FILES, { ...options, seed: 8 }).events);
  });

  it('ends after the keys that were asked for', () => {
    for (const keys of [1, 2, 37, 400]) {
      const trace = newTrace(FILES, { ...LONG, keys });
      const typing = trace.events.filter(({ kind }) => ['key', 'newline', 'slip'].includes(kind));
      assert.equal(trace.keys, typing.length);
      // A slip is typed to its end.
      assert.ok(trace.keys >= keys && trace.keys <= keys + 3, `${String(trace.keys)} of ${String(keys)}`);
      opened(trace, playOnPaper(trace));
    }
  });

  it('pauses like a person: mostly short, at times long', () => {
    const { events } = newTrace(FILES, LONG);
    const pauses = events.filter(({ kind }) => kind === 'key').map(({ pauseMs }) => pauseMs);
    const median = [...pauses].sort((a, b) => a - b)[pauses.length >> 1] ?? 0;
    assert.ok(median > 110 && median < 250, String(median));
    assert.ok(pauses.some((pause) => pause > 1000) && Math.max(...pauses) <= 2000);
    assert.ok(Math.min(...pauses) > 0);
  });
});
