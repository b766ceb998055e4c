// Every kind of field is read as its type or refused by its place in the file.
// Models test what they do with the fields; this is about the reading.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigFields } from '../../server/models/checkpoint/configFields';
import { assertRefused } from '../support/refusal';
import { temporaryFolder } from '../support/temporaryFolder';

const fields = new ConfigFields('config.json', {
  count: 7,
  zero: 0,
  half: 0.5,
  yes: true,
  no: false,
  name: 'qwen3',
  list: [1, 2],
  words: ['a', 'b'],
  mixed: [1, 'a'],
  inner: { count: 3, bad: 'x' },
  none: null,
});

describe('ConfigFields', () => {
  it('reads each type', () => {
    assert.equal(fields.integer('count'), 7);
    assert.equal(fields.integer('zero', { min: 0 }), 0);
    assert.equal(fields.number('half'), 0.5);
    assert.equal(fields.boolean('yes'), true);
    assert.equal(fields.boolean('no'), false);
    assert.equal(fields.string('name'), 'qwen3');
    assert.deepEqual(fields.integers('list'), [1, 2]);
    assert.deepEqual(fields.strings('words'), ['a', 'b']);
    assert.equal(fields.nested('inner').integer('count'), 3);
    assert.equal(fields.raw('none'), null);
  });

  it('takes one integer for a list of one', () => {
    assert.deepEqual(fields.integers('zero'), [0]);
  });

  it('has neither a missing field nor null', () => {
    assert.ok(fields.has('no') && fields.has('zero'));
    assert.ok(!fields.has('absent') && !fields.has('none'));
  });

  const refused: readonly (readonly [title: string, read: () => unknown, ...mentions: string[]])[] = [
    ['a missing integer', () => fields.integer('absent'), 'config.json: absent', 'got nothing'],
    ['a null integer', () => fields.integer('none'), 'config.json: none', 'got null'],
    ['a fraction', () => fields.integer('half'), 'config.json: half', 'got 0.5'],
    ['an integer below the range', () => fields.integer('zero'), 'an integer from 1'],
    ['an integer above the range', () => fields.integer('count', { max: 6 }), 'an integer from 1 to 6'],
    ['a number that is no number', () => fields.number('name'), 'config.json: name'],
    ['a number that is not above its bound', () => fields.number('zero'), 'a number above 0'],
    ['a boolean that is a number', () => fields.boolean('zero'), 'true or false in config.json: zero'],
    ['a string that is a boolean', () => fields.string('yes'), 'a string in config.json: yes'],
    ['a list with another type in it', () => fields.integers('mixed'), 'config.json: mixed', 'got "a"'],
    ['words that are numbers', () => fields.strings('list'), 'a list of strings in config.json: list'],
    ['an object that is a list', () => fields.nested('list'), 'an object in config.json: list'],
    ['an object that is null', () => fields.nested('none'), 'an object in config.json: none'],
    [
      'a field of an inner object, by its whole path',
      () => fields.nested('inner').integer('bad'),
      'config.json: inner: bad',
    ],
  ];
  for (const [title, read, ...mentions] of refused) {
    it(`refuses ${title}`, () => assertRefused(read, ...mentions));
  }

  it('shortens what it found', async () => {
    const long = new ConfigFields('config.json', { name: ['x'.repeat(500)] });
    await assertRefused(() => long.string('name'), 'config.json: name');
    assert.throws(
      () => long.string('name'),
      (error: Error) => error.message.length < 200,
    );
  });

  it('reads a file, whatever its first field is called', () => {
    const file = join(temporaryFolder(), 'config.json');
    writeFileSync(file, '{"__proto__": {"count": 1}, "constructor": 2}');
    const read = ConfigFields.read(file);
    assert.deepEqual(read.names(), ['__proto__', 'constructor']);
    assert.equal(read.integer('constructor'), 2);
  });

  it('says so of a value that is nested too deeply to be shown', async () => {
    const deep = JSON.parse(`${'['.repeat(10_000)}${']'.repeat(10_000)}`) as unknown;
    const fields = new ConfigFields('config.json', { name: deep });
    await assertRefused(() => fields.string('name'), 'config.json: name', 'very many levels');
  });
});
