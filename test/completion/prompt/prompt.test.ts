// Tests prompts by kind of model (fill-in-the-middle, chat with a begun answer, plain text) and their use of the
// budget.
import assert from 'node:assert/strict';
import { completionPrompt } from '../../../server/completion/prompt/prompt';
import { turnEndTokenIds } from '../../../server/completion/prompt/specialTokens';
import type { Snippet } from '../../../server/completion/prompt/snippets';
import { contextAt } from '../../support/cursor';
import { FIM_TOKENS } from '../../support/fimTokens';
import { FakeDecoder, type FakeOptions } from '../fakeDecoder';
import { WordlessTokenizer } from '../wordlessTokenizer';

interface PromptOptions extends FakeOptions {
  readonly snippets?: readonly Snippet[];
  readonly budget?: number;
}

function promptFor(document: string, options: PromptOptions = {}) {
  const decoder = new FakeDecoder([], options);
  const context = contextAt(document);
  const { snippets = [], budget = 1000 } = options;
  const prompt = completionPrompt({ context, prefix: context.prefix, snippets, budget }, decoder);
  return prompt && { ...prompt, text: decoder.tokenizer.decode(prompt.ids) };
}

describe('completionPrompt', () => {
  it('puts the text after the cursor where the model expects it', () => {
    assert.deepEqual(
      promptFor('a(║);\n')?.text,
      '<|file_sep|>sample.ts\n<|fim_prefix|>a(<|fim_suffix|>);\n<|fim_middle|>',
    );
  });

  it('quotes snippets in comments if the model has no token between files', () => {
    const snippets = [
      { fileName: 'b.ts', text: 'b();' },
      { fileName: 'c.ts', text: 'c();\nd();' },
    ];
    const quoted = '// b.ts\n// b();\n\n// c.ts\n// c();\n// d();\n\n';
    const psm = promptFor('a(║);\n', { snippets, fimTokens: FIM_TOKENS.slice(1) })?.text;
    assert.equal(psm, `<|fim_prefix|>${quoted}a(<|fim_suffix|>);\n<|fim_middle|>`);
    const spm = promptFor('a(║);\n', { snippets, fimTokens: [...FIM_TOKENS, '<|mask|>'] })?.text;
    assert.equal(spm, `<|file_sep|>sample.ts\n<|fim_suffix|>);\n<|fim_prefix|>${quoted}a(<|fim_middle|>`);
  });

  it('keeps to the budget, and drops snippets that would take the room of the text near the cursor', () => {
    const snippets = [{ fileName: 'b.ts', text: 'b();\n'.repeat(100) }];
    const long = 'const value = compute(a, b);\n'.repeat(2000);
    for (const budget of [50, 200, 1000]) {
      const { ids, text } = promptFor(`${long}here(║);\n${long}`, { budget, snippets }) ?? assert.fail();
      assert.ok(ids.length <= budget && ids.length > budget / 2);
      assert.match(text, /here\(<\|fim_suffix\|>\);\n/);
    }
    assert.doesNotMatch(promptFor('a(║);\n', { budget: 100, snippets })?.text ?? '', /b\.ts/);
    const short = [{ fileName: 'b.ts', text: 'b(value);\n'.repeat(5) }];
    for (const fimTokens of [FIM_TOKENS, [...FIM_TOKENS, '<|mask|>']]) {
      const options = { budget: 200, snippets: short, fimTokens };
      const { ids, text } = promptFor(`${long}here(║);\n${long}`, options) ?? assert.fail();
      assert.match(text, /b\.ts\n.*here\(/s);
      assert.ok(ids.length <= 200, String(ids.length));
    }
  });

  it('begins at the start of a line unless the line is very long, and names only parts that have tokens', () => {
    const lines = 'const value = compute(a, b);\n'.repeat(200);
    const start = (document: string) =>
      /fim_prefix\|>(.{5})/s.exec(promptFor(`${document}║`, { budget: 200 })?.text ?? '')?.[1];
    assert.equal(start(`${lines}here(`), 'const');
    assert.equal(start(`${lines}${'1 + '.repeat(40)}`), 'const');
    assert.match(start(`${lines}${'1 + '.repeat(400)}`) ?? '', /^[1 +]{5}$/);
    assert.match(start('1 + '.repeat(400)) ?? '', /^[1 +]{5}$/);
    assert.deepEqual(
      promptFor('a(║')?.parts.map(({ name }) => name),
      ['fileName', 'before', 'format'],
    );
  });

  it('sends a chat and begins the answer with the line of the cursor', () => {
    const prompt = promptFor('f();\n  a(║);\n', { infill: 'chat', hasChat: true });
    assert.match(prompt?.text ?? '', /\[system\].*\[user\]sample\.ts.*f\(\);\n {2}a\(<CURSOR>\);\n/s);
    assert.ok(prompt?.text.endsWith('```typescript\n  a('));
    assert.deepEqual(prompt?.stopStrings, ['```', '<CURSOR>']);
  });

  it('sends no chat that is longer than the budget', () => {
    const chat = { infill: 'chat', hasChat: true } as const;
    const { length } = promptFor('a(║);\n', chat)?.ids ?? [];
    assert.match(promptFor('a(║);\n', { ...chat, budget: length })?.text ?? '', /CURSOR/);
    assert.equal(promptFor('a(║);\n', { ...chat, budget: length - 1 })?.text, 'a(');
  });

  it('counts the characters of each part of a chat, and not the tokens', () => {
    const snippets = [{ fileName: 'lib/b.ts', text: 'b();' }];
    const { parts, text } =
      promptFor('a(║);\n', { infill: 'chat', hasChat: true, snippets }) ?? assert.fail();
    const roles = '[system][user]'.length;
    const rest = text.length - roles - 'b();a();\n'.length;
    assert.deepEqual(parts, [
      { name: 'otherFile', file: 'b.ts', characters: 4, tokens: null },
      { name: 'before', characters: 2, tokens: null },
      { name: 'after', characters: 3, tokens: null },
      { name: 'instruction', characters: rest, tokens: null },
    ]);
  });

  it('uses a marker and a fence that the text does not contain', () => {
    const prompt = promptFor('"<CURSOR>" + `${a}```` + ║;\n', { infill: 'chat', hasChat: true });
    assert.deepEqual(prompt?.stopStrings, ['`````', '<CURSOR_1>']);
  });

  it('uses a marker, and a fence around a snippet, that the snippet does not contain', () => {
    const snippets = [{ fileName: 'a.md', text: '```\n<CURSOR>\n```' }];
    const { text, stopStrings } =
      promptFor('a(║);\n', { infill: 'chat', hasChat: true, snippets }) ?? assert.fail();
    assert.ok(text.includes('a.md:\n````\n```\n<CURSOR>\n```\n````\n\n'));
    assert.deepEqual(stopStrings, ['```', '<CURSOR_1>']);
  });

  it('continues the plain text if the model has no fill-in-the-middle form and no chat template', () => {
    assert.equal(promptFor('a(║);\n', { infill: 'prefix' })?.text, 'a(');
    assert.equal(promptFor('a(║);\n', { infill: 'chat' })?.text, 'a(');
    assert.equal(promptFor('a(║);\n', { fimTokens: [] })?.text, 'a(');
    assert.equal(promptFor('║', { infill: 'prefix' }), undefined);
  });

  it('begins plain text as the vocabulary demands, and keeps its end within the budget', () => {
    const tokenizer = new WordlessTokenizer([], { ids: [7], space: ' ' });
    const context = contextAt('abcd║');
    const model = { infill: 'prefix', tokenizer, encodeChat: () => undefined } as const;
    const promptIn = (budget: number) =>
      completionPrompt({ context, prefix: context.prefix, snippets: [], budget }, model);
    for (const [budget, text, characters] of [
      [6, ' abcd', 4],
      [5, 'abcd', 4],
      [3, 'cd', 2],
    ] as const)
      assert.deepEqual(promptIn(budget), {
        ids: [7, ...tokenizer.encodeText(text)],
        parts: [
          { name: 'before', characters, tokens: text.length },
          { name: 'format', characters: 0, tokens: 1 },
        ],
        stopStrings: [],
        stopTokenIds: [],
      });
  });
});

describe('the end tokens of a chat turn', () => {
  for (const [family, ends, nonEndTokens] of [
    ['Qwen, in ChatML', ['<|endoftext|>', '<|im_end|>'], ['<|im_start|>']],
    ['Gemma', ['<eos>', '<end_of_turn>'], ['<start_of_turn>']],
    ['Gemma 4', ['<eos>', '<turn|>'], ['<|turn>', '<|channel>', '<channel|>']],
    ['Llama 3', ['<|eot_id|>', '<|eom_id|>'], ['<|begin_of_text|>', '<|start_header_id|>']],
    ['Mistral and Llama 2', ['</s>'], ['<s>', '[INST]', '[/INST]']],
  ] as const)
    it(`are those of the family and no other control tokens: ${family}`, () => {
      const vocabulary = new WordlessTokenizer([...nonEndTokens, ...ends]);
      const found = turnEndTokenIds(vocabulary).map((id) => vocabulary.spell([id]));
      assert.deepEqual(found.sort(), ends.map((token) => `{${token}}`).sort());
    });

  // None of these vocabularies has fill-in-the-middle tokens, so these models get a chat.
  for (const tokens of [['<|im_end|>'], ['<|turn>', '<turn|>', '<|channel>', '<channel|>', '<eos>']])
    it(`end the answer to a chat: ${tokens.join(', ')}`, () => {
      const context = contextAt('a║b');
      const vocabulary = new WordlessTokenizer(tokens);
      const prompt = completionPrompt(
        { context, prefix: context.prefix, snippets: [], budget: 2000 },
        { infill: 'fim', tokenizer: vocabulary, encodeChat: () => [1] },
      );
      assert.deepEqual(prompt?.stopTokenIds, turnEndTokenIds(vocabulary));
      assert.ok(prompt.stopTokenIds.length > 0);
      assert.equal(prompt.ids[0], 1);
    });
});
