// Tests that the thinking at the beginning of an output is separated from the answer, wherever its pieces end.
import assert from 'node:assert/strict';
import { ThinkingReader } from '../../../server/completion/instruct/thinkingReader';

const THINK = { begin: '<think>', end: '</think>' };
const CHANNEL = { begin: '<|channel>thought', end: '<channel|>' };

/** Returns the thinking and the answer of an output that arrives in pieces of this length. */
function read(output: string, size: number, opened?: typeof THINK) {
  const reader = new ThinkingReader([THINK, CHANNEL], opened);
  let answer = '';
  for (let at = 0; at < output.length; at += size) answer += reader.push(output.slice(at, at + size));
  answer += reader.flush();
  return { thinking: reader.thinking, answer };
}

describe('thinking', () => {
  for (const [what, output, thinking, answer, opened] of [
    ['before an answer', '<think>\n a\n\n b\n</think>\n\nYes. ', 'a\n\n b', 'Yes. '],
    ['after white space', ' \n<think>a</think>b', 'a', 'b'],
    ['between other tags', '<|channel>thought\na<channel|>b', 'a', 'b'],
    ['with the end tag of others in it', '<think>a<channel|>b</think>c', 'a<channel|>b', 'c'],
    ['that the prompt begins', 'a</think>\nb', 'a', 'b', THINK],
    ['that does not end', '<think> a </thin', 'a </thin', ''],
    ['without an answer', '<think>a</think>\n', 'a', ''],
    ['of nothing', '<think>\n\n</think>\n\nb', '', 'b'],
    ['within an answer, to which it belongs', ' Write <think>a</think>', '', ' Write <think>a</think>'],
    ['again after an answer has begun', '<think>a</think>b<think>c</think>', 'a', 'b<think>c</think>'],
    ['whose tag is incomplete', '\n<thin', '', '\n<thin'],
    ['whose tag is another one', '<thing>a', '', '<thing>a'],
    ['in no output', '', '', ''],
  ] as const)
    it(`is separated: ${what}`, () => {
      for (let size = 1; size <= Math.max(1, output.length); size++)
        assert.deepEqual(read(output, size, opened), { thinking, answer }, String(size));
    });

  it('and the answer are returned as soon as they are certain', () => {
    const reader = new ThinkingReader([THINK], undefined);
    assert.equal(reader.push('<think>a b'), '');
    assert.equal(reader.thinking, 'a b');
    assert.equal(reader.push(' <'), '');
    assert.equal(reader.thinking, 'a b', 'white space and a part of the end tag are held back');
    assert.equal(reader.push('/think>\n'), '');
    assert.equal(reader.push('Yes'), 'Yes');
    assert.equal(new ThinkingReader([THINK], undefined).push('Yes'), 'Yes');
  });
});
