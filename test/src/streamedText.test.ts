// Tests streamed text with an editor that is slow, refuses, or closes the document.
import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { StreamedText } from '../../src/instruct/streamedText';
import { settled } from '../lsp/manualClock';
import { CancellationTokenSource, documents, window } from './support/fakeVscode';
import { WritableEditor } from './support/writableEditor';

describe('streamed text', () => {
  let editor: WritableEditor;
  let source: CancellationTokenSource;
  let streamed: StreamedText;

  beforeEach(() => {
    editor = new WritableEditor('()');
    window.visibleTextEditors = [editor];
    source = new CancellationTokenSource();
    streamed = new StreamedText(editor.document as never, { start: 1, end: 1 }, source as never);
  });
  afterEach(() => {
    streamed.dispose();
    window.visibleTextEditors = [];
  });

  /** Pushes text and waits until it is written. */
  async function push(text: string): Promise<void> {
    streamed.push(text);
    await settled();
  }

  it('is written in order as one undo step, and ignores more after its end', async () => {
    for (let i = 0; i < 20; i += 1)
      if (i % 3 === 0) await push(`<${i}>`);
      else streamed.push(`<${i}>`);
    await streamed.finish();
    await push('more');
    await streamed.finish();
    assert.equal(editor.text, `(${Array.from({ length: 20 }, (_, i) => `<${i}>`).join('')})`);
    assert.deepEqual(
      editor.stops,
      editor.stops.map((_, i) => [i === 0, i === editor.stops.length - 1]),
    );
    assert.ok(editor.stops.length > 2);
  });

  it('marks the last write, even when the stream paused before its end, and splits no character', async () => {
    await push('ab\u{1F600}');
    assert.equal(editor.text, '(ab)');
    assert.equal(streamed.length, 4);
    await streamed.finish();
    assert.equal(editor.text, '(ab\u{1F600})');
    assert.deepEqual(editor.stops, [
      [true, false],
      [false, true],
    ]);
  });

  it('is written again when the editor refuses', async () => {
    editor.accepts = (tries) => tries % 2 === 0;
    streamed.push('hello');
    await streamed.finish();
    assert.equal(editor.text, '(hello)');
    assert.deepEqual(editor.stops[0]?.[0], true);
  });

  it('tries each write up to twenty times, then drops the rest', async () => {
    editor.accepts = (tries) => {
      // The text goes on while a write is running.
      if (tries === 20) streamed.push('two ');
      if (tries === 40) streamed.push('three');
      return tries <= 60 && tries % 20 === 0;
    };
    streamed.push('one ');
    while (editor.text !== '(one two thre)') await turn();
    await streamed.finish();
    assert.equal(editor.text, '(one two thre)');
    assert.equal(editor.tries, 80);
    await push('four');
    assert.deepEqual([editor.tries, streamed.length], [80, 'one two thre'.length]);
  });

  it('ends when its document is closed', async () => {
    await push('one ');
    documents.closed.fire(Object.assign(editor.document, { isClosed: true }));
    assert.ok(source.token.isCancellationRequested);
    await push('two ');
    await streamed.finish();
    assert.deepEqual([editor.text, editor.tries], ['(one)', 1]);
  });
});
