// Files that cannot be used: an error, after which nothing stays in memory, or a text that ends with the reason. That a
// server does without a drafter that cannot be used is in test/lsp/drafterMismatch.test.ts.
import assert from 'node:assert/strict';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Engine } from '../../server/engine/engine';
import { liveArrays } from '../../server/models/mlx/memory';
import { DFLASH, PAIR_TARGET, QWEN3 } from '../support/fixtures';
import { readFileTensors, writeSafetensors } from '../support/safetensorsFile';
import { temporaryFolder } from '../support/temporaryFolder';

const tensors = readFileTensors(join(QWEN3, 'model.safetensors'));
const EMBEDDING = 'model.embed_tokens.weight';

function copied(): string {
  const folder = temporaryFolder();
  cpSync(QWEN3, folder, { recursive: true });
  return folder;
}

/** A target with a number at the beginning of a row of these weights. */
function targetWith(value: number, name: string, row = 0): string {
  const { dtype, shape, bytes } = tensors[name] ?? assert.fail();
  assert.equal(dtype, 'F32');
  const broken = Buffer.from(bytes);
  broken.writeFloatLE(value, 4 * row * (shape[1] ?? 0));
  const folder = copied();
  const file = { ...tensors, [name]: { dtype, shape, bytes: broken } };
  writeSafetensors(join(folder, 'model.safetensors'), file);
  return folder;
}

async function requireRefusal(files: object, complaint: RegExp): Promise<void> {
  const before = liveArrays();
  await assert.rejects(Engine.load({ targetDirectory: QWEN3, device: 'cpu', ...files }), complaint);
  assert.equal(liveArrays(), before);
}

describe('weights', () => {
  for (const [name, value] of [
    ['model.layers.1.mlp.down_proj.weight', NaN],
    [EMBEDDING, Infinity],
    ['model.norm.weight', -Infinity],
  ] as const)
    it(`with ${String(value)} in ${name} are refused, and nothing stays in memory`, () =>
      requireRefusal({ targetDirectory: targetWith(value, name) }, /finite numbers, got NaN/));

  for (const [what, sampling] of [
    ['greedy', {}],
    ['drawn', { temperature: 1, seed: 1 }],
  ] as const)
    it(`of one token that are no numbers end a ${what} text that meets it with a reason`, async () => {
      const token = 7;
      const targetDirectory = targetWith(NaN, EMBEDDING, token);
      const engine = await Engine.load({ targetDirectory, device: 'cpu' });
      const before = liveArrays();
      for (const ids of [[token], [1, 2, token], [1, token, 2, 3], [1, 2, token]]) {
        const decode = engine.decode(ids, { maxTokens: 4, sampling, stopTokenIds: [] }).finish();
        await assert.rejects(decode, /^InputError: Expected weights .* finite numbers, got NaN/);
      }
      assert.equal(liveArrays(), before);
      await engine.dispose();
    });
});

describe('a pair', () => {
  it('of which the tokenizer is no good, but the weights are, is refused, and nothing stays in memory', async () => {
    const targetDirectory = copied();
    writeFileSync(join(targetDirectory, 'tokenizer.json'), '{"model":{"type":"Other"}}');
    await requireRefusal({ targetDirectory }, /tokenizer\.json/);
  });

  it('with a drafter that was made for another target is refused, and nothing stays in memory', () =>
    requireRefusal({ targetDirectory: PAIR_TARGET, drafterDirectory: DFLASH }, /hidden_size \d+/));

  it('with no target is refused, whoever can do without a drafter', () => {
    const files = { targetDirectory: DFLASH, drafterDirectory: DFLASH, onDrafterMismatch: () => undefined };
    return requireRefusal(files, /swap target and drafter/);
  });
});
