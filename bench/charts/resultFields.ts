// Reads typed fields from the JSON of a measurement. Every failure names the file and the field, and the command that
// writes the file again. Knows no particular measurement.
import { readFileSync } from 'node:fs';
import { InputError } from '../../server/inputError';

export class ResultFields {
  constructor(
    /** Shown in errors: the file and, inside of it, the path so far. */
    private readonly where: string,
    private readonly value: unknown,
    /** Shown in errors: what to run. */
    private readonly command: string,
  ) {}

  /** Undefined if there is no such file. Throws InputError if it holds no JSON. */
  static read(file: string, command: string): ResultFields | undefined {
    let text: string;
    try {
      text = readFileSync(file, 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
    try {
      return new ResultFields(file, JSON.parse(text), command);
    } catch (cause) {
      const got = text.trim() === '' ? 'an empty file' : 'something else';
      throw new InputError({ expected: `JSON in ${file}`, got, remedy: `run "${command}" again`, cause });
    }
  }

  field(name: string): ResultFields {
    const { value } = this;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw this.#wrong('an object');
    const inner = Object.entries(value).find(([key]) => key === name)?.[1] as unknown;
    return new ResultFields(`${this.where}: ${name}`, inner, this.command);
  }

  items(): ResultFields[] {
    if (!Array.isArray(this.value)) throw this.#wrong('a list');
    return this.value.map(
      (each: unknown, i) => new ResultFields(`${this.where}[${String(i)}]`, each, this.command),
    );
  }

  /** Times, ratios and counts are never negative. */
  number(): number {
    if (typeof this.value === 'number' && this.value >= 0) return this.value;
    throw this.#wrong('a number of at least 0');
  }

  numberOrNull(): number | null {
    return this.value === null ? null : this.number();
  }

  string(): string {
    if (typeof this.value === 'string') return this.value;
    throw this.#wrong('a string');
  }

  boolean(): boolean {
    if (typeof this.value === 'boolean') return this.value;
    throw this.#wrong('true or false');
  }

  #wrong(expected: string): InputError {
    const got = this.value === undefined ? 'nothing' : JSON.stringify(this.value).slice(0, 60);
    return new InputError({
      expected: `${expected} in ${this.where}`,
      got,
      remedy: `run "${this.command}" again`,
    });
  }
}
