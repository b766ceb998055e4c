// Text to token ids and back, with @huggingface/tokenizers. User text is never scanned for special tokens:
// a prompt is built from segments, and only its own segments may name them.
import { join } from 'node:path';
import type { Tokenizer as HubTokenizer } from '@huggingface/tokenizers';
import { attempt } from '../../rules/inputError';
import { fieldsOf } from '../../rules/json';
import { CpuLimit } from '../../machine/cpuLimit';
import { ConfigFields, isListed } from '../checkpoint/configFields';
import { ControlTokens } from './controlTokens';
import { TextPieces } from './textPieces';
import { TokenDecoder, type Timed } from './tokenDecoder';
import { hubTokenizer, readTokenizerFile } from './tokenizerFile';

/** Part of a prompt: special tokens take effect in what a template wrote, and are plain text in what a message says. */
export interface PromptPart {
  readonly text: string;
  readonly from: 'template' | 'message';
}

/**
 * The begin token that Llama, Mistral and Gemma models were trained with, and the space that SentencePiece vocabularies
 * put before the first word.
 */
interface TextStart {
  readonly ids: readonly number[];
  readonly space: '' | ' ';
}

export interface Tokenizer {
  /** Where it was loaded from, so that a thread can load it too. */
  readonly directory?: string;
  /** Pieces of a text that no call has encoded yet: what the methods below take their time for. */
  unknownPieces?(text: string): string[];
  /** What belongs at the start of every prompt. */
  readonly textStart: TextStart;
  /**
   * Special tokens written in `text` become those tokens, as in a prompt from a program; adds the required beginning.
   */
  encodePrompt(text: string): number[];
  /** A prompt of parts, each of which determines how special tokens in it are read. Nothing is added around it. */
  encodeParts(parts: readonly PromptPart[]): number[];
  /** The same, a few milliseconds of work at a time. */
  encodeSteps?(parts: readonly PromptPart[]): Iterable<readonly number[]>;
  /** `text` is plain text in the middle of a prompt, such as code that a person wrote. */
  encodeText(text: string): number[];
  /** Tokens that follow other text. Special tokens are left out. Incomplete characters at an edge become U+FFFD. */
  decode(ids: readonly number[]): string;
  /** The same with the spellings of special tokens, for people and programs that look at single tokens. */
  spell(ids: readonly number[]): string;
  /** Of one token. Those of a text together are the text in UTF-8. Special tokens are spelled, or left out. */
  bytes(id: number, special?: 'left out'): Uint8Array;
  /** The id of a special token, by its exact spelling. */
  specialTokenId(content: string): number | undefined;
}

/** Of a model directory, whose special tokens are known. */
export interface LoadedTokenizer extends Tokenizer {
  /** `text` with a mark within each spelling of a special token, in capitals or not. */
  mark(text: string, mark: string): string;
}

/** Processor time. */
interface TokenizerLimits {
  readonly loadMs: number;
  readonly callMs: number;
}

/** Far more than a large vocabulary takes. */
const LIMITS: TokenizerLimits = { loadMs: 60_000, callMs: 30_000 };
/** Added to the limit of a call: a tenth of the speed of the slowest texts, those of one letter. */
const CHARACTERS_PER_MS = 50;
/** Most prompts have fewer. */
const RUNS_AT_ONCE = 100;
/** Makes expressions that backtrack without an end do so at load. */
const PROBE = ['a', 'A', '1', ' ', '\n', '.', '_', 'é', '語', 'aA1 ']
  .map((text) => text.repeat(64))
  .join('\0');
/** A text with the forms of code, to try the decoder with. */
const DECODED =
  ' \tdef f(x):\n    return "é 語 👍🏽" + x[0]  # a, b. It\'s\r\n\n  if (a != b) { c.d(); }\n1 + 22 <i> end';
/** Texts whose tokens can come before a token that is decoded. */
const BEFORE = ['\n', 'a', '1', '.'];

