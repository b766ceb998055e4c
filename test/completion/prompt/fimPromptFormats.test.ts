// Tests the published forms of fill-in-the-middle prompts, token by token, and their end tokens, each on a vocabulary
// with the special tokens of one family.
import assert from 'node:assert/strict';
import type { Tokenizer } from '../../../server/completion/decoder';
import { fimEndTokenIds, fimForm } from '../../../server/completion/prompt/fimForm';
import { fimPrompt } from '../../support/fimPrompt';
import { completionPrompt } from '../../../server/completion/prompt/prompt';
import { loadTokenizer } from '../../../server/models/text/loadTokenizer';
import { contextAt } from '../../support/cursor';
import { FIM_TOKENS } from '../../support/fimTokens';
import { FIRST_ADDED, writeVocabulary } from '../../support/vocabulary';
import { WordlessTokenizer } from '../wordlessTokenizer';

interface Family {
  readonly tokens: readonly string[];
  readonly start?: Tokenizer['textStart'];
  /** Prompt with special tokens in braces. */
  readonly prompt: string;
  /** Token before the name of another file, if the form has a place for one. */
  readonly otherFile?: string;
  /** Tokens of the family that must not end an answer. */
  readonly nonEndTokens?: readonly string[];
}

const BRACKETS = ['<fim_prefix>', '<fim_middle>', '<fim_suffix>'];
const FAMILIES: Readonly<Record<string, Family>> = {
  'the built-in pair': {
    tokens: ['<|endoftext|>', '<|im_end|>', ...FIM_TOKENS, '<|fim_pad|>', '<|repo_name|>'],
    nonEndTokens: ['<|mask|>'],
    prompt: '{<|file_sep|>}a.ts\n{<|fim_suffix|>}cd{<|fim_prefix|>}ab{<|fim_middle|>}',
  },
  'Qwen2.5-Coder and Qwen3-Coder': {
    tokens: ['<|endoftext|>', '<|im_end|>', ...FIM_TOKENS, '<|fim_pad|>', '<|repo_name|>'],
    nonEndTokens: ['<|im_start|>', '<think>'],
    prompt: '{<|file_sep|>}a.ts\n{<|fim_prefix|>}ab{<|fim_suffix|>}cd{<|fim_middle|>}',
    otherFile: '{<|file_sep|>}',
  },
  CodeGemma: {
    tokens: ['<bos>', '<eos>', '<|fim_prefix|>', '<|fim_middle|>', '<|fim_suffix|>', '<|file_separator|>'],
    nonEndTokens: ['<bos>', '<start_of_turn>'],
    start: { ids: [0x10000], space: '' },
    prompt: '{<bos>}{<|fim_prefix|>}ab{<|fim_suffix|>}cd{<|fim_middle|>}',
  },
  Mellum: {
    tokens: [
      '<|endoftext|>',
      '<filename>',
      ...BRACKETS,
      '<fim_pad>',
      '<reponame>',
      '<|im_end|>',
      '<assistant>',
      '<|im_start|>',
    ],
    nonEndTokens: ['<assistant>', '<|im_start|>', '<think>'],
    prompt: '{<filename>}a.ts\n{<fim_suffix>}cd{<fim_prefix>}ab{<fim_middle>}',
    otherFile: '{<filename>}',
  },
  'StarCoder2 and CodeQwen': {
    tokens: [...BRACKETS, '<fim_pad>', '<file_sep>', '<repo_name>', '<|endoftext|>'],
    nonEndTokens: ['<|im_start|>'],
    prompt: '{<file_sep>}a.ts\n{<fim_prefix>}ab{<fim_suffix>}cd{<fim_middle>}',
    otherFile: '{<file_sep>}',
  },
  'StarCoder and Granite Code': {
    tokens: [...BRACKETS, '<fim_pad>', '<filename>', '<reponame>', '<|endoftext|>'],
    nonEndTokens: ['<gh_stars>'],
    prompt: '{<fim_prefix>}ab{<fim_suffix>}cd{<fim_middle>}',
  },
  'Seed-Coder': {
    tokens: [
      '<[begin▁of▁sentence]>',
      '<[end▁of▁sentence]>',
      '<[fim-prefix]>',
      '<[fim-middle]>',
      '<[fim-suffix]>',
    ],
    nonEndTokens: ['<[begin▁of▁sentence]>'],
    start: { ids: [0x10000], space: '' },
    prompt: '{<[begin▁of▁sentence]>}{<[fim-suffix]>}cd{<[fim-prefix]>}ab{<[fim-middle]>}',
  },
  GLM: {
    tokens: [
      '<|endoftext|>',
      '<|user|>',
      '<|observation|>',
      '<|code_prefix|>',
      '<|code_middle|>',
      '<|code_suffix|>',
    ],
    nonEndTokens: ['<|assistant|>'],
    prompt: '{<|code_prefix|>}ab{<|code_suffix|>}cd{<|code_middle|>}',
  },
  'Code Llama': {
    tokens: ['<s>', '</s>', '▁<PRE>', '▁<SUF>', '▁<MID>', '▁<EOT>'],
    nonEndTokens: ['<s>'],
    start: { ids: [0x10000], space: ' ' },
    prompt: '{<s>}{▁<PRE>} ab{▁<SUF>}cd{▁<MID>}',
  },
  Codestral: {
    tokens: ['<s>', '</s>', '[PREFIX]', '[MIDDLE]', '[SUFFIX]'],
    nonEndTokens: ['<s>', '[INST]'],
    start: { ids: [0x10000], space: ' ' },
    prompt: '{<s>}{[SUFFIX]}cd{[PREFIX]} ab',
  },
  'DeepSeek-Coder': {
    tokens: [
      '<｜begin▁of▁sentence｜>',
      '<｜end▁of▁sentence｜>',
      '<|EOT|>',
      '<｜fim▁hole｜>',
      '<｜fim▁begin｜>',
      '<｜fim▁end｜>',
    ],
    nonEndTokens: ['<｜begin▁of▁sentence｜>'],
    start: { ids: [0x10000], space: '' },
    prompt: '{<｜begin▁of▁sentence｜>}{<｜fim▁begin｜>}ab{<｜fim▁hole｜>}cd{<｜fim▁end｜>}',
  },
};

