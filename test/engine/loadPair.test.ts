// Tests unusable files: loading throws and leaves nothing in memory, or decoding fails with the reason. The server's
// fallback for an unusable drafter is tested in test/lsp/drafterMismatch.test.ts.
import assert from 'node:assert/strict';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Engine } from '../../server/engine/engine';
import { ConfigFields } from '../../server/models/checkpoint/configFields';
import { targetHash } from '../../server/models/checkpoint/targetHash';
import { core } from '../../server/models/mlx/binding';
import { liveArrays } from '../../server/models/mlx/memory';
import { fieldsOf } from '../../server/rules/json';
import { DFLASH, PAIR_TARGET, QWEN3 } from '../support/fixtures';
import { readFileTensors, writeSafetensors } from '../support/safetensorsFile';
import { temporaryFolder } from '../support/temporaryFolder';

const tensors = readFileTensors(join(QWEN3, 'model.safetensors'));
const EMBEDDING = 'model.embed_tokens.weight';

/** Returns a copy of the target's folder. */
function copiedTarget(): string {
  const folder = temporaryFolder();
  cpSync(QWEN3, folder, { recursive: true });
  return folder;
}

/** Creates a target whose weights `name` have `value` as the first number of a row. */
function targetWith(value: number, name: string, row = 0): string {
  const { dtype, shape, bytes } = tensors[name] ?? assert.fail();
  assert.equal(dtype, 'F32');
  const broken = Buffer.from(bytes);
  broken.writeFloatLE(value, 4 * row * (shape[1] ?? 0));
  const folder = copiedTarget();
  const file = { ...tensors, [name]: { dtype, shape, bytes: broken } };
  writeSafetensors(join(folder, 'model.safetensors'), file);
  return folder;
}

/** Asserts that loading throws and leaves no arrays in memory. */
async function requireRefusal(files: object, complaint: RegExp): Promise<void> {
  const before = liveArrays();
  await assert.rejects(Engine.load({ targetDirectory: QWEN3, device: 'cpu', ...files }), complaint);
  assert.equal(liveArrays(), before);
}

describe('loadPair with broken weights', () => {
  for (const [name, value] of [
    ['model.layers.1.mlp.down_proj.weight', NaN],
    [EMBEDDING, Infinity],
    ['model.norm.weight', -Infinity],
  ] as const)
    it(`rejects ${String(value)} in ${name} and keeps nothing in memory`, () =>
      requireRefusal({ targetDirectory: targetWith(value, name) }, /give NaN or infinite numbers/));

  for (const [kind, sampling] of [
    ['greedy', {}],
    ['sampled', { temperature: 1, seed: 1 }],
  ] as const)
    it(`fails a ${kind} decode that meets NaN in the weights of one token, with the reason`, async () => {
      const token = 7;
      const targetDirectory = targetWith(NaN, EMBEDDING, token);
      const engine = await Engine.load({ targetDirectory, device: 'cpu' });
      const before = liveArrays();
      for (const ids of [[token], [1, 2, token], [1, token, 2, 3], [1, 2, token]]) {
        const decode = engine.decode(ids, { maxTokens: 4, sampling, stopTokenIds: [] }).finish();
        await assert.rejects(decode, /^UserError: The weights in .* give NaN or infinite numbers/);
      }
      assert.equal(liveArrays(), before);
      await engine.dispose();
    });

  it('fails a request for log-probabilities of a prompt that meets NaN in the weights of one token', async () => {
    const token = 7;
    const targetDirectory = targetWith(NaN, EMBEDDING, token);
    const engine = await Engine.load({ targetDirectory, device: 'cpu' });
    const before = liveArrays();
    await assert.rejects(
      engine.promptLogprobs([1, token, 2, 3], { count: 1 }),
      /give NaN or infinite numbers/,
    );
    assert.equal(liveArrays(), before);
    await engine.dispose();
  });
});

describe('loadPair', () => {
  it('rejects a pair with a broken tokenizer and keeps nothing in memory', async () => {
    const targetDirectory = copiedTarget();
    writeFileSync(join(targetDirectory, 'tokenizer.json'), '{"model":{"type":"Other"}}');
    await requireRefusal({ targetDirectory }, /tokenizer\.json/);
  });

  describe('when something fails midway', () => {
    const evaluate = core.eval;
    let evaluations = 0;
    afterEach(() => (core.eval = evaluate));

    /** Calls `action` before evaluation number `at`, counted from now. */
    const actAt = (at: number, action: () => void): void => {
      evaluations = 0;
      core.eval = (...arrays) => {
        evaluations += 1;
        if (evaluations === at) action();
        evaluate(...arrays);
      };
    };

    /** Returns the number of evaluations of a load without a drafter; the last is the smoke test. */
    const evaluationsOfTarget = async (): Promise<number> => {
      actAt(0, () => undefined);
      await (await Engine.load({ targetDirectory: QWEN3, device: 'cpu' })).dispose();
      return evaluations;
    };

    it('keeps nothing in memory if the first token cannot be computed', async () => {
      actAt(await evaluationsOfTarget(), () => {
        throw new Error('no memory left');
      });
      await requireRefusal({}, /no memory left/);
    });
  });

  it('leaves out a drafter for another target, with the reason, and keeps nothing of it in memory', async () => {
    const before = liveArrays();
    const files = { targetDirectory: PAIR_TARGET, drafterDirectory: DFLASH, device: 'cpu' } as const;
    const engine = await Engine.load(files);
    assert.equal(engine.drafter, undefined);
    assert.match(engine.drafterProblem?.message ?? '', /hidden_size \d+/);
    await engine.dispose();
    assert.equal(liveArrays(), before);
  });

  it('leaves out a drafter that names another target by its hash, and loads one that names its target', async () => {
    const drafterDirectory = temporaryFolder();
    cpSync(DFLASH, drafterDirectory, { recursive: true });
    const file = join(drafterDirectory, 'config.json');
    const config = ConfigFields.read(file);
    for (const [target_config_sha256, reason] of [
      ['0'.repeat(64), /^Expected a target with the hash 0{64}/],
      [targetHash(ConfigFields.ofModel(QWEN3)), /^$/],
    ] as const) {
      const dflash_config = { ...fieldsOf(config.raw('dflash_config')), target_config_sha256 };
      writeFileSync(file, JSON.stringify({ ...config.object, dflash_config }));
      const engine = await Engine.load({ targetDirectory: QWEN3, drafterDirectory, device: 'cpu' });
      assert.match(engine.drafterProblem?.message ?? '', reason);
      assert.equal(engine.drafter === undefined, engine.drafterProblem !== undefined);
      await engine.dispose();
    }
  });

  it('rejects a drafter as target', () =>
    requireRefusal({ targetDirectory: DFLASH, drafterDirectory: DFLASH }, /swap target and drafter/));
});
