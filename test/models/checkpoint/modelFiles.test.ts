// Tests which files of a repository or a folder are read when its model is loaded, and which missing one is reported.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigFields } from '../../../server/models/checkpoint/configFields';
import { isDrafter, modelFiles, neededFiles } from '../../../server/models/checkpoint/modelFiles';
import { temporaryFolder } from '../../support/temporaryFolder';

const READ = [
  'config.json',
  'generation_config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'special_tokens_map.json',
  'chat_template.jinja',
  'additional_chat_templates/tool_use.jinja',
  'chat_template.json',
  'model.safetensors.index.json',
];
const UNREAD = [
  'README.md',
  'vocab.json',
  'pytorch_model.bin',
  'golden.safetensors',
  'original/model.safetensors',
];

const listed = (names: readonly string[]) => names.map((name) => ({ name }));
const namesOf = (...given: Parameters<typeof modelFiles>) =>
  modelFiles(...given).files?.map(({ name }) => name);

function indexOf(text: string): string {
  const file = join(temporaryFolder(), 'model.safetensors.index.json');
  writeFileSync(file, text);
  return file;
}

describe('modelFiles', () => {
  const files = listed([
    ...READ,
    ...UNREAD,
    'model-1.safetensors',
    'model-2.safetensors',
    'model.safetensors',
  ]);

  it('returns config, tokenizer and templates, and weights: those that the index names, or all without one', () => {
    const weights = ['model-1.safetensors', 'model-2.safetensors', 'model.safetensors'];
    assert.deepEqual(namesOf(files, undefined), [...READ, ...weights]);
    const index = indexOf('{"weight_map": {"a": "model-2.safetensors", "b": "model-2.safetensors"}}');
    assert.deepEqual(namesOf(files, index), [...READ, 'model-2.safetensors']);
  });

  const INDEX = '{"weight_map": {"a": "model-1.safetensors", "b": "model-9.safetensors", "c": 3}}';
  for (const [what, present, index, needed, absent] of [
    [
      'a needed file before weights',
      ['config.json'],
      undefined,
      ['config.json', 'tokenizer.json'],
      'tokenizer.json',
    ],
    ['config.json by default', ['model.safetensors'], undefined, undefined, 'config.json'],
    ['weights', ['config.json', 'golden.safetensors'], undefined, undefined, 'model.safetensors'],
    ['weights of the index', ['config.json', 'model-1.safetensors'], INDEX, undefined, 'model-9.safetensors'],
    [
      'a file whose name in the index is not text',
      ['config.json', 'model-1.safetensors', 'model-9.safetensors'],
      INDEX,
      undefined,
      '3',
    ],
    ['none if the index lists none', ['config.json'], '{"weight_map": {}}', undefined, undefined],
    ['none if the index is damaged', ['config.json'], '{', undefined, undefined],
  ] as const)
    it(`reports the first missing file: ${what}`, () =>
      assert.deepEqual(modelFiles(listed(present), index && indexOf(index), needed), { absent }));

  it('requires a tokenizer, except for a drafter, recognised by its first architecture or its form', () => {
    const fields = (config: object) => new ConfigFields('config.json', { ...config });
    for (const [config, isDrafting] of [
      [{ architectures: ['DFlashDraftModel'] }, true],
      [{ architectures: ['Qwen3DSparkModel', 'Qwen3ForCausalLM'] }, true],
      [{ speculators_model_type: 'dspark' }, true],
      [{ architectures: ['Qwen3ForCausalLM', 'DFlashDraftModel'] }, false],
      [{ architectures: 'DFlashDraftModel' }, false],
      [{ architectures: ['DFlashDraftModel', 3] }, false],
      [{ speculators_model_type: 'eagle3' }, false],
      [{}, false],
    ] as const) {
      assert.equal(isDrafter(fields(config)), isDrafting, JSON.stringify(config));
      assert.deepEqual(
        neededFiles(fields(config)),
        isDrafting ? ['config.json'] : ['config.json', 'tokenizer.json'],
      );
    }
  });
});
