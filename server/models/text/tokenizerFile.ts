// A tokenizer.json as an object of @huggingface/tokenizers. Parts in which that library differs from Hugging Face's
// Rust library are replaced by our own or refused by name, because other ids than in training silently make a model
// worse.
//
// Vocabulary and merges are read from the bytes of the file into lists of numbers: parsing the whole file and building
// the library's model takes twice the time and memory.
import { isUtf8 } from 'node:buffer';
import { Tokenizer as LibraryTokenizer } from '@huggingface/tokenizers';
import { quoted } from '../../rules/userError';
import { BytePairs } from './bytePairs';
import { JsonBytes, type Range } from './jsonBytes';
import { isTokenId, MAX_IDS, TokenTable, type PairLists } from './tokenTable';
import { ConfigFields } from '../checkpoint/configFields';
import { readLargeJson } from '../checkpoint/modelText';
import { preTokenizer } from './preTokenizers';
import { UnigramPieces } from './unigram';

/** Empty values of the fields that the library requires. */
const NO_STEPS = {
  normalizer: null,
  pre_tokenizer: null,
  post_processor: null,
  decoder: null,
  added_tokens: [],
};
/** Placeholder for the model, which is replaced by our own: the library's takes longer to load than all the rest. */
const NO_MODEL = { type: 'BPE', vocab: {}, merges: [] };
/** Supported normalizers. The library only approximates Precompiled and BertNormalizer. */
const NORMALIZERS = [
  'NFC',
  'NFD',
  'NFKC',
  'NFKD',
  'Lowercase',
  'Prepend',
  'Replace',
  'Strip',
  'StripAccents',
];
const OTHER_MODEL = 'use another model';

interface TokenizerFile {
  readonly fields: ConfigFields;
  /**
   * Vocabulary and merges of byte pairs, which are then empty in `fields`; undefined for other models and for unusual
   * files, whose lists stay in `fields`.
   */
  readonly lists: PairLists | undefined;
}

/** Reads a tokenizer.json. Throws UserError for a file that cannot be read as JSON. */
export function readTokenizerFile(file: string): TokenizerFile {
  let lists: PairLists | undefined;
  const fields = ConfigFields.read(file, () => {
    const bytes = readLargeJson(file);
    let rest = bytes;
    try {
      ({ rest, ...lists } = withoutLists(bytes));
    } catch {
      // Another model, an unusual file or a damaged one: parsed whole below, which reports damage.
    }
    return new TextDecoder().decode(rest);
  });
  return { fields, lists };
}

/** Reads vocabulary and merges and empties them in `bytes`. Throws SyntaxError for an unusual file. */
function withoutLists(bytes: Buffer): PairLists & { readonly rest: Buffer } {
  if (!isUtf8(bytes)) throw new SyntaxError('Expected UTF-8');
  const json = new JsonBytes(bytes);
  const ranges: Range[] = [];
  const read = <T>(list: () => T): T => {
    const from = json.here;
    const value = list();
    // The last range comes first, as emptying it leaves the offsets of earlier ones unchanged.
    ranges.unshift({ from, to: json.here });
    return value;
  };
  let tokens: TokenTable | undefined;
  let merges: Int32Array | undefined;
  for (const name of json.names()) {
    // With two models, JSON.parse would take the last one.
    if (name === 'model' && ranges.length > 0) throw new SyntaxError('Expected one model');
    for (const part of name === 'model' ? json.names() : []) {
      if (part === 'vocab') tokens = read(() => TokenTable.read(json));
      if (part === 'merges') merges = read(() => tokens?.readMerges(json));
    }
  }
  json.end();
  if (!tokens || !merges || ranges.length > 2)
    throw new SyntaxError('Expected one vocabulary followed by its merges');
  let { length } = bytes;
  for (const { from, to } of ranges) {
    // The closing bracket or brace has the code of the opening one plus 2.
    bytes[from + 1] = (bytes[from] ?? 0) + 2;
    bytes.copyWithin(from + 2, to);
    length -= to - from - 2;
  }
  return { tokens, merges, rest: bytes.subarray(0, length) };
}

/**
 * Creates the library's tokenizer with our own model and pre-tokenizer. `config` is tokenizer_config.json. Throws
 * UserError.
 */
export function libraryTokenizer(
  { fields: file, lists }: TokenizerFile,
  config: ConfigFields,
): LibraryTokenizer {
  const fields = file.withDefaults(NO_STEPS);
  const added = fields.objects('added_tokens');
  for (const token of added) requireAddedToken(token);
  if (fields.has('normalizer')) requireNormalizer(fields.nested('normalizer'));
  const model = modelOf(fields.nested('model'), lists);
  const steps = fields.has('pre_tokenizer') ? preTokenizer(fields.nested('pre_tokenizer')) : null;
  const { additional_special_tokens } = config.object;
  const object = { ...fields.object, model: NO_MODEL, pre_tokenizer: null };
  const library = new LibraryTokenizer(object, { additional_special_tokens });
  library.pre_tokenizer = steps;
  library.model = model;
  if (model instanceof BytePairs) library.id_to_token = (id) => model.token(id);
  for (const token of added) {
    const id = token.integer('id', { min: 0 });
    model.tokens_to_ids.set(token.string('content'), id);
    model.vocab[id] = token.string('content');
  }
  return library;
}

function modelOf(model: ConfigFields, lists: PairLists | undefined): BytePairs | UnigramPieces {
  const type = model.raw('type') ?? (Array.isArray(model.raw('vocab')) ? 'Unigram' : 'BPE');
  if (type === 'BPE') return new BytePairs(model, lists);
  if (type === 'Unigram') return new UnigramPieces(model);
  throw model.refusal('BPE or Unigram as type', quoted(type), OTHER_MODEL);
}

function requireAddedToken(token: ConfigFields): void {
  token.string('content');
  if (!isTokenId(token.raw('id')))
    throw token.refusal(
      `a whole number below ${String(MAX_IDS)} as the id of a token`,
      quoted(token.raw('id')),
    );
  if (token.isSet('single_word')) throw token.refusal('single_word to be false', 'true', OTHER_MODEL);
}

function requireNormalizer(fields: ConfigFields): void {
  const type = fields.string('type');
  if (type === 'Sequence') fields.objects('normalizers').forEach(requireNormalizer);
  else if (!NORMALIZERS.includes(type))
    throw fields.refusal('a normalizer that is supported', type, OTHER_MODEL);
}
