// The folder of a model, and what loading it takes.
import { join } from 'node:path';
import type { Device } from '../mlx/device';
import { ConfigFields } from './configFields';
import { QUANTISATION_FILES, withQuantisationOfOtherFiles } from './foreignQuantisation';

/** Called with the fraction of the weights that has been read, 0 to 1. */
export type OnProgress = (fraction: number) => void;

/** Called with a line for the log about something that the user might not expect. */
export type OnNote = (line: string) => void;

/** Files of a model, and the device to load it on. */
export interface ModelFiles {
  readonly directory: string;
  /** Fields of its config.json. */
  readonly fields: ConfigFields;
  readonly device: Device;
  readonly onProgress?: OnProgress | undefined;
  readonly onNote?: OnNote | undefined;
}

/** Reads the config.json of a model, with a quantisation that only another file names. Throws UserError. */
export function readConfig(directory: string): ConfigFields {
  const quantisationFiles = QUANTISATION_FILES.map((name) =>
    ConfigFields.readOptional(join(directory, name)),
  );
  return withQuantisationOfOtherFiles(ConfigFields.ofModel(directory), quantisationFiles);
}
