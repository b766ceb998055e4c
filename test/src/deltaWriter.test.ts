// Tests streamed text with an editor that is slow, refuses, or closes the document.
import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { DeltaWriter, type WriteEdge, type WriteResult } from '../../src/instruct/deltaWriter';

interface Written extends WriteEdge {
  readonly text: string;
}

function recorder(answer: (count: number) => WriteResult = () => 'written') {
  let tries = 0;
  const written: Written[] = [];
  const writer = new DeltaWriter(async (text, edge) => {
    await turn();
    tries += 1;
    const result = answer(tries);
    if (result === 'written') written.push({ text, ...edge });
    return result;
  });
  /** Pushes text and waits until it is written. */
  const push = async (text: string): Promise<void> => {
    writer.push(text);
    for (let i = 0; i < 5; i += 1) await turn();
  };
  return { writer, push, written, text: () => written.map(({ text }) => text).join(''), tries: () => tries };
}

describe('DeltaWriter', () => {
  it('writes all text in order as one undo step, and nothing after its end', async () => {
    const { writer, push, written, text } = recorder();
    for (let i = 0; i < 20; i += 1)
      if (i % 3 === 0) await push(`<${i}>`);
      else writer.push(`<${i}>`);
    await writer.finish();
    await push('more');
    await writer.finish();
    assert.equal(text(), Array.from({ length: 20 }, (_, i) => `<${i}>`).join(''));
    const edges = written.map(({ isFirst, isLast }) => [isFirst, isLast]);
    assert.deepEqual(
      edges,
      edges.map((_, i) => [i === 0, i === edges.length - 1]),
    );
    assert.ok(edges.length > 2);
  });

  it('marks the last write, even when the stream paused before its end, and splits no character', async () => {
    const { writer, push, written } = recorder();
    await push('ab\u{1F600}');
    assert.deepEqual(written, [{ text: 'ab', isFirst: true, isLast: false }]);
    await writer.finish();
    assert.deepEqual(written.at(-1), { text: '\u{1F600}', isFirst: false, isLast: true });
  });

  it('retries when the editor refuses, but not forever', async () => {
    const patient = recorder((count) => (count % 2 === 0 ? 'written' : 'refused'));
    const hopeless = recorder(() => 'refused');
    for (const { writer } of [patient, hopeless]) {
      writer.push('hello');
      await writer.finish();
    }
    assert.equal(patient.text(), 'hello');
    assert.equal(patient.written[0]?.isFirst, true);
    assert.ok(hopeless.tries() <= 40);
  });

  it('tries each write up to twenty times', async () => {
    let onTry: (count: number) => void = () => undefined;
    const { writer, text } = recorder((count) => {
      onTry(count);
      return count % 20 === 0 ? 'written' : 'refused';
    });
    // The text goes on while a write is running.
    onTry = (count) => {
      if (count === 20) writer.push('two ');
      if (count === 40) writer.push('three');
    };
    writer.push('one ');
    while (text() !== 'one two thre') await turn();
    await writer.finish();
    assert.equal(text(), 'one two three');
    const refused = recorder(() => 'refused');
    refused.writer.push('hello');
    await refused.writer.finish();
    assert.equal(refused.tries(), 20);
  });

  it('stops writing when its document is closed', async () => {
    const { writer, push, text, tries } = recorder((count) => (count === 1 ? 'written' : 'gone'));
    for (const word of ['one ', 'two ', 'three']) await push(word);
    await writer.finish();
    assert.equal(text(), 'one');
    assert.equal(tries(), 2);
  });
});
