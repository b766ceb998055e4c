// The config.json of a model directory, which says what kind of model lies there. Loads nothing else.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { InputError } from '../inputError';
import { ConfigFields } from './configFields';

/** Throws InputError where there is none that can be read. */
export function readConfig(directory: string): ConfigFields {
  if (!existsSync(`${directory}/`)) {
    throw new InputError({
      expected: `a model directory at ${directory}`,
      got: 'no directory',
      remedy: 'give the folder that holds config.json and the weights',
    });
  }
  return ConfigFields.read(join(directory, 'config.json'));
}
