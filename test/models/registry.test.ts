// From a folder to a model, or to a complaint that says which file is wrong: the wrong folder, the wrong file,
// the wrong architecture.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { liveArrays } from '../../server/models/mlx/memory';
import { loadDrafter, loadTarget } from '../../server/models/families/registry';
import type { TargetConfig } from '../../server/models/decoder/target';
import { cpu } from '../support/cpu';
import { DFLASH, QWEN3 } from '../support/fixtures';
import { assertRefused } from '../support/refusal';
import { temporaryFolder } from '../support/temporaryFolder';
import { tinyDrafter, tinyTarget, withConfig, writeCheckpoint } from '../support/tinyCheckpoint';

const noWeights = (config: Readonly<Record<string, unknown>>) =>
  writeCheckpoint({ ...withConfig(tinyTarget(), config), tensors: {} });

describe('the model registry', () => {
  let config: TargetConfig;
  let idle: number;
  before(async () => {
    idle = liveArrays();
    const target = await loadTarget(QWEN3, cpu);
    config = target.config;
    target.dispose();
  });
  afterEach(() => assert.equal(liveArrays(), idle));

  it('loads a target, then its drafter, and frees both', async () => {
    const target = await loadTarget(QWEN3, cpu);
    assert.equal(target.config.modelType, 'qwen3');
    assert.equal(target.config.vocabSize, 256);
    const drafter = await loadDrafter(DFLASH, target.config, cpu);
    assert.equal(drafter.maxDraftTokens, 7);
    assert.ok(liveArrays() > idle);
    drafter.dispose();
    target.dispose();
  });

  it('lets other work run while it loads', async () => {
    let turns = 0;
    let next: NodeJS.Immediate;
    const turn = () => {
      turns += 1;
      next = setImmediate(turn);
    };
    next = setImmediate(turn);
    const target = await loadTarget(QWEN3, cpu);
    clearImmediate(next);
    target.dispose();
    assert.ok(turns >= target.config.numHiddenLayers);
  });

  describe('refuses, for either model,', () => {
    for (const [title, load] of [
      ['target', (folder: string) => loadTarget(folder, cpu)],
      ['drafter', (folder: string) => loadDrafter(folder, config, cpu)],
    ] as const) {
      it(`a folder that does not exist (${title})`, async () => {
        const folder = join(temporaryFolder(), 'absent');
        await assertRefused(() => load(folder), 'model directory', folder, 'no directory');
      });

      it(`a file in place of the folder (${title})`, async () => {
        const file = join(temporaryFolder(), 'model.safetensors');
        writeFileSync(file, '');
        await assertRefused(() => load(file), 'model directory', file);
      });

      it(`a folder without config.json (${title})`, async () => {
        const folder = temporaryFolder();
        await assertRefused(() => load(folder), join(folder, 'config.json'), 'no readable file');
      });

      for (const text of ['', '{"a": 1,}', '[]', 'null']) {
        it(`a config.json that says ${JSON.stringify(text)} (${title})`, async () => {
          const folder = temporaryFolder();
          writeFileSync(join(folder, 'config.json'), text);
          await assertRefused(() => load(folder), join(folder, 'config.json'));
        });
      }
    }
  });

  describe('refuses as a target', () => {
    it('a drafter', async () => {
      await assertRefused(() => loadTarget(DFLASH, cpu), join(DFLASH, 'config.json'), 'got a drafter');
    });

    for (const [model_type, name, instead] of [
      ['gpt2', 'GPT-2', 'Qwen2.5-Coder'],
      ['starcoder2', 'StarCoder2', 'Qwen2.5-Coder'],
      ['granite', 'Granite', 'Qwen2.5-Coder'],
      ['granitemoehybrid', 'Granite with experts', 'Qwen3-Coder'],
      ['deepseek_v3', 'DeepSeek', 'Qwen3-Coder'],
    ] as const) {
      it(`${name}, by its name and with what loads instead`, async () => {
        const message = `${name} is not supported; ${instead} is.`;
        await assert.rejects(loadTarget(noWeights({ model_type, n_embd: 64 }), cpu), { message });
      });
    }

    for (const model_type of ['unheard', 'Qwen3', 'constructor', '__proto__']) {
      it(`model_type ${JSON.stringify(model_type)}, and lists what is supported`, async () => {
        const folder = noWeights({ model_type, n_embd: 64 });
        await assertRefused(
          () => loadTarget(folder, cpu),
          join(folder, 'config.json'),
          ' is not supported; ',
          'Qwen',
          'got n_embd 64',
        );
      });
    }

    for (const model_type of [undefined, ['qwen3']]) {
      it(`model_type ${JSON.stringify(model_type)}`, async () => {
        await assertRefused(() => loadTarget(noWeights({ model_type }), cpu), 'config.json: model_type');
      });
    }
  });

  describe('refuses as a drafter', () => {
    it('a target', async () => {
      await assertRefused(
        () => loadDrafter(QWEN3, config, cpu),
        'a drafter of architecture DFlash2DraftModel or DFlashDraftModel',
        join(QWEN3, 'config.json'),
        'got Qwen3ForCausalLM',
      );
    });

    for (const architecture of ['DFlash3DraftModel', 'Eagle3DraftModel', 'constructor']) {
      it(`architecture ${architecture}, and lists what is supported`, async () => {
        const folder = writeCheckpoint({
          ...withConfig(tinyDrafter(), { architectures: [architecture] }),
          tensors: {},
        });
        await assertRefused(
          () => loadDrafter(folder, config, cpu),
          'DFlashDraftModel',
          folder,
          `got ${architecture}`,
        );
      });
    }
  });
});