const vocabularyOf = ({ tokens, nonEndTokens = [], start }: Family): WordlessTokenizer =>
  new WordlessTokenizer([...new Set([...tokens, ...nonEndTokens])], start);

const HOLE = { fileName: 'a.ts', prefix: 'ab', suffix: 'cd' };

describe('the form of fill-in-the-middle prompts', () => {
  for (const [name, family] of Object.entries(FAMILIES))
    it(`is the published one of ${name}, and has every token that can follow an answer as an end token`, () => {
      const vocabulary = vocabularyOf(family);
      assert.equal(vocabulary.spell(fimPrompt(HOLE, vocabulary, 99) ?? []), family.prompt);
      assert.deepEqual(
        fimEndTokenIds(vocabulary)
          .map((id) => vocabulary.spell([id]).slice(1, -1))
          .sort(),
        family.tokens.filter((token) => !family.nonEndTokens?.includes(token)).sort(),
      );
    });

  it('is undefined if the vocabulary lacks a token that the form needs', () => {
    for (const { tokens } of Object.values(FAMILIES))
      for (const missing of tokens) {
        const vocabulary = new WordlessTokenizer(tokens.filter((content) => content !== missing));
        const isNeeded = /fim_(pre|suf|mid)|fim-|PRE|SUF|MID>|fim▁|code_/.test(missing);
        // Without one of these tokens, a vocabulary with the brackets above is mistaken for StarCoder's.
        const changesForm = /filename|file_sep|assistant|im_start/.test(missing);
        if (!changesForm) assert.equal(fimForm(vocabulary) === undefined, isNeeded, missing);
        if (isNeeded) assert.deepEqual(fimEndTokenIds(vocabulary), []);
      }
  });

  it('has no space after a begin token without text before the cursor', () => {
    const vocabulary = vocabularyOf(FAMILIES['Code Llama'] ?? assert.fail());
    const ids = fimPrompt({ fileName: 'a.ts', prefix: '', suffix: 'cd' }, vocabulary, 99) ?? [];
    assert.equal(vocabulary.spell(ids), '{<s>}{▁<PRE>}{▁<SUF>}cd{▁<MID>}');
  });

  it('has a space before its first text only, with a SentencePiece tokenizer', () => {
    const added = ['<s>', '</s>', '▁<PRE>', '▁<SUF>', '▁<MID>', '▁<EOT>'];
    const folder = writeVocabulary({ kind: 'pieces', added, space: 'always', begin: '<s>' });
    const tokenizer = loadTokenizer(folder) ?? assert.fail();
    const ids = fimPrompt({ fileName: 'a.ts', prefix: 'def', suffix: 'def' }, tokenizer, 99) ?? [];
    const [begin, , pre, suf, mid] = added.map((_, i) => FIRST_ADDED + i);
    const word = tokenizer.encodeText(' def');
    assert.equal(word.length, 1);
    assert.deepEqual(ids, [begin, pre, ...word, suf, ...tokenizer.encodeText('def'), mid]);
    assert.notDeepEqual(tokenizer.encodeText('def'), word);
  });
});

describe('a completion prompt', () => {
  const context = contextAt('ab║cd');
  const parts = { context, prefix: 'ab', snippets: [{ fileName: 'b.ts', text: 'x' }], budget: 200 };
  const model = { infill: 'fim', encodeChat: () => undefined } as const;

  function prompted(family: Family, infill: 'fim' | 'prefix' = 'fim') {
    const vocabulary = vocabularyOf(family);
    const prompt = completionPrompt(parts, { ...model, infill, tokenizer: vocabulary });
    return { vocabulary, prompt: prompt ?? assert.fail() };
  }

  it('has other files as segments only if the form has a token for them', () => {
    for (const [name, family] of Object.entries(FAMILIES)) {
      const { vocabulary, prompt } = prompted(family);
      const text = vocabulary.spell(prompt.ids);
      const { otherFile = '' } = family;
      assert.equal(text.includes(`${otherFile}b.ts\nx\n${otherFile}sample.ts`), otherFile !== '', name);
      assert.equal(text.includes('// b.ts\n// x\n'), otherFile === '', name);
    }
  });

  it('is the sum of its parts, in the order of the prompt', () => {
    for (const [name, family] of Object.entries(FAMILIES))
      for (const infill of ['fim', 'prefix'] as const) {
        const { prompt } = prompted(family, infill);
        const tokens = prompt.parts.reduce((sum, part) => sum + (part.tokens ?? NaN), 0);
        assert.equal(tokens, prompt.ids.length, name);
        // Only a text at the start of a prompt gets the space: here, quoted files precede the text in the fim form.
        const space = infill === 'prefix' ? (family.start?.space.length ?? 0) : 0;
        const before = prompt.parts.find((part) => part.name === 'before');
        assert.deepEqual(before, { name: 'before', characters: 2, tokens: 2 + space });
        if (infill === 'fim' && family.otherFile !== undefined)
          assert.deepEqual(prompt.parts[0], { name: 'otherFile', file: 'b.ts', characters: 1, tokens: 8 });
      }
  });
});
