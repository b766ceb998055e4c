// Tests where downloads, measurements and the home folder are, by the variables of the environment.
import assert from 'node:assert/strict';
import { rmSync, statSync } from 'node:fs';
import os, { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { mock } from 'node:test';
import { ensureHomeFolder, flashlineCacheFolder, modelCacheFolder } from '../../server/machine/folders';

const VARIABLES = [
  'FLASHLINE_CACHE',
  'XDG_CACHE_HOME',
  'LOCALAPPDATA',
  'HOME',
  'HF_HUB_CACHE',
  'HUGGINGFACE_HUB_CACHE',
  'HF_HOME',
] as const;

/** Calls `find` with only these of the variables. */
function withVariables<T>(variables: Partial<Record<(typeof VARIABLES)[number], string>>, find: () => T): T {
  const before = VARIABLES.map((name) => [name, process.env[name]] as const);
  for (const name of VARIABLES) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, variables);
  try {
    return find();
  } finally {
    for (const [name, value] of before)
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
  }
}

describe('machine/folders.ts', () => {
  let home: string | undefined;
  beforeEach(() => {
    home = '/home/ada';
    mock.method(os, 'homedir', () => {
      if (home === undefined) throw new Error('uv_os_homedir returned ENOENT');
      return home;
    });
  });
  afterEach(() => {
    mock.restoreAll();
  });

  it('finds downloads by the option or by the variables of other tools', () => {
    const others = { HUGGINGFACE_HUB_CACHE: '/b', HF_HOME: '/c', XDG_CACHE_HOME: '/d' };
    const all = { HF_HUB_CACHE: '/a', ...others };
    const found = (variables: Parameters<typeof withVariables>[0], given?: string): string =>
      withVariables(variables, () => modelCacheFolder(given));
    assert.equal(found(all, 'given'), resolve('given'));
    assert.equal(found(all), '/a');
    assert.equal(found(others), '/b');
    assert.equal(found({ HF_HOME: '/c', XDG_CACHE_HOME: '/d' }), '/c/hub');
    assert.equal(found({ XDG_CACHE_HOME: '/d' }), '/d/huggingface/hub');
    assert.equal(found({}), '/home/ada/.cache/huggingface/hub');
    // As in other Hugging Face tools, ~ is the home folder: no shell replaces it in a file such as .env.
    assert.equal(found({ HF_HUB_CACHE: '~/a' }), '/home/ada/a');
    assert.equal(found({ HF_HOME: '~' }), '/home/ada/hub');
    assert.equal(found({ XDG_CACHE_HOME: '~/d' }), '/home/ada/d/huggingface/hub');
    assert.equal(found({ HF_HOME: '~bob/c' }), resolve('~bob/c/hub'));
    // A blank variable would name the working directory.
    const blank = { HF_HUB_CACHE: '', HUGGINGFACE_HUB_CACHE: '', HF_HOME: '', XDG_CACHE_HOME: ' ' };
    assert.equal(found(blank), '/home/ada/.cache/huggingface/hub');
  });

  for (const [platform, variables, folder] of [
    ['linux', { FLASHLINE_CACHE: '/f', XDG_CACHE_HOME: '/d' }, '/f'],
    ['linux', { FLASHLINE_CACHE: ' ', XDG_CACHE_HOME: '/d', LOCALAPPDATA: '/l' }, '/d/flashline'],
    ['linux', { FLASHLINE_CACHE: '~/f' }, '/home/ada/f'],
    ['linux', { XDG_CACHE_HOME: '~/d' }, '/home/ada/d/flashline'],
    ['linux', {}, '/home/ada/.cache/flashline'],
    ['darwin', { XDG_CACHE_HOME: '/d' }, '/home/ada/Library/Caches/flashline'],
    ['darwin', { FLASHLINE_CACHE: '/f' }, '/f'],
  ] as const)
    it(`finds measurements in ${folder} on ${platform} with ${JSON.stringify(variables)}`, () => {
      mock.method(os, 'platform', () => platform);
      assert.equal(
        withVariables(variables, () => flashlineCacheFolder()),
        folder,
      );
    });

  it('creates a home folder that only this user can read where the system knows none', () => {
    home = undefined;
    const homes = [0, 1].map(() =>
      withVariables({}, () => {
        ensureHomeFolder();
        return process.env['HOME'] ?? '';
      }),
    );
    assert.notEqual(homes[0], homes[1], 'another user could create a folder with a name that is known');
    for (const folder of homes) {
      assert.equal(dirname(folder), join(tmpdir()));
      assert.equal(statSync(folder).mode & 0o077, 0);
      rmSync(folder, { recursive: true });
    }
    home = '/home/ada';
    withVariables({}, () => {
      ensureHomeFolder();
      assert.equal(process.env['HOME'], undefined, 'a known home is kept');
    });
  });
});
