// Small tokenizer.json files of the kinds that model families have: bytes as letters (Qwen, Llama 3, DeepSeek), and
// SentencePiece pieces with a fallback to bytes (Llama 2, Code Llama, Mistral, Gemma). Made up, with a few merges.
import { temporaryFolder } from './temporaryFolder';
import { writeJson } from './tinyCheckpoint';

export interface VocabularyOptions {
  readonly kind: 'bytes' | 'pieces';
  /** Control tokens, in the order of their ids, from FIRST_ADDED on. */
  readonly added: readonly string[];
  /** Added tokens that count as text. */
  readonly written?: readonly string[];
  /** Whether pieces put a space before a text: at its start, or after each control token too. */
  readonly space?: 'first' | 'always';
  /** Token of `added` that absorbs the white space after it. */
  readonly rstrip?: string;
  /** Token of `added` that the file puts before every text. */
  readonly begin?: string;
  readonly config?: object;
}

export const FIRST_ADDED = 900;
const SPACE = '▁';

/** Writes tokenizer.json and tokenizer_config.json to a new folder, and returns it. */
export function writeVocabulary(options: VocabularyOptions): string {
  const folder = temporaryFolder();
  writeJson(folder, 'tokenizer.json', options.kind === 'bytes' ? bytes(options) : pieces(options));
  writeJson(folder, 'tokenizer_config.json', options.config ?? {});
  return folder;
}

function pieces(options: VocabularyOptions): object {
  const letters = [SPACE, ...Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i))];
  const merges = ['d e', 'de f', '▁ def', 'a b', '▁ a', '▁ ▁'];
  const hex = (byte: number): string => byte.toString(16).toUpperCase().padStart(2, '0');
  const byteNames = Array.from({ length: 256 }, (_, byte) => `<0x${hex(byte)}>`);
  const prepend = options.space === 'always' ? [{ type: 'Prepend', prepend: SPACE }] : [];
  const replace = { type: 'Replace', pattern: { String: ' ' }, content: SPACE };
  const isMetaspace = options.space === 'first';
  const strip = options.space === undefined ? [] : [{ type: 'Strip', content: ' ', start: 1, stop: 0 }];
  return {
    ...frame(options),
    normalizer: isMetaspace ? null : { type: 'Sequence', normalizers: [...prepend, replace] },
    pre_tokenizer: isMetaspace
      ? { type: 'Metaspace', replacement: SPACE, prepend_scheme: 'first', split: false }
      : null,
    decoder: {
      type: 'Sequence',
      decoders: [
        { type: 'Replace', pattern: { String: SPACE }, content: ' ' },
        { type: 'ByteFallback' },
        { type: 'Fuse' },
        ...strip,
      ],
    },
    model: {
      unk_token: '<unk>',
      fuse_unk: true,
      byte_fallback: true,
      ...bpe(['<unk>', ...byteNames, ...letters], merges),
    },
  };
}

function bytes(options: VocabularyOptions): object {
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false };
  let unprintableCount = 0;
  const letters = Array.from({ length: 256 }, (_, byte) => {
    const printable = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
    return String.fromCodePoint(printable ? byte : 256 + unprintableCount++);
  });
  return {
    ...frame(options),
    normalizer: null,
    pre_tokenizer: byteLevel,
    decoder: byteLevel,
    model: bpe(letters, ['d e', 'de f', 'a b', 'Ġ a']),
  };
}

/** Creates a byte-pair model; each merge joins two pieces to a new one. */
function bpe(letters: readonly string[], merges: readonly string[]): object {
  const pieces = [...letters, ...merges.map((merge) => merge.replace(' ', ''))];
  const vocab = Object.fromEntries(pieces.map((piece, i) => [piece, i]));
  return { type: 'BPE', vocab, merges: merges.map((merge) => merge.split(' ')) };
}

function frame({ added, written = [], begin, ...options }: VocabularyOptions): object {
  const token = (special: boolean) => (content: string) => {
    const id = FIRST_ADDED + [...added, ...written].indexOf(content);
    const rstrip = content === options.rstrip;
    return { id, content, single_word: false, lstrip: false, rstrip, normalized: false, special };
  };
  const template = begin !== undefined && {
    type: 'TemplateProcessing',
    single: [{ SpecialToken: { id: begin, type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
    pair: [],
    special_tokens: { [begin]: { id: begin, ids: [FIRST_ADDED + added.indexOf(begin)], tokens: [begin] } },
  };
  return {
    version: '1.0',
    added_tokens: [...added.map(token(true)), ...written.map(token(false))],
    post_processor: template === false ? null : template,
  };
}
