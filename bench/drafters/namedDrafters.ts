// The drafters that are compared, by name: those of the command line, or one of each kind for the built-in target.
import { resolve } from 'node:path';
import { InputError } from '../../server/inputError';
import { mediaPath } from '../../server/mediaPath';

export interface NamedDrafter {
  readonly name: string;
  readonly folder: string;
}

/** From NAME=FOLDER each. Throws InputError for what is not of that form, and for a name that occurs twice. */
export function namedDrafters(texts: readonly string[] | undefined): NamedDrafter[] {
  if (texts === undefined)
    return [
      { name: 'DFlash', folder: mediaPath('model/drafter') },
      { name: 'DSpark', folder: mediaPath('../test/fixtures/drafters/dspark/built-in') },
    ];
  const seen = new Set<string>();
  return texts.map((text) => {
    const at = text.indexOf('=');
    const [name, folder] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
    if (name === '' || folder === '' || seen.has(name)) {
      const expected = '--drafter to be NAME=FOLDER, with another name for each';
      throw new InputError({ expected, got: `"${text}"`, remedy: 'give a name and a model directory' });
    }
    seen.add(name);
    return { name, folder: resolve(folder) };
  });
}
