// What makes a model another one: its config and index, and the names and sizes of the files that are read.
import assert from 'node:assert/strict';
import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { modelFingerprint } from '../../server/hosting/profileStore';
import { temporaryFolder } from '../support/temporaryFolder';

const INDEX = 'model.safetensors.index.json';

function model(): string {
  const folder = temporaryFolder();
  for (const name of ['config.json', INDEX, 'tokenizer.json', 'model-1.safetensors', 'chat_template.jinja'])
    writeFileSync(join(folder, name), `{"of":"${name}"}`);
  return folder;
}

describe('the fingerprint of a model', () => {
  it('is the same for the same files, wherever they lie and whatever lies beside them', () => {
    const folder = model();
    const found = modelFingerprint(folder);
    const copy = join(temporaryFolder(), 'copy');
    cpSync(folder, copy, { recursive: true });
    writeFileSync(join(copy, 'README.md'), 'about it');
    mkdirSync(join(copy, 'logs'));
    assert.equal(modelFingerprint(copy), found);
  });

  for (const name of ['config.json', INDEX])
    it(`changes with any character of ${name}`, () => {
      const folder = model();
      const before = modelFingerprint(folder);
      const text = readFileSync(join(folder, name), 'utf8');
      writeFileSync(join(folder, name), text.replace('of', 'is'));
      assert.notEqual(modelFingerprint(folder), before);
    });

  for (const name of ['model-1.safetensors', 'tokenizer.json', 'chat_template.jinja'])
    it(`changes with the size of ${name}, and when it goes`, () => {
      const folder = model();
      const found = [modelFingerprint(folder)];
      appendFileSync(join(folder, name), ' ');
      found.push(modelFingerprint(folder));
      rmSync(join(folder, name));
      found.push(modelFingerprint(folder));
      writeFileSync(join(folder, 'model-2.safetensors'), '');
      found.push(modelFingerprint(folder));
      assert.equal(new Set(found).size, found.length);
    });

  it('is that of the path where nothing can be read', () => {
    const [one, other] = [join(temporaryFolder(), 'a'), join(temporaryFolder(), 'a')];
    assert.notEqual(modelFingerprint(one), modelFingerprint(other));
    assert.equal(modelFingerprint(one), modelFingerprint(one));
  });
});
