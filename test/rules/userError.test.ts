// Tests errors that a user can fix: the expected value, the actual value and the remedy. The command line and the
// language server show their messages unchanged.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { attempt, WrongValue } from '../../server/rules/userError';

describe('an error for a wrong value', () => {
  const problem = { expected: 'a number', got: '"x"', remedy: 'correct it' };

  it('names the expected value, the actual value and the remedy, and keeps the command apart', () => {
    const error = new WrongValue({ ...problem, command: '--number 3' });
    assert.equal(error.message, 'Expected a number, got "x"; correct it');
    assert.equal(error.at('line 2').command, '--number 3');
  });

  it('replaces errors of JavaScript itself, which name internals of a library', () => {
    const failing = (message: string) => () => {
      throw new Error(message);
    };
    const failingWorks: readonly (() => unknown)[] = [
      () => (undefined as unknown as string).length,
      () => 'x'.repeat(-1),
      failing('Unknown type: [object Object]'),
    ];
    for (const work of failingWorks)
      assert.throws(
        () => attempt('a file', 'correct it', work),
        ({ message, cause }: Error) =>
          message === 'Expected a file, got a value of an unexpected form; correct it' &&
          cause instanceof Error,
      );
    assert.throws(() => attempt('a file', 'correct it', failing('an odd file')), /got an odd file;/);
  });

  it('has the remedy for a lack of file handles where that is the cause, instead of one for the file', () => {
    const work = () => {
      throw Object.assign(new Error('EMFILE: too many open files, open a'), { code: 'EMFILE' });
    };
    assert.throws(() => attempt('a file', 'download it again', work), {
      message: 'Expected a file, got too many open files; close some, or raise the limit (ulimit -n)',
    });
  });

  it('can name its place in a larger input, at several levels', () => {
    const error = new WrongValue(problem);
    const inner = error.at('line 2');
    assert.equal(inner.cause, error);
    assert.equal(inner.at('a.jsonl').message, 'Expected a number in line 2 in a.jsonl, got "x"; correct it');
    assert.equal(error.message, 'Expected a number, got "x"; correct it');
  });
});

describe('messages that editors show', () => {
  /** Matches commands, options and variables of a command line: allowed only in `command`, which no editor shows. */
  const commandLineText =
    /flashline (models|serve|complete|generate)\b|(^|[ (])--[a-z]|\bHF_(TOKEN|ENDPOINT)\b/;

  for (const layer of ['hub', 'models', 'engine', 'completion', 'remote', 'hosting', 'machine', 'lsp'])
    it(`contain no commands and options of the command line: server/${layer}`, () => {
      const files = readdirSync(`server/${layer}`, { recursive: true, encoding: 'utf8' });
      for (const file of files.filter((name) => name.endsWith('.ts'))) {
        const source = readFileSync(`server/${layer}/${file}`, 'utf8');
        for (const line of source.split('\n')) {
          const [, value = ''] = /\b(?:expected|got|remedy)\b[^'`]*['`](.*)['`]/.exec(line) ?? [];
          const [, sentence = ''] = /['`]([A-Z][^'`]* [^'`]*)['`]/.exec(line) ?? [];
          for (const text of [value, sentence]) assert.doesNotMatch(text, commandLineText, file);
        }
      }
    });
});
