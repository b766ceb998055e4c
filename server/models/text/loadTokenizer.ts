// Loads the tokenizer of a model folder, within limits of processor time for the load and for each call.
import { join } from 'node:path';
import type { Tokenizer as LibraryTokenizer } from '@huggingface/tokenizers';
import { CpuLimit } from '../../machine/cpuLimit';
import { attempt } from '../../rules/userError';
import type { ConfigFields } from '../checkpoint/configFields';
import { isListed } from '../checkpoint/modelText';
import { HuggingFaceTokenizer, libraryIds } from './huggingFaceTokenizer';
import type { Timed } from './tokenDecoder';
import type { LoadedTokenizer, TextStart } from './tokenizer';
import { readTokenizerConfig, tokenText } from './tokenizerConfig';
import { libraryTokenizer, readTokenizerFile } from './tokenizerFile';

/** Limits of processor time, in milliseconds. */
interface TokenizerLimits {
  readonly loadMs: number;
  readonly callMs: number;
}

/** Default limits: far more than a large vocabulary takes. */
const LIMITS: TokenizerLimits = { loadMs: 60_000, callMs: 30_000 };
/**
 * Characters that add a millisecond to the limit of a call: a tenth of the speed of the slowest texts, which repeat one
 * letter.
 */
const CHARACTERS_PER_MS = 50;
/** Text to encode at load, so that regular expressions that backtrack endlessly fail then. */
const PROBE = ['a', 'A', '1', ' ', '\n', '.', '_', 'é', '語', 'aA1 ']
  .map((text) => text.repeat(64))
  .join('\0');
/** Runs work without a limit, for decoders without regular expressions: decoding happens every few milliseconds. */
const untimed: Timed = (work) => work();

/**
 * Loads the tokenizer.json of a model folder; undefined if there is none, so that only token ids work. Throws
 * UserError; calls that exceed their processor time throw CpuLimitReached.
 */
export function loadTokenizer(
  directory: string,
  limits: TokenizerLimits = LIMITS,
): LoadedTokenizer | undefined {
  const file = join(directory, 'tokenizer.json');
  if (!isListed(file)) return undefined;
  const config = readTokenizerConfig(directory);
  const limit = new CpuLimit(`The tokenizer in ${file}`);
  const timed: Timed = (work, characters = 0) =>
    limit.run(limits.callMs + Math.floor(characters / CHARACTERS_PER_MS), work);
  const load = (): LoadedTokenizer => {
    const tokenizer = readTokenizerFile(file);
    const decoderUsesRegex = JSON.stringify(tokenizer.fields.raw('decoder') ?? '').includes('"Regex"');
    const expected = `a tokenizer that @huggingface/tokenizers can read in ${file}`;
    return attempt(expected, 'download the file again, or use another model', () => {
      const library = libraryTokenizer(tokenizer, config);
      const times = { encoding: timed, decoding: decoderUsesRegex ? timed : untimed };
      const loaded = new HuggingFaceTokenizer(directory, library, textStart(library, config), times);
      loaded.encodeText(PROBE);
      return loaded;
    });
  };
  return limit.run(limits.loadMs, load);
}

/** Finds the start of prompts. `config` is tokenizer_config.json, whose `add_bos_token` overrides tokenizer.json. */
function textStart(tokenizer: LibraryTokenizer, config: ConfigFields): TextStart {
  const [first = ''] = tokenizer.tokenize('x', { add_special_tokens: false });
  return { ids: beginTokens(tokenizer, config), space: /^[▁Ġ]/.test(first) ? ' ' : '' };
}

/** Returns the tokens that begin a prompt: the begin token, or those that tokenizer.json puts before every text. */
function beginTokens(tokenizer: LibraryTokenizer, config: ConfigFields): readonly number[] {
  if (config.has('add_bos_token')) {
    if (!config.boolean('add_bos_token')) return [];
    const id = tokenizer.token_to_id(tokenText(config.raw('bos_token')));
    if (id !== undefined) return [id];
  }
  const plain = libraryIds(tokenizer, 'x');
  const ids = libraryIds(tokenizer, 'x', true);
  const at = ids.findIndex((_, i) => plain.every((id, j) => ids[i + j] === id));
  return ids.slice(0, Math.max(0, at));
}
