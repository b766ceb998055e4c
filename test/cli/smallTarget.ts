// A target that loads quickly and completes text: the golden Qwen3 with a tokenizer of single bytes. It writes noise
// that depends on every token of the prompt.
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIM_TOKENS } from '../support/fimTokens';
import { QWEN3 } from '../support/fixtures';
import { temporaryFolder } from '../support/temporaryFolder';
import { writeJson } from '../support/tinyCheckpoint';

/** First token id with text. */
const FIRST_BYTE = 3;
/** ASCII, UTF-8 continuation bytes, and the lead bytes of umlauts, arrows, a byte order mark and emoji. */
const BYTES = [...Array(192).keys(), 0xc3, 0xe2, 0xef, 0xf0];
const FIRST_SPECIAL = 200;

export interface SmallTargetOptions {
  /** Folder for the files; a new temporary one by default. */
  readonly folder?: string;
  readonly context?: number;
  readonly specialTokens?: readonly string[];
}

/** Writes the files and returns their folder. Outputs end only at the token limit: there is no end token. */
export function writeSmallTarget(options: SmallTargetOptions = {}): string {
  const { folder = temporaryFolder(), context = 512, specialTokens = FIM_TOKENS } = options;
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(QWEN3, 'model.safetensors'), join(folder, 'model.safetensors'));
  const config = JSON.parse(readFileSync(join(QWEN3, 'config.json'), 'utf8')) as object;
  writeJson(folder, 'config.json', { ...config, max_position_embeddings: context, eos_token_id: [] });
  writeJson(folder, 'tokenizer.json', byteTokenizer(specialTokens));
  return folder;
}

/** Returns the token ids of text without special tokens. */
export function byteIds(text: string): number[] {
  return [...Buffer.from(text)].map((byte) => FIRST_BYTE + BYTES.indexOf(byte));
}

/** Returns the token id of one of FIM_TOKENS. */
export function fimId(token: (typeof FIM_TOKENS)[number]): number {
  return FIRST_SPECIAL + FIM_TOKENS.indexOf(token);
}

function byteTokenizer(specialTokens: readonly string[]): object {
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false };
  const letters = byteLetters();
  return {
    version: '1.0',
    added_tokens: specialTokens.map((content, i) => ({
      id: FIRST_SPECIAL + i,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: null,
    pre_tokenizer: byteLevel,
    post_processor: null,
    decoder: byteLevel,
    model: {
      type: 'BPE',
      vocab: Object.fromEntries(BYTES.map((byte, i) => [letters[byte], FIRST_BYTE + i])) as object,
      merges: [],
    },
  };
}

/** Returns the letters for bytes in byte-level vocabularies: printable ones are themselves, the rest from U+0100 on. */
function byteLetters(): string[] {
  let unprintable = 0;
  return Array.from({ length: 256 }, (_, byte) => {
    const printable = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
    return String.fromCodePoint(printable ? byte : 256 + unprintable++);
  });
}
