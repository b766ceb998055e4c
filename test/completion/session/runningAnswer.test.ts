// Tests which requests a running answer also serves, and after which edits it goes on.
import assert from 'node:assert/strict';
import { completionContext } from '../../../server/completion/prompt/context';
import { RunningAnswer } from '../../../server/completion/session/runningAnswer';
import { markedDocument } from '../../support/cursor';

const DOCUMENT = { uri: 'file:///a.ts', fileName: 'a.ts', languageId: 'typescript' };
type Trigger = 'automatic' | 'explicit';

/** Returns a document with a cursor; if ⟦ ⟧ encloses the text before it, `entry` would replace that text. */
function placeAt(marked: string, entry?: string, uri = DOCUMENT.uri) {
  const { text, offset, inserted } = markedDocument(marked);
  const document = { ...DOCUMENT, uri, text: text.slice(0, offset) + inserted + text.slice(offset) };
  const cursor = offset + inserted.length;
  const selected = entry === undefined ? undefined : { start: offset, end: cursor, text: entry };
  return { document, context: completionContext(document, cursor, { selected }) };
}

/** Returns an answer whose output so far is `output`. */
function answering(marked: string, output: string, trigger: Trigger = 'automatic', entry?: string) {
  const { document, context } = placeAt(marked, entry);
  const answer = new RunningAnswer(document, context, trigger);
  answer.onOutput(output);
  return answer;
}

