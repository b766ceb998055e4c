// Typed fields of a JSON object, such as the config.json of a model. Every error names the file and the field.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { tooManyOpenFiles } from '../../rules/openFiles';
import { quoted, type Remedy, UserError, WrongValue } from '../../rules/userError';
import { isRecord } from '../../rules/json';
import { LFS_INSTEAD, LFS_POINTER } from './lfsPointer';
import { isListed, readModelText } from './modelText';
import { foundInstead } from './otherFormats';
import { parsePythonJson } from './pythonJson';

/** Remedies for variants that Flashline does not compute. */
export const PUBLISHED = 'use a checkpoint of the published form';
export const UNSUPPORTED = 'choose a supported model';
const CORRECT = 'correct the file or download it again';

/** Values of a field that count as unset; an absent field is undefined. */
const UNSET: readonly unknown[] = [undefined, null, false, 0];

type JsonObject = Readonly<Record<string, unknown>>;

interface Range {
  readonly min?: number;
  readonly max?: number;
  /** Default value of an absent field. */
  readonly fallback?: number;
}

interface NumberRange extends Range {
  readonly includesMin?: boolean;
}

export class ConfigFields {
  /** Nested objects by name: each remembers which of its fields were read. */
  readonly #nested = new Map<string, ConfigFields>();
  /** Names of the fields that were read. */
  readonly #read: Set<string>;

  constructor(
    /** Name in errors: the file and, for nested objects, the path inside it. */
    readonly source: string,
    readonly object: JsonObject,
    read = new Set<string>(),
  ) {
    this.#read = read;
  }

  /** Reads a JSON file that holds an object. Throws UserError. */
  static read(file: string, readText = readModelText): ConfigFields {
    let text = '';
    let parsed: unknown;
    try {
      text = readText(file);
      parsed = parsePythonJson(text);
    } catch (cause) {
      const problem = text.startsWith(LFS_POINTER) ? LFS_INSTEAD : unreadable(cause);
      throw new WrongValue({ expected: `JSON in ${file}`, ...problem, cause });
    }
    if (!isRecord(parsed)) throw wrong(file, 'a JSON object', parsed);
    return new ConfigFields(file, parsed);
  }

  /** Reads a file that can be missing, which then has no fields. Throws UserError. */
  static readOptional(file: string): ConfigFields {
    return isListed(file) ? ConfigFields.read(file) : new ConfigFields(file, {});
  }

  /** Reads the config.json of a model directory. Throws UserError. */
  static ofModel(directory: string): ConfigFields {
    if (!existsSync(`${directory}/`))
      throw new UserError(
        `No model folder at ${directory}. Choose one that holds config.json and the weights.`,
      );
    const file = join(directory, 'config.json');
    try {
      return ConfigFields.read(file);
    } catch (error) {
      const cause = (error as UserError).cause as NodeJS.ErrnoException | undefined;
      const instead = cause?.code === 'ENOENT' ? foundInstead(directory) : undefined;
      throw instead ? new WrongValue({ expected: file, ...instead, cause }) : error;
    }
  }

  /** Returns whether the field has a value other than null. */
  has(name: string): boolean {
    return this.object[name] !== undefined && this.object[name] !== null;
  }

  /** Returns whether the field is set: absent, null, false and 0 count as unset. */
  isSet(name: string): boolean {
    return !UNSET.includes(this.raw(name));
  }

  /** Returns this object with defaults for absent fields. */
  withDefaults(defaults: JsonObject): ConfigFields {
    const missing = Object.entries(defaults).filter(([name]) => !this.has(name));
    return this.with(Object.fromEntries(missing));
  }