/**
 * Loads tokenizer.json of a model directory; undefined where there is none (token ids still work then). Its calls throw
 * CpuLimitReached where they would not end.
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
    const decodesByExpressions = JSON.stringify(tokenizer.fields.raw('decoder') ?? '').includes('"Regex"');
    const expected = `a tokenizer that @huggingface/tokenizers can read in ${file}`;
    return attempt(expected, 'download the file again, or use another model', () => {
      const hub = hubTokenizer(tokenizer, config);
      const times = { encoding: timed, decoding: decodesByExpressions ? timed : untimed };
      const loaded = new HuggingFaceTokenizer(directory, hub, textStart(hub, config), times);
      loaded.encodeText(PROBE);
      return loaded;
    });
  };
  return limit.run(limits.loadMs, load);
}

/** The end tokens that only the files of the tokenizer name. */
export function endTokenIds(directory: string, vocabulary: Pick<Tokenizer, 'specialTokenId'>): number[] {
  const map = ConfigFields.readOptional(join(directory, 'special_tokens_map.json'));
  const spellings = [readTokenizerConfig(directory), map].map((fields) => tokenText(fields.raw('eos_token')));
  return spellings.flatMap((spelling) => vocabulary.specialTokenId(spelling) ?? []);
}

/** Has no fields if there is no such file. */
export function readTokenizerConfig(directory: string): ConfigFields {
  return ConfigFields.readOptional(join(directory, 'tokenizer_config.json'));
}

/** The spelling of a special token, given as text or as an object that has the text; empty if neither. */
export function tokenText(value: unknown): string {
  const content = typeof value === 'string' ? value : fieldsOf(value)['content'];
  return typeof content === 'string' ? content : '';
}

/** Most files have none for decoding, which happens every few milliseconds. */
const untimed: Timed = (work) => work();

/** A text between two spelled tokens of a template; the first one has no token before it. */
interface Run {
  readonly token: string;
  text: string;
}

class HuggingFaceTokenizer implements LoadedTokenizer {
  readonly #control: ControlTokens;
  readonly #ids: ReadonlyMap<string, number>;
  /** Put in front of a text that is not at the start, so that no space is added there. */
  readonly #lead: { readonly text: string; readonly ids: readonly number[] };
  readonly #pieces: TextPieces;
  readonly #decoder: TokenDecoder;

  constructor(
    readonly directory: string,
    private readonly hub: HubTokenizer,
    readonly textStart: TextStart,
    private readonly timed: { readonly encoding: Timed; readonly decoding: Timed },
  ) {
    const added = [...hub.get_added_tokens_decoder()];
    this.#ids = new Map(added.map(([id, token]) => [token.content, id]));
    this.#control = new ControlTokens(added.map(([, token]) => token));
    const text = textStart.space === '' ? '' : '\n';
    const ids = this.#plain(text);
    this.#lead = { text, ids };
    const starts = [ids, ...BEFORE.map((before) => this.#plain(before)).filter(({ length }) => length > 0)];
    this.#decoder = new TokenDecoder(hub, starts, this.#plain(DECODED), timed.decoding);
    const encode = (piece: string): number[] =>
      this.#control.cut(piece).flatMap((each) => this.#inside(each));
    this.#pieces = new TextPieces(encode, hub.model?.vocab ?? []);
  }

  unknownPieces(text: string): string[] {
    return this.#pieces.split(text).filter((piece) => !this.#pieces.isKnown(piece));
  }

  encodePrompt(text: string): number[] {
    const ids = this.encodeParts([{ text, from: 'template' }]);
    const { ids: start } = this.textStart;
    return startsWith(ids, start) ? ids : [...start, ...ids];
  }

  encodeParts(parts: readonly PromptPart[]): number[] {
    return ([] as number[]).concat(...this.encodeSteps(parts));
  }

  *encodeSteps(parts: readonly PromptPart[]): Generator<number[]> {
    const runs = this.#runs(parts);
    for (let i = 0; i < runs.length; i += RUNS_AT_ONCE) {
      const some = runs.slice(i, i + RUNS_AT_ONCE);
      const encode = (run: Run, j: number): number[] => this.#encodeRun(run, runs[i + j + 1]?.token ?? '');
      const characters = some.reduce((sum, { text }) => sum + text.length, 0);
      yield this.timed.encoding(() => ([] as number[]).concat(...some.map(encode)), characters);
    }
  }

  encodeText(text: string): number[] {
    const encode = (): number[] => this.#pieces.encode(text);
    return this.unknownPieces(text).length === 0 ? encode() : this.timed.encoding(encode, text.length);
  }

  decode(ids: readonly number[]): string {
    return this.#decoder.decode(ids, 'left out');
  }

  spell(ids: readonly number[]): string {
    return this.#decoder.decode(ids);
  }

  bytes(id: number, special?: 'left out'): Uint8Array {
    return this.#decoder.bytes(id, special);
  }

  specialTokenId(content: string): number | undefined {
    return this.#ids.get(content);
  }

  mark(text: string, mark: string): string {
    return this.#control.mark(text, mark);
  }

  #plain(text: string): number[] {
    return knownIds(this.hub, text);
  }

  /** Of a text that is not at the start of a prompt. */
  #inside(text: string): number[] {
    const { text: lead, ids } = this.#lead;
    const all = this.#plain(lead + text);
    return startsWith(all, ids) ? all.slice(ids.length) : this.#plain(text);
  }