describe('a running answer', () => {
  const SERVED: readonly (readonly [
    why: string,
    isServed: boolean,
    first: string,
    output: string,
    later: string,
    entry?: string,
  ])[] = [
    ['at the same cursor', true, 'a = ║;\n', 'bc', 'a = ║;\n'],
    ['after the beginning of the output', true, 'a = ║;\n', 'bc', 'a = b║;\n'],
    ['after the whole output', true, 'a = ║;\n', 'bc', 'a = bc║;\n'],
    ['after more than the output', false, 'a = ║;\n', 'bc', 'a = bcd║;\n'],
    ['after another key', false, 'a = ║;\n', 'bc', 'a = c║;\n'],
    ['at a cursor that has moved', false, 'a = ║;\n', 'bc', 'a =║ ;\n'],
    ['after an edit above', false, 'a = ║;\n', 'bc', 'b = ║;\n'],
    ['after an edit below', false, 'a = ║;\n', 'bc', 'a = ║,\n'],
    ['beside a closer of the editor', true, 'f║\n', '(b', 'f(║)\n'],
    ['beside a tag that the editor has closed', true, '<a║\n', '>b', '<a>║</a>\n'],
    ['beside five closers', false, 'f║\n', '(b', 'f(║)))))\n'],
    ['over lines that end as on Windows', true, 'a║\r\n', '\nb', 'a\r\n║\r\n'],
    ['for an entry that the output begins with', true, 'a.║\n', 'size + 1', 'a.⟦⟧\n', 'size'],
    ['for an entry that the output lengthens', false, 'a.║\n', 'sizes + 1', 'a.⟦⟧\n', 'size'],
    ['for another entry', false, 'a.║\n', 'size + 1', 'a.⟦⟧\n', 'length'],
    ['for an entry whose beginning was typed', true, 'a.║\n', 'size + 1', 'a.⟦si⟧\n', 'size'],
  ];
  for (const [why, isServed, first, output, later, entry] of SERVED)
    it(`${isServed ? 'serves' : 'does not serve'} a request ${why}`, () => {
      const { document, context } = placeAt(later, entry);
      assert.equal(answering(first, output).canServe(document, context, 'automatic'), isServed);
    });

  it('to a request with a selected entry serves requests with that entry or after its text was typed', () => {
    for (const [later, entry, isServed] of [
      ['a.⟦si⟧\n', 'size', true],
      ['a.⟦si⟧\n', 'sigh', false],
      ['a.size║\n', undefined, true],
      ['a.size ║\n', undefined, true],
      ['a.si║\n', undefined, false],
    ] as const) {
      const { document, context } = placeAt(later, entry);
      const answer = answering('a.⟦s⟧\n', ' + 1', 'automatic', 'size');
      assert.equal(answer.canServe(document, context, 'automatic'), isServed, later);
    }
  });

  it('serves automatic requests, and explicit ones if it is explicit itself', () => {
    const { document, context } = placeAt('a = b║;\n');
    for (const [answered, requested, isServed] of [
      ['automatic', 'automatic', true],
      ['automatic', 'explicit', false],
      ['explicit', 'automatic', true],
      ['explicit', 'explicit', true],
    ] as const)
      assert.equal(answering('a = ║;\n', 'bc', answered).canServe(document, context, requested), isServed);
  });

  it('serves no request in another document, or after it has ended or was stopped', () => {
    const here = placeAt('a = b║;\n');
    const elsewhere = placeAt('a = b║;\n', undefined, 'file:///b.ts');
    const answer = () => answering('a = ║;\n', 'bc');
    assert.equal(answer().canServe(elsewhere.document, elsewhere.context, 'automatic'), false);
    const [ended, stopped] = [answer(), answer()];
    ended.end();
    stopped.stop('cancelled');
    assert.deepEqual([ended.isStopped, stopped.isStopped], [false, true]);
    for (const finished of [ended, stopped])
      assert.equal(finished.canServe(here.document, here.context, 'automatic'), false);
  });

  it('goes on after edits that only type its beginning', () => {
    for (const [first, output, later, isTyped, entry] of [
      ['a = ║;\n', 'bc', 'a = ;\n', true],
      ['a = ║;\n', 'bc', 'a = b;\n', true],
      ['a = ║;\n', 'bc', 'a = c;\n', false],
      ['a = ║;\n', 'bc', 'a = bd;\n', false],
      ['a = ║;\n', 'bc', 'a = b,\n', false],
      ['a = ║;\n', 'bc', 'b = b;\n', false],
      ['a = ║;\n', 'b', 'a = );\n', false],
      ['f║\n', '(b', 'f()\n', true],
      ['f║\n', '(b', 'f(b)\n', true],
      ['f║\n', '(b', 'f(c)\n', false],
      ['a║\r\n', '\nb', 'a\r\n\r\n', true],
      ['a.⟦s⟧\n', ' + 1', 'a.si\n', true, 'size'],
      ['a.⟦s⟧\n', ' + 1', 'a.size +\n', true, 'size'],
      ['a.⟦s⟧\n', ' + 1', 'a.so\n', false, 'size'],
    ] as const) {
      const answer = answering(first, output, 'automatic', entry);
      assert.equal(answer.isTypedIn({ ...DOCUMENT, text: later }), isTyped, later);
      assert.equal(answer.isTypedIn({ ...DOCUMENT, uri: 'file:///b.ts', text: later }), false);
    }
  });

  it('passes nothing on before a certain part continues the typed text', async () => {
    const { document, context } = placeAt('a = ║;\n');
    const answer = new RunningAnswer(document, context, 'automatic');
    const passed = answer.passPartsOn(
      placeAt('a = b║;\n').context,
      new AbortController().signal,
      assert.fail,
    );
    answer.onCertain(['c']);
    answer.end();
    await passed;
  });

  it('passes its certain part on, now and as it grows, until it ends or the request is cancelled', async () => {
    const { document, context } = placeAt('a = ║;\n');
    const answer = new RunningAnswer(document, context, 'automatic');
    answer.onCertain(['bc'], 0.5);
    const later = placeAt('a = b║;\n').context;
    const received: unknown[] = [];
    const controller = new AbortController();
    const passed = answer.passPartsOn(later, controller.signal, (texts, probability) => {
      received.push([texts, probability]);
    });
    answer.onCertain(['bcd', 'be']);
    controller.abort();
    await passed;
    answer.onCertain(['bcde']);
    assert.deepEqual(received, [
      [['c'], 0.5],
      [['cd', 'e'], undefined],
    ]);
    const untilEnd = answer.passPartsOn(later, new AbortController().signal, () => undefined);
    answer.end();
    await untilEnd;
    // An answer that has ended passes its last part on.
    const late: (readonly string[])[] = [];
    await answer.passPartsOn(later, new AbortController().signal, (texts) => void late.push(texts));
    assert.deepEqual(late, [['cde']]);
  });
});
