// Tests the tags of a model's thinking: those in its chat template, and those that a prompt has opened.
import assert from 'node:assert/strict';
import { openedTags, thinkingTags } from '../../../server/models/text/thinkingTags';

const tags = (name: string) => ({ begin: `<${name}>`, end: `</${name}>` });
const BRACKETS = { begin: '[THINK]', end: '[/THINK]' };
const CHANNEL = { begin: '<|channel>thought', end: '<channel|>' };

describe('thinking tags', () => {
  for (const [source, expected] of [
    ["{{ content.split('</think>')[-1] }}", [tags('think')]],
    ['</thinking> </think> </think>', [tags('thinking'), tags('think')]],
    ['</seed:think>', [tags('seed:think')]],
    ['<think> </thinks> </rethink >', []],
    ['[THINK]a[/THINK]', [BRACKETS]],
    ['[THINK]', []],
    ["{{ text.split('<channel|>') }}", [CHANNEL]],
    ['<|channel>thought', []],
    ['<channel|>[/THINK]</think>', [tags('think'), BRACKETS, CHANNEL]],
  ] as const)
    it(`finds a pair of tags for each kind of end tag in a chat template: ${source}`, () =>
      assert.deepEqual(thinkingTags(source), expected));

  it('finds the tags that a prompt opens at its end, despite white space after the begin tag', () => {
    const all = [tags('think'), BRACKETS];
    assert.deepEqual(openedTags(all, 'assistant\n<think>\n'), tags('think'));
    assert.deepEqual(openedTags(all, 'x[THINK]'), BRACKETS);
    for (const prompt of ['<think>\n\n</think>\n\n', '<think> so', 'think>', ''])
      assert.equal(openedTags(all, prompt), undefined, prompt);
  });
});
