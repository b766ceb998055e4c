// Finds the tokenizer of a remote model by the name that the user gives: a folder, a known or downloaded model, or a
// repository with at least its tokenizer in the cache. Needs neither a network nor the weights.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pairDirectories } from '../hub/pairDirectories';
import { isRepositoryName, RepositoryCache } from '../hub/repositoryCache';
import { modelCacheFolder } from '../machine/folders';
import { UserError } from '../rules/userError';
import { OwnTemplate } from '../models/text/ownTemplate';
import { loadTokenizer } from '../models/text/loadTokenizer';
import type { PromptPart, Tokenizer } from '../models/text/tokenizer';

export interface RemoteVocabulary {
  readonly tokenizer: Tokenizer;
  readonly chatTemplate: OwnTemplate;
}

/** Name of the built-in pair's tokenizer. */
const BUILT_IN = 'built-in';
const FILE = 'tokenizer.json';

/** Loads the tokenizer and chat template of that name. Throws UserError if there is no tokenizer. */
export function remoteVocabulary(name: string, cache = modelCacheFolder(undefined)): RemoteVocabulary {
  const directory = tokenizerFolder(name, cache);
  const tokenizer = directory === undefined ? undefined : loadTokenizer(directory);
  if (directory === undefined || tokenizer === undefined)
    throw new UserError(
      `There is no tokenizer named ${name}: neither a folder with ${FILE} nor a model in ${cache}. ` +
        `Download ${FILE} and tokenizer_config.json of the model and name their folder, or leave it out.`,
    );
  return { tokenizer, chatTemplate: new OwnTemplate(directory, tokenizer) };
}

/** Returns the folder of a tokenizer; undefined if there is none. */
function tokenizerFolder(name: string, cache: string): string | undefined {
  if (name === BUILT_IN) return pairDirectories().targetDirectory;
  if (existsSync(join(name, FILE))) return resolve(name);
  if (!isRepositoryName(name)) return existsSync(name) ? undefined : pairDirectories(name).targetDirectory;
  const repository = new RepositoryCache(cache, name);
  return repository
    .commits()
    .map((commit) => repository.snapshot(commit))
    .find((folder) => existsSync(join(folder, FILE)));
}

/** Matches up to six letters with a space before them, about a token of code; white space; or one other character. */
const PIECES = / ?[\p{L}\p{N}_$]{1,6}|[ \t]+(?=[ \t])|[ \t]+(?![^ \t])|[^]/gu;
/** Special tokens; their ids are their indices. This format has no file names, as a suffix cannot contain them. */
const SPECIAL: readonly string[] = ['<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>'];
const [PREFIX, SUFFIX, MIDDLE] = [0, 1, 2];

export interface PromptText {
  readonly prompt: string;
  /** Text after the gap; undefined for a prompt to be continued. */
  readonly suffix?: string | undefined;
}

/**
 * Replaces an unknown tokenizer, so that prompts are built, cut and healed as usual. Its tokens are short pieces of
 * text, which the server tokenizes again. It has the tokens of one fill-in-the-middle format, at which `texts` splits a
 * prompt into the text before the cursor and the text after it.
 */
export class TextTokenizer implements Tokenizer {
  readonly textStart = { ids: [], space: '' } as const;
  /** Ids by piece; only distinct pieces are kept, so the map stays small. */
  readonly #ids = new Map<string, number>();
  readonly #pieces: string[] = SPECIAL.map(() => '');

  encodePrompt(text: string): number[] {
    return this.encodeText(text);
  }

  encodeParts(parts: readonly PromptPart[]): number[] {
    return this.encodeText(parts.map(({ text }) => text).join(''));
  }

  encodeText(text: string): number[] {
    return (text.match(PIECES) ?? []).map((piece) => {
      const id = this.#ids.get(piece) ?? this.#pieces.push(piece) - 1;
      this.#ids.set(piece, id);
      return id;
    });
  }

  decode(ids: readonly number[]): string {
    return ids.map((id) => this.#pieces[id] ?? '').join('');
  }

  spell(ids: readonly number[]): string {
    return ids.map((id) => SPECIAL[id] ?? this.#pieces[id] ?? '').join('');
  }

  bytes(id: number, special?: 'left out'): Uint8Array {
    return Buffer.from(special ? this.decode([id]) : this.spell([id]));
  }

  specialTokenId(content: string): number | undefined {
    const id = SPECIAL.indexOf(content);
    return id < 0 ? undefined : id;
  }

  /** Splits a prompt into its texts. */
  texts(ids: readonly number[]): PromptText {
    const [prefix, suffix, middle] = [PREFIX, SUFFIX, MIDDLE].map((id) => ids.indexOf(id ?? 0));
    if (prefix !== 0 || suffix === undefined || suffix < 0) return { prompt: this.decode(ids) };
    return { prompt: this.decode(ids.slice(1, suffix)), suffix: this.decode(ids.slice(suffix + 1, middle)) };
  }
}
