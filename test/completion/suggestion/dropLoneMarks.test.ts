// Tests comment marks, operators and separators alone.
import assert from 'node:assert/strict';
import { requestedText, suggestedText } from './suggestedText';

describe('a lone punctuation mark', () => {
  const MARKS =
    '// /// //! /* /** /*! * ** . .. # ## #! <!-- -- ++ - + = & && | || < > => @ ~ ^ % \\ $ , /'.split(' ');
  for (const mark of [...MARKS, ' +'])
    it(`is not suggested: ${mark}`, async () => {
      assert.equal(await requestedText('a\n║\n', mark), '');
    });
  for (const [document, mark, languageId] of [
    ['a\n║\n', '<!--', 'html'],
    ['i║\n', '--', 'sql'],
    ['i = ║\n', '++', 'java'],
    ['if (a < b║)\n', '>', 'java'],
    ['f(║)\n', '*', 'java'],
    ['a { width: calc(║); }\n', '*', 'css'],
    ['SELECT b WHERE a = (║\n', '*', 'sql'],
  ] as const)
    it(`is not suggested where it completes nothing: ${mark} at ${document.trim()} in ${languageId}`, async () => {
      assert.equal(await requestedText(document, mark, languageId), '');
    });
  for (const [document, text, languageId] of [
    ['if x║\n', ':', 'python'],
    ['f()║\n', ';', 'c'],
    ['i║\n', '++', 'java'],
    ['i║\n', '--', 'java'],
    ['a[i]║\n', '++', 'java'],
    ['/* a *║\n', '/', 'java'],
    ['<!-- a ║\n', '-->', 'html'],
    ['<a║\n', '>', 'html'],
    ['def f(): ║\n', '...', 'python'],
    ['let a = f()║;\n', '?', 'rust'],
    ['<br ║\n', '/>', 'html'],
  ] as const)
    it(`is suggested where it completes code: ${text} at ${document.trim()} in ${languageId}`, async () => {
      assert.equal(await requestedText(document, text, languageId), text);
    });
});

describe('a lone punctuation mark in a string', () => {
  for (const [document, mark, languageId] of [
    ['a.join("║")\n', ', ', 'python'],
    ["app.get('║', f);\n", '/', 'javascript'],
    ["select split_part(a, '║', 1);\n", '.', 'sql'],
    ['<a href="║">b</a>\n', '/', 'html'],
    ['a = `${b}/${c}║`;\n', '/', 'typescript'],
  ] as const)
    it(`is suggested: ${mark} at ${document.trim()}`, async () => {
      assert.equal(await suggestedText(document, mark, languageId), mark);
    });
});
