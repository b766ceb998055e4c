// Tests loading a model from a folder, and the error that names the wrong file, field or architecture.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { liveArrays } from '../../server/models/mlx/memory';
import { ConfigFields } from '../../server/models/checkpoint/configFields';
import { loadable } from '../../server/models/loadable';
import { loadDrafter, loadTarget } from '../support/loadModels';
import type { TargetConfig } from '../../server/models/decoder/target';
import { floatTensor } from '../support/fileTensor';
import { testDevice } from '../support/testDevice';
import { DFLASH, QWEN3 } from '../support/fixtures';
import { assertRefused } from '../support/refusal';
import { temporaryFolder } from '../support/temporaryFolder';
import { tinyDrafter, tinyTarget, withConfig, writeCheckpoint } from '../support/tinyCheckpoint';

const noWeights = (config: Readonly<Record<string, unknown>>) =>
  writeCheckpoint({ ...withConfig(tinyTarget(), config), tensors: {} });

describe('loading a model', () => {
  let config: TargetConfig;
  let arraysBefore: number;
  before(async () => {
    arraysBefore = liveArrays();
    const target = await loadTarget(QWEN3, testDevice);
    config = target.config;
    target.dispose();
  });
  afterEach(() => assert.equal(liveArrays(), arraysBefore));

  it('lets other work run while a model loads', async () => {
    let turns = 0;
    let next: NodeJS.Immediate;
    const turn = () => {
      turns += 1;
      next = setImmediate(turn);
    };
    next = setImmediate(turn);
    const target = await loadTarget(QWEN3, testDevice);
    clearImmediate(next);
    target.dispose();
    assert.ok(turns >= target.config.numHiddenLayers);
  });

  it('reports how much of the weights is read', async () => {
    const fractions: number[] = [];
    const onProgress = (fraction: number): void => void fractions.push(fraction);
    (await loadTarget(QWEN3, testDevice, { onProgress })).dispose();
    assert.deepEqual(fractions, [1]);
  });

  describe('as a target or a drafter', () => {
    const folderWith = (name: string, text: string) => {
      const folder = temporaryFolder();
      writeFileSync(join(folder, name), text);
      return folder;
    };
    /** Creates a folder that can be listed, but whose files cannot be opened, as their paths are too long. */
    const folderWithLongPath = () => {
      const folder = temporaryFolder();
      const spare = (process.platform === 'darwin' ? 1016 : 4088) - folder.length;
      const last = 'y'.repeat(Math.max(1, (spare % 100) - 1));
      const path = join(folder, `${'x'.repeat(99)}/`.repeat(spare / 100), last);
      mkdirSync(path, { recursive: true });
      return path;
    };
    for (const [title, path, ...mentions] of [
      [
        'a folder that does not exist',
        join(temporaryFolder(), 'absent'),
        'No model folder at ',
        'Choose one that holds config.json and the weights.',
      ],
      [
        'a file in place of the folder',
        join(folderWith('model.safetensors', ''), 'model.safetensors'),
        'No model folder at ',
      ],
      ['a folder whose files cannot be opened', folderWithLongPath(), 'config.json', 'no readable file'],
      [
        'a folder with only a file of the training',
        folderWith('training_args.bin', ''),
        'config.json',
        'no readable file',
      ],
      ['a folder without config.json', temporaryFolder(), 'config.json', 'no readable file'],
      [
        'a clone without the files of Git LFS',
        folderWith('config.json', 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n'),
        'config.json',
        'got a pointer of Git LFS',
      ],
      ...['', '{"a": 1,}', '[]', 'null'].map(
        (text) =>
          [`a config.json that says ${text}`, folderWith('config.json', text), 'config.json'] as const,
      ),
    ] as const)
      it(`rejects ${title}`, async () => {
        await assertRefused(() => loadTarget(path, testDevice), path, ...mentions);
        await assertRefused(() => loadDrafter(path, config, testDevice), path, ...mentions);
      });
  });

  describe('as a target', () => {
    it('rejects a drafter', async () => {
      await assertRefused(() => loadTarget(DFLASH, testDevice), join(DFLASH, 'config.json'), 'got a drafter');
    });

    for (const [algorithm, fields] of [
      ['EAGLE-3', { architectures: ['LlamaForCausalLMEagle3'], model_type: 'llama' }],
      ['EAGLE-3', { architectures: ['Eagle3LlamaForCausalLM'], model_type: 'llama' }],
      // The first EAGLE-3 drafters have the architecture of their target.
      ['EAGLE-3', { architectures: ['LlamaForCausalLM'], model_type: 'llama', draft_vocab_size: 32 }],
      ['P-EAGLE', { architectures: ['PEagleDraftModel'], model_type: 'llama', draft_vocab_size: 32 }],
      ['EAGLE', { architectures: ['EagleLlamaForCausalLM'], model_type: 'llama' }],
      ['EdsdDraftModel', { architectures: ['EdsdDraftModel'], model_type: 'llama', draft_vocab_size: 32 }],
      ['Domino', { architectures: ['DominoDraftModel'], model_type: 'qwen3' }],
      ['Medusa', { architectures: ['MedusaModel'], model_type: undefined }],
      ['MTP', { architectures: ['Qwen3_5ForConditionalGeneration'], model_type: 'qwen3_5_mtp' }],
      ['MTP', { architectures: ['Gemma4AssistantForCausalLM'], model_type: 'gemma4_assistant' }],
    ] as const)
      it(`rejects a drafter of ${algorithm} and names the algorithm: ${JSON.stringify(fields)}`, async () => {
        const folder = noWeights(fields);
        const file = join(folder, 'config.json');
        const target = [file, 'a target model', `a drafter (${algorithm})`];
        await assertRefused(() => loadTarget(folder, testDevice), ...target);
        const problem = loadable.problemOf(ConfigFields.ofModel(folder)) ?? assert.fail();
        await assertRefused(
          () => {
            throw problem;
          },
          ...target,
        );
        const drafter = [file, 'a drafter of ', `got ${algorithm}`];
        await assertRefused(() => loadDrafter(folder, config, testDevice), ...drafter);
      });

    it('rejects a drafter of EAGLE that only its tensors reveal, and names the algorithm', async () => {
      const fields = { architectures: ['LlamaForCausalLM'], model_type: 'llama', num_hidden_layers: 1 };
      const tensors = { 'fc.weight': floatTensor([2, 4], Array<number>(8).fill(0)) };
      const folder = writeCheckpoint({ ...withConfig(tinyTarget(), fields), tensors });
      const target = ['a target model', 'a drafter (EAGLE)'];
      await assertRefused(() => loadTarget(folder, testDevice), ...target);
      await assertRefused(() => loadDrafter(folder, config, testDevice), 'a drafter of ', 'got EAGLE');
    });

    for (const [model_type, name, instead] of [
      ['gpt2', 'GPT-2', 'Qwen2.5-Coder'],
      ['starcoder2', 'StarCoder2', 'Qwen2.5-Coder'],
      ['granite', 'Granite', 'Qwen2.5-Coder'],
      ['granitemoehybrid', 'Granite with experts', 'Qwen3-Coder'],
      ['deepseek_v3', 'DeepSeek', 'Qwen3-Coder'],
      // The longest matching prefix counts, in upper or lower case.
      ['deepseek_vl_v2', 'DeepSeek-VL', 'Qwen3'],
      ['Phi3', 'Phi', 'Qwen2.5-Coder'],
      ['phimoe', 'Phi-3.5-MoE', 'Qwen3-Coder'],
      ['gpt_neox', 'GPT-NeoX', 'Qwen2.5-Coder'],
      ['gpt_neo', 'GPT-Neo', 'Qwen2.5-Coder'],
      ['gemma3n_text', 'Gemma 3n', 'Gemma 4'],
    ] as const)
      it(`rejects ${name}, and names it and an alternative`, async () => {
        const message = `${name} is not supported; ${instead} is.`;
        await assert.rejects(loadTarget(noWeights({ model_type, n_embd: 64 }), testDevice), { message });
      });

    for (const model_type of ['unheard', 'Qwen3', 'constructor', '__proto__'])
      it(`rejects model_type ${JSON.stringify(model_type)}, and lists supported ones`, async () => {
        const folder = noWeights({ model_type, n_embd: 64 });
        const mentions = [join(folder, 'config.json'), ' is not supported; ', 'Qwen', 'got n_embd 64'];
        await assertRefused(() => loadTarget(folder, testDevice), ...mentions);
      });

    it('rejects a text part of an unsupported family, and names the family', async () => {
      const folder = noWeights({ model_type: 'mistral3', text_config: { model_type: 'mistral4' } });
      await assertRefused(() => loadTarget(folder, testDevice), 'Mistral 4 is not supported');
    });

    it('rejects a model_type that is not a string', async () => {
      for (const model_type of [undefined, ['qwen3']])
        await assertRefused(
          () => loadTarget(noWeights({ model_type }), testDevice),
          'config.json: model_type',
        );
    });
  });

  describe('before a download', () => {
    const { config: tiny } = tinyTarget();
    for (const [title, fields, message] of [
      ['without a model_type', {}, /^Expected a model_type in config.json, got none; choose another model/],
      ['of an unsupported family', { model_type: 'gpt2' }, /^GPT-2 is not supported; Qwen2.5-Coder is/],
      [
        'of an unknown type',
        { ...tiny, model_type: 'unheard', n_embd: 64 },
        /unheard is not .*got n_embd 64/,
      ],
      // NVIDIA's Eagle2 reads images; EAGLE is the name of drafters.
      [
        'of Eagle 2.5',
        { ...tiny, model_type: 'eagle_2_5_vl', architectures: ['Eagle2_5_VLForConditionalGeneration'], n: 1 },
        /^The model_type eagle_2_5_vl is not supported/,
      ],
      [
        'of Eagle 2',
        { ...tiny, model_type: 'eagle_chat', architectures: ['Eagle2ChatModel'], n: 1 },
        /^The model_type eagle_chat is not supported/,
      ],
      ['with a wrong value', { ...tiny, hidden_act: 'gelu' }, /^Expected hidden_act "silu"/],
      ['with a wrong list', { ...tiny, architectures: 'Qwen3' }, /config.json: architectures, got "Qwen3"/],
      [
        'of a drafter that another tool has quantised',
        { architectures: ['DFlashDraftModel'], quantization_config: { quant_method: 'fp8' } },
        /^Expected affine quantisation .*, got fp8;/,
      ],
      ['of a supported target', tiny, undefined],
      ['of an unknown type that is a Llama', { ...tiny, model_type: 'unheard' }, undefined],
      ['of a drafter', { architectures: ['DFlashDraftModel'] }, undefined],
    ] as const)
      it(`${message === undefined ? 'accepts' : 'rejects'} a config.json ${title}`, () => {
        const problem = loadable.problemOf(new ConfigFields('config.json', { ...fields }))?.message;
        if (message === undefined) assert.equal(problem, undefined);
        else assert.match(problem ?? '', message);
      });
  });

  describe('as a drafter', () => {
    it('rejects a target', async () => {
      await assertRefused(
        () => loadDrafter(QWEN3, config, testDevice),
        'a drafter of architecture DFlash2DraftModel or DFlashDraftModel',
        join(QWEN3, 'config.json'),
        'got Qwen3ForCausalLM',
      );
    });

    for (const architecture of ['DFlash3DraftModel', 'DFlashLinearDraftModel', 'constructor'])
      it(`rejects architecture ${architecture}, and lists supported ones`, async () => {
        const drafter = withConfig(tinyDrafter(), { architectures: [architecture] });
        const folder = writeCheckpoint({ ...drafter, tensors: {} });
        const mentions = ['DFlashDraftModel', folder, `got ${architecture}`];
        await assertRefused(() => loadDrafter(folder, config, testDevice), ...mentions);
      });
  });
});
