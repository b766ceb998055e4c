// The tokenizer of a remote model, by the name that the user gives: a folder, a known or downloaded model, or a
// repository of whose files the cache has at least the tokenizer. Needs no network, and none of the weights.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pairDirectories } from '../hub/pairDirectories';
import { isRepositoryName } from '../hub/repository';
import { cacheFolder, RepositoryCache } from '../hub/repositoryCache';
import { InputError } from '../rules/inputError';
import { loadChatTemplate, type ChatTemplate } from '../models/text/chatTemplate';
import { loadTokenizer, type Tokenizer } from '../models/text/tokenizer';

export interface RemoteVocabulary {
  readonly tokenizer: Tokenizer;
  readonly chatTemplate: ChatTemplate | undefined;
}

/** What names the tokenizer of the built-in pair. */
const BUILT_IN = 'built-in';
const FILE = 'tokenizer.json';

/** Throws InputError unless there is one. */
export function remoteVocabulary(name: string, cache = cacheFolder(undefined)): RemoteVocabulary {
  const directory = tokenizerFolder(name, cache);
  const tokenizer = directory === undefined ? undefined : loadTokenizer(directory);
  if (directory === undefined || tokenizer === undefined)
    throw new InputError({
      expected: `a tokenizer named ${name}: a folder with ${FILE}, or a model in ${cache}`,
      got: 'none',
      remedy: `download ${FILE} and tokenizer_config.json of the model and name their folder, or leave it out`,
    });
  const chatTemplate = loadChatTemplate(directory, tokenizer);
  return { tokenizer, chatTemplate: chatTemplate instanceof InputError ? undefined : chatTemplate };
}

/** Undefined where there is none. */
function tokenizerFolder(name: string, cache: string): string | undefined {
  if (name === BUILT_IN) return pairDirectories().targetDirectory;
  if (existsSync(join(name, FILE))) return resolve(name);
  if (!isRepositoryName(name)) return existsSync(name) ? undefined : pairDirectories(name).targetDirectory;
  const own = new RepositoryCache(cache, name);
  return own
    .commits()
    .map((commit) => own.snapshot(commit))
    .find((folder) => existsSync(join(folder, FILE)));
}
