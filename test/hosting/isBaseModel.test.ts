// Which models only continue text: exporters give base models the chat template of their instruct versions.
import assert from 'node:assert/strict';
import { isBaseModel } from '../../server/hosting/isBaseModel';
import type { LoadedEngine } from '../../server/hosting/model';

interface Model {
  readonly target?: string;
  /** Special tokens; their ids are their places. */
  readonly tokens: readonly string[];
  readonly ends: readonly string[];
  readonly hasTemplate?: boolean;
  readonly remote?: boolean;
}

function model({ target = 'x', tokens, ends, hasTemplate = true, remote = false }: Model) {
  const specialTokenId = (content: string): number | undefined =>
    tokens.includes(content) ? tokens.indexOf(content) : undefined;
  const engine = {
    encodeChat: () => (hasTemplate ? [1] : undefined),
    tokenizer: { specialTokenId },
    config: { eosTokenIds: ends.map(specialTokenId) },
    remote: remote ? { host: 'localhost' } : undefined,
  };
  return { target, engine } as unknown as Pick<LoadedEngine, 'engine' | 'target'>;
}

const QWEN = ['<|endoftext|>', '<|im_start|>', '<|im_end|>'];
const BASE = { tokens: QWEN, ends: ['<|endoftext|>'] };

describe('a base model', () => {
  for (const [what, question, expected] of [
    ['ends texts, but no turns, although it has a template', BASE, true],
    ['has no template', { ...BASE, ends: ['<|im_end|>'], hasTemplate: false }, true],
    ['is none if it ends turns', { ...BASE, ends: ['<|im_end|>'] }, false],
    ['is none if it ends both', { ...BASE, ends: ['<|endoftext|>', '<|im_end|>'] }, false],
    ['is none if its name says so', { ...BASE, target: 'Qwen/Qwen2.5-Coder-7B-Instruct' }, false],
    ['is none under the name of Gemma', { ...BASE, target: 'google/gemma-3-4b-it' }, false],
    ['may have a name that only looks like it', { ...BASE, target: 'unit-7B' }, true],
    ['is none if turns end as texts do', { tokens: ['<s>', '</s>'], ends: ['</s>'] }, false],
    ['is unknown elsewhere', { ...BASE, hasTemplate: false, remote: true }, false],
  ] as const)
    it(what, () => {
      assert.equal(isBaseModel(model(question)), expected);
    });
});
