// What ends a turn of a conversation, whatever the files of a model say about it.
import assert from 'node:assert/strict';
import { completionPrompt } from '../../server/completion/prompt';
import { turnEndTokenIds } from '../../server/completion/turnEndTokenIds';
import { contextAt } from '../support/cursor';
import { WordlessTokenizer } from './wordlessTokenizer';

const FAMILIES: Readonly<Record<string, readonly string[]>> = {
  'Qwen, in ChatML': ['<|endoftext|>', '<|im_start|>', '<|im_end|>'],
  Gemma: ['<eos>', '<start_of_turn>', '<end_of_turn>'],
  'Llama 3': ['<|begin_of_text|>', '<|start_header_id|>', '<|eot_id|>', '<|eom_id|>'],
  'Mistral and Llama 2': ['<s>', '</s>', '[INST]', '[/INST]'],
};

describe('the end of a turn', () => {
  for (const [family, tokens] of Object.entries(FAMILIES))
    it(`is an end token of the family and no other control token: ${family}`, () => {
      const vocabulary = new WordlessTokenizer(tokens);
      const ends = turnEndTokenIds(vocabulary).map((id) => vocabulary.spell([id]));
      const expected = tokens.filter((token) => /end|eo|\/s/.test(token) && !token.includes('header'));
      assert.deepEqual(ends.sort(), expected.map((token) => `{${token}}`).sort());
    });

  it('ends what is asked in a conversation', () => {
    const context = contextAt('a║b');
    const vocabulary = new WordlessTokenizer(['<|im_end|>']);
    const prompt = completionPrompt(
      { context, prefix: context.prefix, snippets: [], budget: 2000 },
      {
        infill: 'chat',
        textStart: vocabulary.textStart,
        encodeText: (text) => vocabulary.encodeText(text),
        specialTokenId: (content) => vocabulary.specialTokenId(content),
        encodeChat: () => [1],
      },
    );
    assert.deepEqual(prompt?.stopTokenIds, turnEndTokenIds(vocabulary));
  });
});
