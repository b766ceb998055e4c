// config.json of targets of all families and of drafters, beside the weights of a tiny model. What loads computes a
// pass, so that a size that the weights do not have never reaches MLX.
import assert from 'node:assert/strict';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as fc from 'fast-check';
import { liveArrays, scope } from '../../../../server/models/mlx/memory';
import { loadDrafter, loadTarget } from '../../../../server/models/families/registry';
import type { TargetModel } from '../../../../server/models/decoder/target';
import { tokenArray } from '../../../../server/models/mlx/tokenArray';
import { valuesOf } from '../../../support/arrayValues';
import { cpu } from '../../../support/cpu';
import { DFLASH, DSPARK, QWEN3 } from '../../../support/fixtures';
import { TARGET_FAMILIES } from '../../../support/targetFamilies';
import { temporaryFolder } from '../../../support/temporaryFolder';
import { valueUnlessRefused } from '../assertExplained';
import { fuzzKind } from '../kind';
import { spoiltJson, type Json } from '../oddValues';

interface Config {
  readonly directory: string;
  readonly text: string;
}

/** Few at a time: most changes alone are refused. */
const MOST_CHANGES = 2;
const TOKENS = [1, 2, 3];

function configsOf(directories: readonly string[]): fc.Arbitrary<Config> {
  return fc.oneof(
    ...directories.map((directory) =>
      spoiltJson(configIn(directory), MOST_CHANGES).map((text) => ({ directory, text })),
    ),
  );
}

function configIn(directory: string): Json {
  return JSON.parse(readFileSync(join(directory, 'config.json'), 'utf8')) as Json;
}

/** Folders with the weights of the fixtures, and any config. */
class Folders {
  readonly #made = new Map<string, string>();

  with({ directory, text }: Config): string {
    let folder = this.#made.get(directory);
    if (folder === undefined) {
      this.#made.set(directory, (folder = temporaryFolder()));
      symlinkSync(resolve(directory, 'model.safetensors'), join(folder, 'model.safetensors'));
    }
    writeFileSync(join(folder, 'config.json'), text);
    return folder;
  }
}

function logitsOf(target: TargetModel): number[] {
  const caches = target.newCaches(TOKENS.length);
  try {
    return scope(() => {
      const tokens = tokenArray(TOKENS, target.config.vocabSize);
      return valuesOf(target.logits(target.forward(tokens, caches, []).hidden));
    });
  } finally {
    for (const cache of caches) cache.dispose();
  }
}

export const targetConfig = fuzzKind({
  name: 'target-config',
  inputs: configsOf(TARGET_FAMILIES.map(({ directory }) => directory)),
  counts: { test: 250, million: 4_000 },
  open: async () => {
    const folders = new Folders();
    const run = async (directory: string): Promise<number[]> => {
      const target = await loadTarget(directory, cpu);
      try {
        return logitsOf(target);
      } finally {
        target.dispose();
      }
    };
    const known = await run(QWEN3);
    return {
      attempt: async (config) => {
        const before = liveArrays();
        await valueUnlessRefused(() => run(folders.with(config)));
        assert.equal(liveArrays(), before);
      },
      sound: async () => assert.deepEqual(await run(QWEN3), known),
    };
  },
});

export const drafterConfig = fuzzKind({
  name: 'drafter-config',
  inputs: configsOf([DFLASH, `${DSPARK}/vanilla`]),
  counts: { test: 250, million: 4_000 },
  open: async () => {
    const folders = new Folders();
    const target = await loadTarget(QWEN3, cpu);
    const load = async (directory: string): Promise<number> => {
      const drafter = await loadDrafter(directory, target.config, cpu);
      try {
        return drafter.maxDraftTokens;
      } finally {
        drafter.dispose();
      }
    };
    const known = await load(DFLASH);
    return {
      attempt: async (config) => {
        const before = liveArrays();
        await valueUnlessRefused(() => load(folders.with(config)));
        assert.equal(liveArrays(), before);
      },
      sound: async () => assert.equal(await load(DFLASH), known),
      close: () => target.dispose(),
    };
  },
});
