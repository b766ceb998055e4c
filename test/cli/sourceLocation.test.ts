// Tests FILE:LINE:COL: the text before and after the cursor, and errors for invalid locations. Lines end in LF, CRLF or
// CR; columns count UTF-16 units.
import assert from 'node:assert/strict';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSourceLocation, readText } from '../../server/cli/sourceLocation';
import { UserError } from '../../server/rules/userError';
import { temporaryFolder } from '../support/temporaryFolder';
import { itComplainsAbout, type BadInput } from './complaint';

const complete = (...args: readonly string[]) => ['complete', ...args];
const HUGE = '9'.repeat(400);

const BAD: readonly BadInput[] = [
  ['no location', complete(), 'FILE:LINE:COL', 'nothing', 'src/app.ts:12:5'],
  ['a file alone', complete('notes.txt'), 'FILE:LINE:COL', '"notes.txt"'],
  ['a location in words', complete('notes.txt:one:two'), 'FILE:LINE:COL'],
  ['two locations', complete('notes.txt:1:1', 'notes.txt:2:1'), 'one FILE:LINE:COL', 'notes.txt:2:1'],
  ['line 0', complete('notes.txt:0:1'), 'a line from 1 to 2 of notes.txt', 'got 0'],
  ['a line beyond the end', complete('notes.txt:3:1'), 'a line from 1 to 2 of notes.txt', 'got 3'],
  ['a line number of 400 digits', complete(`notes.txt:${HUGE}:1`), 'a line from 1 to 2 of notes.txt'],
  ['column 0', complete('notes.txt:2:0'), 'a column from 1 to 6 in line 2 of notes.txt', 'got 0'],
  ['a column beyond the line', complete('notes.txt:2:7'), 'a column from 1 to 6', 'got 7'],
  ['a column inside of CRLF', complete('crlf.txt:1:3'), 'a column from 1 to 2 in line 1'],
  ['a file that is not there', complete('absent.txt:1:1'), 'a file at absent.txt', 'got nothing'],
  ['a path that is too long', complete(`${'a'.repeat(5000)}:1:1`), 'a file at aaa'],
  ['a folder', complete('folder:1:1'), 'a file at folder', 'a folder'],
  ['a device', complete('/dev/null:1:1'), 'a file at /dev/null', 'a device'],
  ['a binary file', complete('binary:1:1'), 'UTF-8 text at binary'],
  ['a file in another encoding', complete('latin1.txt:1:1'), 'UTF-8 text at latin1.txt'],
  [
    'a file of more than 2 million characters',
    complete('long.txt:1:1'),
    '2000000 characters in long.txt',
    '2000001',
  ],
  ['a file above 5 MB', complete('large.txt:1:1'), 'a file at large.txt', 'more than the limit of 5.0 MB'],
  ['a name of several lines', complete('a\nb\r\n\u001b[31mc😀:1:1'), 'a file at a b [31mc😀'],
  ['a demo of a file that is not there', ['demo', 'absent.txt:1:1'], 'absent.txt', 'got nothing'],
];

describe('a source location', () => {
  const folder = temporaryFolder();
  const write = (name: string, content: string | Uint8Array): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };

  itComplainsAbout(BAD, () => {
    write('notes.txt', 'hello\nworld');
    write('crlf.txt', 'a\r\nb');
    write('binary', Uint8Array.of(65, 0, 66));
    write('latin1.txt', Buffer.from('größer', 'latin1'));
    write('long.txt', 'a'.repeat(2_000_001));
    truncateSync(write('large.txt', ''), 5_000_001);
    mkdirSync(join(folder, 'folder'));
    return folder;
  });

  const cut = (content: string, lineAndColumn: string): [before: string, after: string] => {
    const { prefix, suffix } = readSourceLocation(`${write('cut.txt', content)}:${lineAndColumn}`);
    return [prefix, suffix];
  };

  it('cuts the text at the cursor', () => {
    assert.deepEqual(cut('one\ntwo\n', '1:1'), ['', 'one\ntwo\n']);
    assert.deepEqual(cut('one\ntwo\n', '1:4'), ['one', '\ntwo\n']);
    assert.deepEqual(cut('one\ntwo\n', '2:2'), ['one\nt', 'wo\n']);
    assert.deepEqual(cut('one\ntwo\n', '3:1'), ['one\ntwo\n', '']);
    assert.deepEqual(cut('one\ntwo', '2:4'), ['one\ntwo', '']);
    assert.deepEqual(cut('one\n\ntwo', '2:1'), ['one\n', '\ntwo']);
    assert.deepEqual(cut('', '1:1'), ['', '']);
  });

  it('accepts and keeps all line ends', () => {
    assert.deepEqual(cut('a\r\nb\rc\nd', '2:2'), ['a\r\nb', '\rc\nd']);
    assert.deepEqual(cut('a\r\nb\rc\nd', '4:2'), ['a\r\nb\rc\nd', '']);
    assert.deepEqual(cut('a\r\n', '1:2'), ['a', '\r\n']);
    assert.throws(() => cut('a\r\n', '1:3'), UserError);
    assert.throws(() => cut('a\r\n', '3:1'), UserError);
    // Neither of these ends a line in an editor.
    assert.deepEqual(cut('a\u2028b\u0085c', '1:6'), ['a\u2028b\u0085c', '']);
  });

  it('counts columns in UTF-16 units, as editors do', () => {
    assert.deepEqual(cut('"😀" x', '1:5'), ['"😀"', ' x']);
    assert.deepEqual(cut('größer x', '1:7'), ['größer', ' x']);
    assert.throws(() => cut('"😀"', '1:6'), UserError);
  });

  it('skips a byte order mark, which editors do not count', () => {
    assert.deepEqual(cut('\uFEFFlet x', '1:4'), ['let', ' x']);
  });

  it('reads line and column after the last two colons, so that a name can have colons', () => {
    const file = write('a:1:2', 'text');
    const { line, column, fileName, ...found } = readSourceLocation(`${file}:1:3`);
    assert.deepEqual({ line, column, fileName }, { line: 1, column: 3, fileName: 'a:1:2' });
    assert.deepEqual(found, { file, prefix: 'te', suffix: 'xt' });
  });

  it('can be in a file of two million characters', () => {
    const { suffix } = readSourceLocation(`${write('longest.txt', 'a'.repeat(2_000_000))}:1:1`);
    assert.equal(suffix.length, 2_000_000);
  });

  it('can be in a file of any name, except an empty one or one with a NUL', () => {
    assert.equal(readText(write('größe 模型 😀\n.txt', 'x')), 'x');
    assert.throws(() => readText('a\0b'), UserError);
    assert.throws(() => readText(''), UserError);
  });
});
