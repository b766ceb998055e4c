// A drafter that cannot be used: an error for who asked for it, or plain decoding with the reason.
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { Engine } from '../../server/engine/engine';
import type { InputError } from '../../server/rules/inputError';
import { liveArrays } from '../../server/models/mlx/memory';
import { embeddedTarget } from '../support/embeddedFacts';
import { DFLASH, PAIR_TARGET, QWEN3 } from '../support/fixtures';
import { readFileTensors, writeSafetensors } from '../support/safetensorsFile';
import { temporaryFolder } from '../support/temporaryFolder';
import { TINY_PAIR, tinyOutput, tinyPrompt } from '../support/tinyPair';

const UNUSABLE: readonly (readonly [problem: string, target: string, drafter: string, complaint: RegExp])[] =
  [
    ['is not there', QWEN3, 'test/fixtures/no-such-model', /model directory/],
    ['is a target', QWEN3, QWEN3, /DFlashDraftModel/],
    [
      'was made for another target',
      PAIR_TARGET,
      DFLASH,
      new RegExp(`hidden_size ${String(embeddedTarget.hiddenSize)}`),
    ],
  ];

describe('weights', () => {
  const tensors = readFileTensors(join(QWEN3, 'model.safetensors'));
  for (const [name, value] of [
    ['model.layers.1.mlp.down_proj.weight', NaN],
    ['model.embed_tokens.weight', Infinity],
    ['model.norm.weight', -Infinity],
  ] as const)
    it(`with ${String(value)} in ${name} are refused, and nothing stays in memory`, async () => {
      const { dtype, shape, bytes } = tensors[name] ?? assert.fail();
      assert.equal(dtype, 'F32');
      const broken = Buffer.from(bytes);
      broken.writeFloatLE(value, 0);
      const targetDirectory = temporaryFolder();
      cpSync(QWEN3, targetDirectory, { recursive: true });
      writeSafetensors(join(targetDirectory, 'model.safetensors'), {
        ...tensors,
        [name]: { dtype, shape, bytes: broken },
      });
      const before = liveArrays();
      await assert.rejects(Engine.load({ targetDirectory, device: 'cpu' }), /finite numbers, got NaN/);
      assert.equal(liveArrays(), before);
    });
});

describe('weights of one token', () => {
  const tensors = readFileTensors(join(QWEN3, 'model.safetensors'));
  const TOKEN = 7;
  for (const [what, sampling] of [
    ['greedy', {}],
    ['drawn', { temperature: 1, seed: 1 }],
  ] as const)
    it(`that are no numbers end a ${what} text that meets it with a reason`, async () => {
      const name = 'model.embed_tokens.weight';
      const { dtype, shape, bytes } = tensors[name] ?? assert.fail();
      const broken = Buffer.from(bytes);
      broken.writeFloatLE(NaN, 4 * TOKEN * (shape[1] ?? 0));
      const targetDirectory = temporaryFolder();
      cpSync(QWEN3, targetDirectory, { recursive: true });
      writeSafetensors(join(targetDirectory, 'model.safetensors'), {
        ...tensors,
        [name]: { dtype, shape, bytes: broken },
      });
      const engine = await Engine.load({ targetDirectory, device: 'cpu' });
      const before = liveArrays();
      const decode = (promptIds: number[]) =>
        engine.decode(promptIds, { maxTokens: 4, sampling, stopTokenIds: [] }).finish();
      for (const ids of [[TOKEN], [1, 2, TOKEN], [1, TOKEN, 2, 3], [1, 2, TOKEN]])
        await assert.rejects(decode(ids), /^InputError: Expected weights .* finite numbers, got NaN/);
      assert.equal(liveArrays(), before);
      await engine.dispose();
    });
});

describe('a drafter', () => {
  for (const [problem, targetDirectory, drafterDirectory, complaint] of UNUSABLE) {
    const pair = { targetDirectory, drafterDirectory, device: 'cpu' } as const;

    it(`that ${problem} is an error, and nothing stays in memory`, async () => {
      const before = liveArrays();
      await assert.rejects(Engine.load(pair), complaint);
      assert.equal(liveArrays(), before);
    });

    it(`that ${problem} is done without by who wants to hear of it`, async () => {
      const before = liveArrays();
      const errors: InputError[] = [];
      const engine = await Engine.load({ ...pair, onDrafterMismatch: (error) => void errors.push(error) });
      assert.equal(errors.length, 1);
      assert.match(errors[0]?.message ?? '', complaint);
      assert.equal(engine.maxDraftTokens, 0);
      for (const [draftLength, reason] of [
        ['full', 'drafter_mismatch'],
        [3, 'drafter_mismatch'],
        [0, 'draft_length_zero'],
        // Drafts are looked up in the text then.
        ['adaptive', undefined],
      ] as const) {
        const { stats } = await engine.decode(tinyPrompt, { maxTokens: 4, draftLength }).finish();
        assert.equal(stats.speculationOff, reason, String(draftLength));
      }
      await engine.dispose();
      assert.equal(liveArrays(), before);
    });
  }

  it('that fits is not complained about', async () => {
    const onDrafterMismatch = ({ message }: InputError): void => {
      assert.fail(message);
    };
    const engine = await Engine.load({ ...TINY_PAIR, onDrafterMismatch });
    const { stats, tokenIds } = await engine
      .decode(tinyPrompt, { maxTokens: tinyOutput.length, draftLength: 'full' })
      .finish();
    assert.equal(stats.speculationOff, undefined);
    assert.ok(stats.draftedTokens > 0);
    assert.deepEqual(tokenIds, tinyOutput);
    await engine.dispose();
  });

  it('does not hide what is wrong with the target', async () => {
    const options = { targetDirectory: DFLASH, drafterDirectory: DFLASH, onDrafterMismatch: () => undefined };
    await assert.rejects(Engine.load({ ...options, device: 'cpu' }), /swap target and drafter/);
  });
});
