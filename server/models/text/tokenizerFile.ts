// A tokenizer.json as an object of @huggingface/tokenizers, with what that does otherwise than the Rust library replaced
// or refused by its name: other ids than a model was trained on would only make it worse, without a word.
import { Tokenizer as HubTokenizer } from '@huggingface/tokenizers';
import { attempt, quoted } from '../../rules/inputError';
import { BytePairs, isTokenId } from './bytePairs';
import { ControlTokens, type AddedToken } from './controlTokens';
import { isListed, type ConfigFields } from '../checkpoint/configFields';
import { readModelStart, readModelText } from '../checkpoint/modelText';
import { preTokenizer } from './preTokenizers';
import { UnigramPieces } from './unigram';

/** The library wants these to be there. */
const NO_STEPS = {
  normalizer: null,
  pre_tokenizer: null,
  post_processor: null,
  decoder: null,
  added_tokens: [],
};
/** The model is put in afterwards, as the library's takes longer to load than all the rest. */
const NO_MODEL = { type: 'BPE', vocab: {}, merges: [] };
/** Precompiled and BertNormalizer are approximations. */
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
const OTHER = 'use another model';

/** `config` is tokenizer_config.json. Throws InputError. */
export function readTokenizerFile(file: ConfigFields, config: ConfigFields): HubTokenizer {
  const fields = file.withUsual(NO_STEPS);
  const added = fields.objects('added_tokens');
  for (const token of added) requireAddedToken(token);
  if (fields.has('normalizer')) requireNormalizer(fields.nested('normalizer'));
  const model = modelOf(fields.nested('model'));
  const steps = fields.has('pre_tokenizer') ? preTokenizer(fields.nested('pre_tokenizer')) : null;
  const { additional_special_tokens } = config.object;
  const object = { ...fields.object, model: NO_MODEL, pre_tokenizer: null };
  const hub = new HubTokenizer(object, { additional_special_tokens });
  hub.pre_tokenizer = steps;
  hub.model = model;
  for (const token of added) {
    const id = token.integer('id', { min: 0 });
    model.tokens_to_ids.set(token.string('content'), id);
    model.vocab[id] = token.string('content');
  }
  return hub;
}

/** They stand before the vocabulary in all files that are known. */
const ADDED = /"added_tokens"\s*:\s*\[[^\]"]*(?:"(?:[^"\\]|\\.)*"[^\]"]*)*\]/;
/** Where most end, and where 6,500 of them do. */
const [FEW_BYTES, MANY_BYTES] = [1e5, 4e6];

/** The added tokens of a tokenizer.json, by a hundredth of the work of loading it; undefined without such a file. */
export function addedTokens(file: string) {
  if (!isListed(file)) return undefined;
  return attempt(`added tokens in ${file}`, 'download it again', () => {
    const within = (bytes: number): string | undefined =>
      ADDED.exec(readModelStart(file, bytes).toString('latin1'))?.[0];
    const found = within(FEW_BYTES) ?? within(MANY_BYTES);
    const text = found === undefined ? readModelText(file) : `{${Buffer.from(found, 'latin1').toString()}}`;
    const { added_tokens: tokens = [] } = JSON.parse(text) as {
      added_tokens?: readonly (AddedToken & { id: number })[];
    };
    const ids = new Map(tokens.map(({ content, id }) => [content, id]));
    const control = new ControlTokens(tokens);
    return {
      specialTokenId: (content: string) => ids.get(content),
      mark: (written: string, mark: string) => control.mark(written, mark),
    };
  });
}

function modelOf(model: ConfigFields): BytePairs | UnigramPieces {
  const type = model.raw('type') ?? (Array.isArray(model.raw('vocab')) ? 'Unigram' : 'BPE');
  if (type === 'BPE') return new BytePairs(model);
  if (type === 'Unigram') return new UnigramPieces(model);
  throw model.refusal('BPE or Unigram as type', quoted(type), OTHER);
}

function requireAddedToken(token: ConfigFields): void {
  token.string('content');
  if (!isTokenId(token.raw('id')))
    throw token.refusal('a whole number as the ids of tokens', quoted(token.raw('id')));
  if (token.isSet('single_word')) throw token.refusal('single_word to be false', 'true', OTHER);
}

function requireNormalizer(fields: ConfigFields): void {
  const type = fields.string('type');
  if (type === 'Sequence') fields.objects('normalizers').forEach(requireNormalizer);
  else if (!NORMALIZERS.includes(type)) throw fields.refusal('a normalizer that is supported', type, OTHER);
}