  /**
   * Returns this object with some values replaced; nested objects that stay keep their source. Fields read from the
   * result count as read here too.
   */
  with(values: JsonObject): ConfigFields {
    const fields = new ConfigFields(this.source, { ...this.object, ...values }, this.#read);
    for (const [name, part] of this.#nested)
      if (fields.object[name] === part.object) fields.#nested.set(name, part);
    return fields;
  }

  /** Returns this object with `part` nested in it; errors about the part keep its source. */
  withNested(name: string, part: ConfigFields): ConfigFields {
    const fields = this.with({ [name]: part.object });
    fields.#nested.set(name, part);
    return fields;
  }

  /** Reads an integer, by default from 1 to 2^31. Throws UserError, like all methods that read a type. */
  integer(name: string, range: Range = {}): number {
    return asInteger(this.#valueOr(name, range.fallback), this.#at(name), range);
  }

  /**
   * Reads a number above `min` and up to `max`, by default above 0 and up to 1e12; with `includesMin`, `min` itself is
   * allowed.
   */
  number(name: string, { min = 0, max = 1e12, fallback, includesMin = false }: NumberRange = {}): number {
    const value = this.#valueOr(name, fallback);
    const isAbove = typeof value === 'number' && (includesMin ? value >= min : value > min);
    if (isAbove && value <= max) return value;
    const start = `${includesMin ? 'from' : 'above'} ${String(min)}`;
    throw wrong(this.#at(name), `a number ${start} and up to ${String(max)}`, value);
  }

  boolean(name: string, fallback?: boolean): boolean {
    const value = this.#valueOr(name, fallback);
    if (typeof value === 'boolean') return value;
    throw wrong(this.#at(name), 'true or false', value);
  }

  string(name: string): string {
    const value = this.raw(name);
    if (typeof value === 'string') return value;
    throw wrong(this.#at(name), 'a string', value);
  }

  /**
   * Reads a list of integers, by default from 0 to 2^31. A single integer counts as a list of one, as `eos_token_id` is
   * written both ways.
   */
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

  /** Reads a nested object. */
  nested(name: string): ConfigFields {
    const value = this.raw(name);
    if (!isRecord(value)) throw wrong(this.#at(name), 'an object', value);
    const nested = this.#nested.get(name) ?? new ConfigFields(this.#at(name), value);
    this.#nested.set(name, nested);
    return nested;
  }

  /** Reads a list of objects. */
  objects(name: string): ConfigFields[] {
    const value = this.raw(name);
    if (!Array.isArray(value) || !value.every(isRecord))
      throw wrong(this.#at(name), 'a list of objects', value);
    return value.map((object, i) => new ConfigFields(`${this.#at(name)}[${String(i)}]`, object));
  }

  /** Returns the nested object of that name, or this object if there is none. */
  part(name: string): ConfigFields {
    return this.has(name) ? this.nested(name) : this;
  }

  names(): string[] {
    return Object.keys(this.object);
  }

  /** Returns the raw value, for fields that are written in several ways. */
  raw(name: string): unknown {
    this.#read.add(name);
    return this.object[name];
  }

  /** Lists the names of fields that have a value and have not been read. */
  unread(): string[] {
    return this.names().filter((name) => this.has(name) && !this.#read.has(name));
  }

  /**
   * Throws UserError unless the field is absent or has one of the `values`. If null or false is among them, any value
   * that means none is accepted.
   */
  allowOnly(name: string, values: readonly unknown[], remedy: string | Remedy = PUBLISHED): void {
    if (!this.has(name) || values.includes(this.raw(name))) return;
    const canBeNone = values.includes(null) || values.includes(false);
    if (canBeNone && !this.isSet(name)) return;
    const expected = values.map((value) => quoted(value)).join(' or ');
    throw this.refusal(`${name} ${expected}`, quoted(this.raw(name)), remedy);
  }

  /** Creates the error for an object without the `expected` value. */
  refusal(expected: string, got: string, remedy: string | Remedy = CORRECT): UserError {
    const remedyFields = typeof remedy === 'string' ? { remedy } : remedy;
    return new WrongValue({ expected: `${expected} in ${this.source}`, got, ...remedyFields });
  }

  /**
   * Returns the value or the default. Without a default, returns null or undefined as it is, so that errors distinguish
   * null from an absent field.
   */
  #valueOr(name: string, fallback: unknown): unknown {
    const value = this.raw(name);
    return value ?? fallback ?? value;
  }

  #at(name: string): string {
    return `${this.source}: ${name}`;
  }
}

/** Describes why a file could not be read, in fewer words than the system's message, which repeats the path. */
function unreadable(cause: unknown): { got: string; remedy: string } {
  const { code, message } = cause as NodeJS.ErrnoException;
  const reason = cause instanceof SyntaxError ? `invalid JSON (${message})` : message;
  const other = { got: code ? 'no readable file' : reason, remedy: 'check the path or download it again' };
  return tooManyOpenFiles(cause) ?? other;
}

function asInteger(value: unknown, where: string, { min = 1, max = 2 ** 31 }: Range): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
  throw wrong(where, `an integer from ${String(min)} to ${String(max)}`, value);
}

function wrong(where: string, expected: string, value: unknown): UserError {
  return new WrongValue({ expected: `${expected} in ${where}`, got: quoted(value), remedy: CORRECT });
}
