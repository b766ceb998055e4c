// Streamed text through a target that is slow, refuses, or goes away.
import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { DeltaWriter, type WriteEdge, type WriteResult } from '../../src/instruct/deltaWriter';

interface Written extends WriteEdge {
  readonly text: string;
}

function recorder(answer: (count: number) => WriteResult = () => 'written') {
  const tried: Written[] = [];
  const written: Written[] = [];
  const writer = new DeltaWriter(async (text, edge) => {
    await turn();
    tried.push({ text, ...edge });
    const result = answer(tried.length);
    if (result === 'written') written.push({ text, ...edge });
    return result;
  });
  return { writer, tried, written };
}

/** Long enough for what has been pushed to be written. */
async function turns(): Promise<void> {
  for (let i = 0; i < 5; i += 1) await turn();
}

const joined = (writes: readonly Written[]): string => writes.map(({ text }) => text).join('');

describe('DeltaWriter', () => {
  it('writes everything in order, with one stop before and one after', async () => {
    const { writer, written } = recorder();
    for (let i = 0; i < 20; i += 1) {
      writer.push(`<${i}>`);
      if (i % 3 === 0) await turns();
    }
    await writer.finish();
    assert.equal(joined(written), Array.from({ length: 20 }, (_, i) => `<${i}>`).join(''));
    assert.deepEqual(
      written.map(({ first }) => first),
      written.map((_, i) => i === 0),
    );
    assert.deepEqual(
      written.map(({ last }) => last),
      written.map((_, i) => i === written.length - 1),
    );
    assert.ok(written.length > 2);
  });

  it('has a last write even when the stream stood still before its end', async () => {
    const { writer, written } = recorder();
    writer.push('abc');
    await turns();
    assert.deepEqual(written, [{ text: 'ab', first: true, last: false }]);
    await writer.finish();
    assert.deepEqual(written.at(-1), { text: 'c', first: false, last: true });
  });

  it('never splits a character of two units', async () => {
    const { writer, written } = recorder();
    writer.push('a\u{1F600}');
    await turns();
    await writer.finish();
    assert.deepEqual(
      written.map(({ text }) => text),
      ['a', '\u{1F600}'],
    );
  });

  it('tries again when the editor refuses', async () => {
    const { writer, written } = recorder((count) => (count % 2 === 0 ? 'written' : 'refused'));
    writer.push('hello');
    await writer.finish();
    assert.equal(joined(written), 'hello');
    assert.equal(written[0]?.first, true);
  });

  it('gives up after many refusals', async () => {
    const { writer, tried } = recorder(() => 'refused');
    writer.push('hello');
    await writer.finish();
    assert.ok(tried.length <= 40);
  });

  it('keeps what is there when the target goes away', async () => {
    const { writer, tried, written } = recorder((count) => (count === 1 ? 'written' : 'gone'));
    writer.push('one ');
    await turns();
    writer.push('two ');
    await turns();
    writer.push('three');
    await writer.finish();
    assert.equal(joined(written), 'one');
    assert.equal(tried.length, 2);
  });

  it('takes nothing after the end', async () => {
    const { writer, written } = recorder();
    writer.push('abc');
    await writer.finish();
    writer.push('def');
    await writer.finish();
    assert.equal(joined(written), 'abc');
  });
});
