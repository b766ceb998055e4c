// Tests errors that a user can fix: the expected value, the actual value and the remedy. The command line and the
// language server show their messages unchanged.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { attempt, failureOf, WrongValue } from '../../server/rules/userError';
import { bytesText, visibleJson, visibleText } from '../../server/rules/visibleText';

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

  it('can name its place in a larger input, at several levels', () => {
    const error = new WrongValue(problem);
    const inner = error.at('line 2');
    assert.equal(inner.cause, error);
    assert.equal(inner.at('a.jsonl').message, 'Expected a number in line 2 in a.jsonl, got "x"; correct it');
    assert.equal(error.message, 'Expected a number, got "x"; correct it');
  });
});

describe('the message of a failure', () => {
  it('is one line without control characters', () => {
    const got = 'a\nb\r\u001b[2Jc\u202ed\u2066e\u2028f\u0007g';
    const { isInput, message } = failureOf(new WrongValue({ expected: 'x', got, remedy: 'do it' }));
    assert.ok(isInput);
    assert.equal(message, 'Expected x, got a b [2Jc d e f g; do it');
  });
});

describe('text for a terminal', () => {
  it('shows control characters as pictures and invisible ones as numbers, and keeps lines, tabs and emoji', () => {
    assert.equal(visibleText('a\u001b[2J\u0007\u007f\u009bb'), 'a␛[2J␇␡\\u009bb');
    assert.equal(visibleText('\u202ea\u200b\u2028\u{e0001}'), '\\u202ea\\u200b\\u2028\\u{e0001}');
    assert.equal(visibleText('a\tb\r\nc\rd'), 'a\tb\r\nc␍d');
    assert.equal(visibleText('👩‍💻 é'), '👩‍💻 é');
  });

  it('keeps invisible characters with which emoji, symbols and words are spelled', () => {
    for (const text of [
      ...[
        '🏳\u200d🌈',
        '🏳\ufe0f\u200d🌈',
        '👁\u200d🗨',
        '🤷\u200d♂',
        '🤷🏽\u200d♂\ufe0f',
        '❤\u200d🔥',
        '👨\u200d👩\u200d👧',
      ],
      ...[
        '1\ufe0f\u20e3',
        '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
        '🇳🇴',
        'ℹ\ufe0f',
        '‼\ufe0f',
      ],
      ...['✓\ufe0f', '→\ufe0f', '☎\ufe0e', '☑\ufe0e', '葛\u{e0100}', '神\ufe00'],
      ...['می\u200cخواهم', 'क्\u200dष', 'ක්\u200dෂ', 'ക്\u200dക', 'র\u200d্য'],
    ])
      assert.equal(visibleText(text), text);
  });

  it('shows invisible characters that spell nothing', () => {
    for (const [text, shown] of [
      ['isAdmin\ufe0f', 'isAdmin\\ufe0f'],
      ['"/\ufe0f"', '"/\\ufe0f"'],
      ['1\ufe0f', '1\\ufe0f'],
      ['✓\ufe0f\ufe0f', '✓\ufe0f\\ufe0f'],
      ['a\u{e0100}', 'a\\u{e0100}'],
      ['1\u200d1', '1\\u200d1'],
      ['🌈\u200da', '🌈\\u200da'],
      ['a\u200cb', 'a\\u200cb'],
      ['می\u200c', 'می\\u200c'],
      ['می\u200c\u200cخ', 'می\\u200c\\u200cخ'],
      ['می\u200bخ\u200fم', 'می\\u200bخ\\u200fم'],
      ['🏴\u{e0041}\u{e0042}', '🏴\\u{e0041}\\u{e0042}'],
    ] as const)
      assert.equal(visibleText(text), shown);
  });
});

describe('the bytes of a token', () => {
  it('are text where they can be, and otherwise escaped where they are not ASCII', () => {
    assert.equal(bytesText(Buffer.from('größe')), 'größe');
    assert.equal(bytesText(Uint8Array.of(0x41, 0xf0, 0x9f)), 'A\\xf0\\x9f');
  });
});

describe('JSON for a terminal', () => {
  it('has the same value without control or invisible characters', () => {
    const odd =
      '\u001b[2J\u0007\u007f\u009b2J\u00ad\u061c\u200b\u200e\u202e\u2066\u2028\u2029\ufeff\ufff9\u{e0041}👩\u200d💻❤\ufe0f';
    const value = { [odd]: [odd, { a: 'ä漢😀\n"\\' }], b: 1.5, c: null };
    const json = visibleJson(value);
    assert.deepEqual(JSON.parse(json), value);
    assert.doesNotMatch(json, /\p{Cc}|\p{Cf}|\u2028|\u2029|\ufe0f/u);
    assert.match(json, /ä漢😀/u);
    assert.match(json, /\\u009b2J/);
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
