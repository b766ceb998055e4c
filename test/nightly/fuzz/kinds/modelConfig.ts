// config.json of targets of all families and of drafters, with the weights of a tiny model. A loaded target computes a
// pass, in which a size that the weights do not have could crash MLX.
import assert from 'node:assert/strict';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as fc from 'fast-check';
import { liveArrays } from '../../../../server/models/mlx/memory';
import { loadDrafter, loadTarget } from '../../../support/loadModels';
import { testDevice } from '../../../support/testDevice';
import { DFLASH, DSPARK, QWEN3 } from '../../../support/fixtures';
import { TARGET_FAMILIES } from '../../../support/targetFamilies';
import { temporaryFolder } from '../../../support/temporaryFolder';
import { runWhole } from '../../../support/tokenRun';
import { valueUnlessRefused } from '../assertExplained';
import { fuzzKind } from '../kind';
import { spoiltJson, type Json } from '../oddValues';

/** Limit of changes: most single changes are refused. */
const MAX_CHANGES = 2;
const TOKENS = [1, 2, 3];

function configsOf(directories: readonly string[]) {
  const configs = directories.map((directory) => {
    const config = JSON.parse(readFileSync(join(directory, 'config.json'), 'utf8')) as Json;
    return spoiltJson(config, MAX_CHANGES).map((text) => ({ directory, text }));
  });
  return fc.oneof(...configs);
}

/** Creates a folder with the weights of a fixture, for any config. */
function withWeights(fixture: string): string {
  const folder = temporaryFolder();
  symlinkSync(resolve(fixture, 'model.safetensors'), join(folder, 'model.safetensors'));
  return folder;
}

/** Creates a kind; the valid config of `validDirectory` always gives the same result. */
function configKind(
  name: string,
  directories: readonly string[],
  validDirectory: string,
  open: () => Promise<(directory: string) => Promise<unknown>>,
) {
  return fuzzKind({
    name,
    inputs: configsOf(directories),
    runs: 125,
    open: async () => {
      const folders = new Map(directories.map((directory) => [directory, withWeights(directory)]));
      const compute = await open();
      const expected = await compute(validDirectory);
      return {
        attempt: async ({ directory, text }) => {
          const arraysBefore = liveArrays();
          const folder = folders.get(directory) ?? '';
          writeFileSync(join(folder, 'config.json'), text);
          await valueUnlessRefused(() => compute(folder));
          assert.equal(liveArrays(), arraysBefore);
        },
        checkValid: async () => assert.deepEqual(await compute(validDirectory), expected),
      };
    },
  });
}

const TARGETS = TARGET_FAMILIES.map(({ directory }) => directory);

export const targetConfig = configKind('target-config', TARGETS, QWEN3, () =>
  Promise.resolve(async (directory) => {
    const target = await loadTarget(directory, testDevice);
    try {
      return runWhole(target, TOKENS).logits;
    } finally {
      target.dispose();
    }
  }),
);

export const drafterConfig = configKind('drafter-config', [DFLASH, `${DSPARK}/vanilla`], DFLASH, async () => {
  const target = await loadTarget(QWEN3, testDevice);
  return async (directory) => {
    const drafter = await loadDrafter(directory, target.config, testDevice);
    drafter.dispose();
    return drafter.maxDraftTokens;
  };
});