  #runs(parts: readonly PromptPart[]): readonly Run[] {
    let run: Run = { token: '', text: '' };
    const runs = [run];
    for (const { text, from } of parts) {
      // Texts and tokens by turns; what a message says is one text.
      for (const [i, piece] of (from === 'template' ? this.#control.split(text) : [text]).entries()) {
        if (i % 2 === 0) run.text += piece;
        else runs.push((run = { token: piece, text: '' }));
      }
    }
    return runs;
  }

  /** The token and the text up to the next token, in pieces. */
  #encodeRun({ token, text }: Run, nextToken: string): number[] {
    const others = this.#pieces.split(text);
    let first = others.shift() ?? '';
    // A token may take all of the white space behind it.
    while (first.trim() === '' && others.length > 0) first += others.shift() ?? '';
    const last = others.pop();
    const own = this.#tokenId(token);
    const begin = this.#beside({ text: token, ids: own }, first, last === undefined ? nextToken : '');
    if (last === undefined) return own.concat(begin);
    const between = others.flatMap((piece) => this.#pieces.encode(piece));
    return own.concat(begin, between, this.#beside(this.#lead, last, nextToken));
  }

  #tokenId(token: string): number[] {
    const id = this.#ids.get(token);
    return id === undefined ? [] : [id];
  }

  /** Encoded together with the tokens around it, which may affect the white space and where a text begins. */
  #beside(
    before: { readonly text: string; readonly ids: readonly number[] },
    text: string,
    nextToken: string,
  ) {
    const [piece = '', ...others] = this.#control.cut(text);
    const next = others.length > 0 ? [] : this.#tokenId(nextToken);
    const all = this.#plain(before.text + piece + (next.length > 0 ? nextToken : ''));
    const first = startsWith(all, before.ids)
      ? all.slice(before.ids.length, all.length - next.length)
      : this.#inside(piece);
    return first.concat(others.flatMap((other) => this.#inside(other)));
  }
}

/** Characters for which a vocabulary has nothing, not even a token for what is unknown, are left out. */
function knownIds(tokenizer: HubTokenizer, text: string, withSpecial = false): number[] {
  const ids: (number | undefined)[] = tokenizer.encode(text, { add_special_tokens: withSpecial }).ids;
  const isKnown = (id: number | undefined): id is number => id !== undefined;
  // Lists of a million are copied for nothing otherwise.
  return ids.every(isKnown) ? ids : ids.filter(isKnown);
}

function startsWith(ids: readonly number[], start: readonly number[]): boolean {
  return start.every((id, i) => ids[i] === id);
}

/** `config` is tokenizer_config.json, whose `add_bos_token` overrides tokenizer.json. */
function textStart(tokenizer: HubTokenizer, config: ConfigFields): TextStart {
  const [first = ''] = tokenizer.tokenize('x', { add_special_tokens: false });
  return { ids: beginTokens(tokenizer, config), space: /^[▁Ġ]/.test(first) ? ' ' : '' };
}

function beginTokens(tokenizer: HubTokenizer, config: ConfigFields): readonly number[] {
  if (config.has('add_bos_token')) {
    if (!config.boolean('add_bos_token')) return [];
    const id = tokenizer.token_to_id(tokenText(config.raw('bos_token')));
    if (id !== undefined) return [id];
  }
  const plain = knownIds(tokenizer, 'x');
  const ids = knownIds(tokenizer, 'x', true);
  const at = ids.findIndex((_, i) => plain.every((id, j) => ids[i + j] === id));
  return ids.slice(0, Math.max(0, at));
}
