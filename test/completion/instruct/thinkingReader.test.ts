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

describe('ThinkingReader', () => {
  for (const [title, output, thinking, answer, opened] of [
    ['separates thinking before an answer', '<think>\n a\n\n b\n</think>\n\nYes. ', 'a\n\n b', 'Yes. '],
    ['separates thinking after white space', ' \n<think>a</think>b', 'a', 'b'],
    ['separates thinking between the tags of another family', '<|channel>thought\na<channel|>b', 'a', 'b'],
    [
      'keeps the end tag of another family in the thinking',
      '<think>a<channel|>b</think>c',
      'a<channel|>b',
      'c',
    ],
    ['separates thinking whose begin tag is in the prompt', 'a</think>\nb', 'a', 'b', THINK],
    ['counts all of an output without an end tag as thinking', '<think> a </thin', 'a </thin', ''],
    ['drops white space after thinking without an end tag', '<think>a \n', 'a', ''],
    ['returns an empty answer if only white space follows the thinking', '<think>a</think>\n', 'a', ''],
    ['drops thinking that is only white space', '<think>\n\n</think>\n\nb', '', 'b'],
    ['keeps tags within an answer in the answer', ' Write <think>a</think>', '', ' Write <think>a</think>'],
    [
      'keeps a second pair of tags in the answer',
      '<think>a</think>b<think>c</think>',
      'a',
      'b<think>c</think>',
    ],
    ['returns an incomplete begin tag as the answer', '\n<thin', '', '\n<thin'],
    ['returns a tag that is not a begin tag as the answer', '<thing>a', '', '<thing>a'],
    ['returns nothing for an empty output', '', '', ''],
  ] as const)
    it(title, () => {
      for (let size = 1; size <= Math.max(1, output.length); size++)
        assert.deepEqual(read(output, size, opened), { thinking, answer }, String(size));
    });

  it('returns the thinking and the answer as soon as they are certain', () => {
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
