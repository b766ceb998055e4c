// Tests how a model is prompted to fill a hole: by its vocabulary, its name, and whether it follows instructions.
import assert from 'node:assert/strict';
import { fimForm, infillOf } from '../../../server/completion/prompt/fimForm';
import { knownPairs } from '../../../server/hub/knownPairs';
import { loadTokenizer } from '../../../server/models/text/loadTokenizer';
import { PAIR_TARGET } from '../../support/fixtures';
import { FIM_TOKENS } from '../../support/fimTokens';
import { WordlessTokenizer } from '../wordlessTokenizer';

const QWEN = ['<|endoftext|>', '<|im_end|>', ...FIM_TOKENS, '<|fim_pad|>', '<|repo_name|>'];
const GRANITE = ['<fim_prefix>', '<fim_middle>', '<fim_suffix>', '<fim_pad>', '<|endoftext|>'];
const MELLUM = [...GRANITE, '<filename>', '<reponame>', '<assistant>', '<|im_start|>', '<|im_end|>'];
const TEKKEN = ['<s>', '</s>', '[INST]', '[PREFIX]', '[MIDDLE]', '[SUFFIX]'];
const LLAMA = ['<|begin_of_text|>', '<|end_of_text|>', '<|eot_id|>'];

function formOf(name: string, tokens: readonly string[], { isBase = false, hasChatTemplate = true } = {}) {
  const tokenizer = new WordlessTokenizer(tokens);
  return infillOf({ name, isBase, tokenizer, hasChatTemplate });
}

describe('the way in which a model fills a hole', () => {
  // Published repositories: special tokens of their tokenizer.json, and the way that their makers document.
  for (const [name, tokens, expected, facts] of [
    ['mlx-community/Qwen2.5-Coder-7B-Instruct-4bit', QWEN, 'fim', {}],
    ['Qwen/Qwen3-4B', QWEN, 'chat', {}],
    ['Qwen/Qwen3-4B-Base', QWEN, 'fim', { isBase: true }],
    ['ibm-granite/granite-3b-code-base', GRANITE, 'fim', { isBase: true, hasChatTemplate: false }],
    ['JetBrains/Mellum2-12B-A2.5B-Instruct', MELLUM, 'fim', {}],
    ['mistralai/Codestral-22B-v0.1', TEKKEN, 'fim', {}],
    ['mistralai/Mistral-Nemo-Instruct-2407', TEKKEN, 'chat', {}],
    ['mistralai/Mistral-Nemo-Base-2407', TEKKEN, 'prefix', { isBase: true, hasChatTemplate: false }],
    ['meta-llama/Llama-3.1-8B-Instruct', LLAMA, 'chat', {}],
    ['meta-llama/Llama-3.1-8B', LLAMA, 'prefix', { isBase: true, hasChatTemplate: false }],
    // Exporters add templates to base models too.
    ['a-base-model', LLAMA, 'prefix', { isBase: true }],
    ['Qwen/Qwen3-Coding-4B', QWEN, 'fim', {}],
    ['a-fine-tune', QWEN, 'fim', {}],
    ['a-fine-tune', TEKKEN, 'fim', {}],
    ['mistralai/Mixtral-8x7B', TEKKEN, 'chat', {}],
    ['mistralai/Pixtral-12B', TEKKEN, 'chat', {}],
    ['mistralai/Magistral-Small', TEKKEN, 'chat', {}],
    ['mlx-community/Ministral-3-8B-Instruct-2512-4bit', TEKKEN, 'chat', {}],
    ['mistralai/Devstral-Small', TEKKEN, 'fim', {}],
  ] as const)
    it(`is ${expected} for ${name}`, () => {
      assert.equal(formOf(name, tokens, facts), expected);
    });

  it('is fim for the built-in model, which has no token for other files', () => {
    const tokenizer = loadTokenizer(PAIR_TARGET) ?? assert.fail();
    const infill = infillOf({ name: 'embedded', isBase: true, tokenizer, hasChatTemplate: false });
    assert.equal(infill, 'fim');
    assert.deepEqual(fimForm(tokenizer)?.marks, ['<|mask|>']);
    assert.equal(fimForm(tokenizer)?.otherFile, undefined);
  });

  it('equals `infill` of each known pair with Qwen’s tokens', () => {
    for (const { target, infill, isBase, modelType } of knownPairs)
      if (modelType.startsWith('qwen'))
        assert.equal(formOf(target.repository, QWEN, { isBase }), infill, target.repository);
  });
});
