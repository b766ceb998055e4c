// How languages are written, as prompts and stop rules know it.
import assert from 'node:assert/strict';
import { commentLines } from '../../server/completion/language';

describe('commentLines', () => {
  it('knows the languages', () => {
    assert.equal(commentLines('a\nb', '  ', 'typescript'), '  // a\n  // b\n');
    assert.equal(commentLines('a', '', 'python'), '# a\n');
    assert.equal(commentLines('a', '', 'sql'), '-- a\n');
    assert.equal(commentLines('a --> b', '', 'html'), '<!-- a  b -->\n');
    assert.equal(commentLines('a */ b', '', 'css'), '/* a  b */\n');
  });
});
