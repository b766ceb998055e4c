// Finds the tokenizer of a remote model by the name that the user gives: a folder, a known or downloaded model, or a
// repository with at least its tokenizer in the cache. Needs neither a network nor the weights.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pairDirectories } from '../hub/pairDirectories';
import { isRepositoryName, RepositoryCache } from '../hub/repositoryCache';
import { modelCacheFolder } from '../machine/folders';
import { UserError } from '../rules/userError';
import { ReloadingTemplate } from '../models/text/reloadingTemplate';
import { loadTokenizer } from '../models/text/loadTokenizer';
import type { Tokenizer } from '../models/text/tokenizer';

export interface RemoteVocabulary {
  readonly tokenizer: Tokenizer;
  readonly chatTemplate: ReloadingTemplate;
}

/** Name of the built-in pair's tokenizer. */
const BUILT_IN = 'built-in';
const TOKENIZER_FILE = 'tokenizer.json';

/** Loads the tokenizer and chat template of that name. Throws UserError if there is no tokenizer. */
export function remoteVocabulary(name: string, cache = modelCacheFolder(undefined)): RemoteVocabulary {
  const directory = tokenizerFolder(name, cache);
  const tokenizer = directory === undefined ? undefined : loadTokenizer(directory);
  if (directory === undefined || tokenizer === undefined)
    throw new UserError(
      `There is no tokenizer named ${name}: neither a folder with tokenizer.json nor a model in ${cache}. ` +
        'Download tokenizer.json and tokenizer_config.json of the model and name their folder, ' +
        'or leave the tokenizer out.',
    );
  return { tokenizer, chatTemplate: new ReloadingTemplate(directory, tokenizer) };
}

/** Returns the folder of a tokenizer; undefined if there is none. */
function tokenizerFolder(name: string, cache: string): string | undefined {
  if (name === BUILT_IN) return pairDirectories().targetDirectory;
  if (existsSync(join(name, TOKENIZER_FILE))) return resolve(name);
  if (!isRepositoryName(name)) {
    // A known model, unless an existing folder without a tokenizer has that name.
    return existsSync(name) ? undefined : pairDirectories(name, '', { cache }).targetDirectory;
  }
  const repository = new RepositoryCache(cache, name);
  return repository
    .commits()
    .map((commit) => repository.snapshot(commit))
    .find((folder) => existsSync(join(folder, TOKENIZER_FILE)));
}
