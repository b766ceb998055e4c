// Tests which models are base models. Exporters give base models the chat template of their instruct versions.
import assert from 'node:assert/strict';
import { isBaseModel } from '../../server/hosting/isBaseModel';
import type { LoadedEngine } from '../../server/hosting/model';

interface Model {
  readonly target?: string;
  /** Special tokens; their ids are their indices. */
  readonly tokens: readonly string[];
  /** Tokens at which the model ends its output. */
  readonly ends: readonly string[];
  readonly hasTemplate?: boolean;
  readonly isRemote?: boolean;
}

function model({ target = 'x', tokens, ends, hasTemplate = true, isRemote = false }: Model) {
  const specialTokenId = (content: string): number | undefined =>
    tokens.includes(content) ? tokens.indexOf(content) : undefined;
  const engine = {
    hasChatTemplate: hasTemplate,
    tokenizer: { specialTokenId },
    config: { eosTokenIds: ends.map(specialTokenId) },
    remote: isRemote ? { host: 'localhost' } : undefined,
  };
  return { target, engine } as unknown as Pick<LoadedEngine, 'engine' | 'target'>;
}

const QWEN = ['<|endoftext|>', '<|im_start|>', '<|im_end|>'];
const BASE = { tokens: QWEN, ends: ['<|endoftext|>'] };

describe('isBaseModel', () => {
  for (const [title, candidate, expected] of [
    ['detects a model that ends texts but no turns, although it has a template', BASE, true],
    ['detects a model without a template', { ...BASE, ends: ['<|im_end|>'], hasTemplate: false }, true],
    ['excludes a model that ends turns', { ...BASE, ends: ['<|im_end|>'] }, false],
    [
      'excludes a model that ends both texts and turns',
      { ...BASE, ends: ['<|endoftext|>', '<|im_end|>'] },
      false,
    ],
    [
      'excludes a model whose name says Instruct',
      { ...BASE, target: 'Qwen/Qwen2.5-Coder-7B-Instruct' },
      false,
    ],
    ['excludes instruction models of Gemma', { ...BASE, target: 'google/gemma-3-4b-it' }, false],
    ['detects a base model whose name only resembles -it', { ...BASE, target: 'unit-7B' }, true],
    ['detects a base model whose name only begins like -it', { ...BASE, target: 'some-items-7B' }, true],
    ['detects a base model of Gemma', { tokens: ['<eos>', '<end_of_turn>'], ends: ['<eos>'] }, true],
    ['detects a base model of Llama', { tokens: ['</s>', '<|eot_id|>'], ends: ['</s>'] }, true],
    ['excludes a model whose turns end as texts do', { tokens: ['<s>', '</s>'], ends: ['</s>'] }, false],
    [
      'excludes a remote model, whose tokens are unknown',
      { ...BASE, hasTemplate: false, isRemote: true },
      false,
    ],
  ] as const)
    it(title, () => {
      assert.equal(isBaseModel(model(candidate)), expected);
    });
});
