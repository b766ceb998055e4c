// How languages are written, as prompts and stop rules know it.
import assert from 'node:assert/strict';
import { closesBlock, commentLines, mayCloseBlock, opensBlock } from '../../server/completion/text/language';
import { scan } from '../../server/completion/text/scanner';

describe('commentLines', () => {
  it('knows the languages', () => {
    assert.equal(commentLines('a\nb', '  ', 'typescript'), '  // a\n  // b\n');
    assert.equal(commentLines('a', '', 'python'), '# a\n');
    assert.equal(commentLines('a', '', 'sql'), '-- a\n');
    assert.equal(commentLines('a --> b', '', 'html'), '<!-- a  b -->\n');
    assert.equal(commentLines('a */ b', '', 'css'), '/* a  b */\n');
  });
});

describe('a language that is called as something in each object', () => {
  for (const name of ['constructor', 'toString', '__proto__'])
    it(`is one of which nothing is known: ${name}`, () => {
      assert.equal(opensBlock('x', name), false);
      assert.equal(closesBlock('end', name), false);
      assert.equal(mayCloseBlock('e', name), false);
      assert.deepEqual(scan('f(', name).open, scan('f(', 'unknown').open);
    });
});
