// Reads typed fields out of a JSON object, such as the config.json of a model. Every failure names the file and the
// field.
import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { readRegularFile, readStart } from '../../machine/regularFile';
import { FREE_FILES, InputError, isOutOfFiles, quoted, type Remedy } from '../../rules/inputError';
import { isRecord } from '../../rules/json';
import { parsePythonJson } from './pythonJson';

/** Remedy for what no network in Flashline computes. */
export const PUBLISHED = 'use a checkpoint of the published form';
export const UNSUPPORTED = 'choose a supported model';
const CORRECT = 'correct the file or download it again';

/** How files say that there is none of something. */
const NONE: readonly unknown[] = [undefined, null, false, 0];

type JsonObject = Readonly<Record<string, unknown>>;

interface Range {
  readonly min?: number;
  readonly max?: number;
  /** The value if the file has none. */
  readonly usual?: number;
}

export class ConfigFields {
  /** The objects inside, so that what is read of them is remembered too. */
  readonly #inside = new Map<string, ConfigFields>();
  readonly #read: Set<string>;

  constructor(
    /** Shown in errors: the file and, for nested objects, the path inside it. */
    readonly source: string,
    readonly object: JsonObject,
    read = new Set<string>(),
  ) {
    this.#read = read;
  }

  /** Parses a JSON file that must hold an object. */
  static read(file: string, readText = readModelText): ConfigFields {
    let parsed: unknown;
    try {
      parsed = parsePythonJson(readText(file));
    } catch (cause) {
      throw new InputError({ expected: `JSON in ${file}`, ...unreadable(cause), cause });
    }
    if (!isRecord(parsed)) throw wrong(file, 'a JSON object', parsed);
    return new ConfigFields(file, parsed);
  }

  /** The same for a file that may be missing, which then has no fields. */
  static readOptional(file: string): ConfigFields {
    return isListed(file) ? ConfigFields.read(file) : new ConfigFields(file, {});
  }

  /** The config.json of a model directory, which determines the kind of model. */
  static ofModel(directory: string): ConfigFields {
    if (existsSync(`${directory}/`)) return ConfigFields.read(join(directory, 'config.json'));
    throw new InputError({
      expected: `a model directory at ${directory}`,
      got: 'no directory',
      remedy: 'choose one that holds config.json and the weights',
      sentence: `No model folder at ${directory}. Choose one that holds config.json and the weights.`,
    });
  }

  has(name: string): boolean {
    return this.object[name] !== undefined && this.object[name] !== null;
  }

  /** Whether there is something of that name: files write 0, null and false, or leave it out, where there is none. */
  isSet(name: string): boolean {
    return this.has(name) && !NONE.includes(this.raw(name));
  }

  /** The same object with other values for what it leaves out. */
  withUsual(usual: JsonObject): ConfigFields {
    const missing = Object.entries(usual).filter(([name]) => !this.has(name));
    return this.with(Object.fromEntries(missing));
  }

