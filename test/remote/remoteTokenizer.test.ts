// Tests where the tokenizer of a remote model is found by its name.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, utimesSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pairById, variantsOf } from '../../server/hub/knownPairs';
import { remoteVocabulary } from '../../server/remote/remoteTokenizer';
import { EMBEDDED_PAIR } from '../support/embeddedPair';
import { downloaded } from '../support/hub/downloaded';
import { temporaryFolder } from '../support/temporaryFolder';

/** Copies the tokenizer of the built-in model. */
function writeTokenizer(folder: string): string {
  mkdirSync(folder, { recursive: true });
  for (const file of ['tokenizer.json', 'tokenizer_config.json'])
    cpSync(join(EMBEDDED_PAIR.targetDirectory, file), join(folder, file));
  return folder;
}

describe('the tokenizer of a remote model', () => {
  it('is found in a folder, in the cache or in the built-in pair, without weights', () => {
    const cache = temporaryFolder();
    const snapshot = (name: string, digit: string): string =>
      join(cache, `models--org--${name}`, 'snapshots', digit.repeat(40));
    mkdirSync(snapshot('coder', '0'), { recursive: true });
    utimesSync(writeTokenizer(snapshot('coder', '1')), 1, 1);
    const folder = writeTokenizer(temporaryFolder());
    for (const name of ['built-in', folder, relative('.', folder), 'org/coder']) {
      const { tokenizer, chatTemplate } = remoteVocabulary(name, cache);
      assert.notEqual(tokenizer.specialTokenId('<|fim_middle|>'), undefined, name);
      assert.equal(chatTemplate.render([{ role: 'user', content: 'x' }]), undefined);
    }
  });

  it('is found in the cache by the name of a known model', () => {
    const cache = temporaryFolder();
    const [{ target } = assert.fail()] = variantsOf(pairById('qwen2.5-coder-7b') ?? assert.fail());
    writeTokenizer(downloaded(cache, target));
    const { tokenizer } = remoteVocabulary('qwen2.5-coder-7b', cache);
    assert.notEqual(tokenizer.specialTokenId('<|fim_middle|>'), undefined);
  });

  it('is reported as missing with the places where it was searched', () => {
    const cache = temporaryFolder();
    const missing = (name: string): void => {
      assert.throws(
        () => remoteVocabulary(name, cache),
        new RegExp(
          `^UserError: There is no tokenizer named ${name}: .* a model in ${cache}\\. Download tokenizer\\.json`,
        ),
      );
    };
    mkdirSync(join(cache, 'models--org--empty', 'snapshots', '0'.repeat(40)), { recursive: true });
    for (const name of [temporaryFolder(), 'org/none', 'org/empty']) missing(name);
  });
});
