// Tests which folders for models the environment variables choose.
import assert from 'node:assert/strict';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { huggingFaceHome, modelCacheFolder } from '../../server/machine/folders';

const DEFAULT_HOME = join(homedir(), '.cache', 'huggingface');

describe('the folders of models', () => {
  const saved = { ...process.env };
  afterEach(() => {
    const added = Object.keys(process.env).filter((name) => !(name in saved));
    for (const name of added) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, saved);
  });

  it('follow the variables of Hugging Face tools', () => {
    assert.equal(huggingFaceHome({ HF_HOME: '/home', XDG_CACHE_HOME: '/cache' }), '/home');
    assert.equal(huggingFaceHome({ XDG_CACHE_HOME: '/cache' }), join('/cache', 'huggingface'));
    assert.equal(huggingFaceHome({}), DEFAULT_HOME);
    Object.assign(process.env, { HF_HUB_CACHE: '/hub', HUGGINGFACE_HUB_CACHE: '/older' });
    assert.equal(modelCacheFolder(undefined), resolve('/hub'));
    assert.equal(modelCacheFolder('/given'), resolve('/given'));
  });

  it('take blank variables as unset, which would name the working directory', () => {
    assert.equal(huggingFaceHome({ HF_HOME: '', XDG_CACHE_HOME: ' ' }), DEFAULT_HOME);
    const blank = { HF_HUB_CACHE: '', HUGGINGFACE_HUB_CACHE: '', HF_HOME: '', XDG_CACHE_HOME: '' };
    Object.assign(process.env, blank);
    assert.equal(modelCacheFolder(undefined), join(DEFAULT_HOME, 'hub'));
  });
});
