// The folder of a model with its config.json, which a load reads once, and the options of a load.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { tooManyOpenFiles } from '../../rules/openFiles';
import { WrongValue } from '../../rules/userError';
import type { Device } from '../mlx/device';
import { ConfigFields } from './configFields';
import { QUANTISATION_FILES, withQuantisationOfOtherFiles } from './foreignQuantisation';

export interface ModelFolder {
  readonly directory: string;
  /** Fields of its config.json. */
  readonly fields: ConfigFields;
}

/** Called with the fraction of the weights that has been read, 0 to 1. */
export type OnProgress = (fraction: number) => void;

/** Called with a line for the log about something that the user might not expect. */
export type OnNote = (line: string) => void;

/** Files of a model, and the device to load it on. */
export interface ModelFiles extends ModelFolder {
  readonly device: Device;
  readonly onProgress?: OnProgress | undefined;
  readonly onNote?: OnNote | undefined;
}

/** Reads the config.json of a model, with a quantisation that only another file names. Throws UserError. */
export function readModelFolder(directory: string): ModelFolder {
  const config = ConfigFields.ofModel(directory);
  const quantisationFiles = QUANTISATION_FILES.map((name) =>
    ConfigFields.readOptional(join(directory, name)),
  );
  return { directory, fields: withQuantisationOfOtherFiles(config, quantisationFiles) };
}

/** Returns the names of what a model's folder contains. Throws UserError for a folder that cannot be listed. */
export function namesInFolder(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (cause) {
    const { code = String(cause) } = cause as NodeJS.ErrnoException;
    const remedy = 'allow this user to list it, for example with chmod u+rx, or choose another one';
    const problem = tooManyOpenFiles(cause) ?? { got: code, remedy };
    throw new WrongValue({ expected: `a folder that can be listed at ${directory}`, ...problem, cause });
  }
}
