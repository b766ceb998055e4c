// Parses the config.json of a fixture as its family does, with some entries replaced.
import { ConfigFields } from '../../server/models/checkpoint/configFields';
import { readCheckpoint } from './fixtures';
import { withConfig } from './tinyCheckpoint';

export type Entries = Readonly<Record<string, unknown>>;
export type Parse<T> = (fields: ConfigFields) => T;

/** Parses the fixture's config.json after adding `entries`, which replace those of the same name. */
export function parseFixture<T>(parse: Parse<T>, directory: string, entries: Entries = {}): T {
  const { config } = withConfig(readCheckpoint(directory), entries);
  return parse(new ConfigFields('config.json', config));
}