  /** The same object with some values replaced; what is read of it counts as read of this one. */
  with(values: JsonObject): ConfigFields {
    return new ConfigFields(this.source, { ...this.object, ...values }, this.#read);
  }

  /** The same object with another one inside, whose errors keep their own source. */
  withNested(name: string, part: ConfigFields): ConfigFields {
    const fields = this.with({ [name]: part.object });
    fields.#inside.set(name, part);
    return fields;
  }

  integer(name: string, range: Range = {}): number {
    return asInteger(this.#valueOr(name, range.usual), this.#at(name), range);
  }

  number(name: string, { min = 0, max = 1e12, usual }: Range = {}): number {
    const value = this.#valueOr(name, usual);
    if (typeof value === 'number' && value > min && value <= max) return value;
    throw wrong(this.#at(name), `a number above ${String(min)}`, value);
  }

  boolean(name: string, usual?: boolean): boolean {
    const value = this.#valueOr(name, usual);
    if (typeof value === 'boolean') return value;
    throw wrong(this.#at(name), 'true or false', value);
  }

  string(name: string): string {
    const value = this.raw(name);
    if (typeof value === 'string') return value;
    throw wrong(this.#at(name), 'a string', value);
  }

  /** Integers; a bare integer counts as a list of one, as `eos_token_id` is written both ways. */
  integers(name: string, range: Range = { min: 0 }): number[] {
    const value = this.raw(name);
    const list: unknown[] = Array.isArray(value) ? value : [value];
    return list.map((item) => asInteger(item, this.#at(name), range));
  }

  strings(name: string): string[] {
    const value = this.raw(name);
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
    throw wrong(this.#at(name), 'a list of strings', value);
  }

  nested(name: string): ConfigFields {
    const value = this.raw(name);
    if (!isRecord(value)) throw wrong(this.#at(name), 'an object', value);
    const known = this.#inside.get(name) ?? new ConfigFields(this.#at(name), value);
    this.#inside.set(name, known);
    return known;
  }

  /** A list of objects. */
  objects(name: string): ConfigFields[] {
    const value = this.raw(name);
    if (!Array.isArray(value) || !value.every(isRecord))
      throw wrong(this.#at(name), 'a list of objects', value);
    return value.map((each, i) => new ConfigFields(`${this.#at(name)}[${String(i)}]`, each));
  }

  /** The object of that name, or this one if there is none. */
  part(name: string): ConfigFields {
    return this.has(name) ? this.nested(name) : this;
  }

  names(): string[] {
    return Object.keys(this.object);
  }

  /** The raw value, for fields that are written in several ways. */
  raw(name: string): unknown {
    this.#read.add(name);
    return this.object[name];
  }

  /** The names of values that have not been read yet. */
  unread(): string[] {
    return this.names().filter((name) => this.has(name) && !this.#read.has(name));
  }

  /** What to throw if this object does not have what is `expected`. */
  refusal(expected: string, got: string, remedy: string | Remedy = CORRECT): InputError {
    const what = typeof remedy === 'string' ? { remedy } : remedy;
    return new InputError({ expected: `${expected} in ${this.source}`, got, ...what });
  }

  /** Without a default, an error still distinguishes null from nothing. */
  #valueOr(name: string, usual: unknown): unknown {
    const value = this.raw(name);
    return value ?? usual ?? value;
  }

  #at(name: string): string {
    return `${this.source}: ${name}`;
  }
}

/** Also true for a link to nothing: a file that was there once is not one that a model does without. */
export function isListed(file: string): boolean {
  try {
    lstatSync(file);
    return true;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/** The system's own words name the file again. */
function unreadable(cause: unknown): { got: string; remedy: string } {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (isOutOfFiles(cause)) return { got: 'too many open files', remedy: FREE_FILES };
  const said = cause instanceof SyntaxError ? `invalid JSON (${message})` : message;
  return { got: code ? 'no readable file' : said, remedy: 'check the path or download it again' };
}

function asInteger(value: unknown, where: string, { min = 1, max = 2 ** 31 }: Range): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
  throw wrong(where, `an integer from ${String(min)} to ${String(max)}`, value);
}

function wrong(where: string, expected: string, value: unknown): InputError {
  return new InputError({ expected: `${expected} in ${where}`, got: quoted(value), remedy: CORRECT });
}

// The text files of a model, which strangers wrote: only regular files are read, and none that would fill the memory.

/** The chat template for tools, as transformers writes it: the only file in a folder that is read. */
export const TOOL_TEMPLATE = 'additional_chat_templates/tool_use.jinja';
/** Says which file has which tensor, where there are several. */
export const WEIGHT_INDEX = 'model.safetensors.index.json';
/** The largest published configs and chat templates take a quarter of it. */
export const MOST_CONFIG_BYTES = 8e6;
/** Tokenizers and indices of weights are longer. */
const MOST_BYTES_OF_LISTS = 64e6;

/** Throws an Error whose message is what is there instead of a text. */
export function readModelText(file: string): string {
  // Twice as fast for large files as readFileSync with an encoding, and without the byte order mark.
  return new TextDecoder().decode(readRegularFile(file, MOST_CONFIG_BYTES));
}

/** Returns a tokenizer or an index undecoded, or its first `most` bytes. Throws as readModelText does. */
export function readListBytes(file: string, most = Infinity): Buffer {
  return most < Infinity ? readStart(file, most) : readRegularFile(file, MOST_BYTES_OF_LISTS);
}

/** Reads the index of the weights of a model. Throws InputError. */
export function readWeightIndex(file: string): ConfigFields {
  return ConfigFields.read(file, () => new TextDecoder().decode(readListBytes(file)));
}
