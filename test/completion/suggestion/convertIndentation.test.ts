// Tests the indentation of suggestions: the unit of the document or the editor.
import assert from 'node:assert/strict';
import { completionContext } from '../../../server/completion/prompt/context';
import { cleanSuggestion } from '../../../server/completion/suggestion/cleanSuggestion';
import { convertIndentation } from '../../../server/completion/suggestion/convertIndentation';
import { describeStep } from './describeStep';
import { requestedText } from './suggestedText';

describeStep(convertIndentation, [
  ['spaces in place of tabs', '{\n\ta();\n\t⟦if (b) {\n    c();\n  }⟧\n}\n', 'if (b) {\n\t\tc();\n\t}'],
  ['tabs in place of spaces', '{\n  a();\n  ⟦if (b) {\n\t\tc();\n\t}⟧\n}\n', 'if (b) {\n    c();\n  }'],
  ['keeps correct indentation', '{\n  a();\n  ⟦if (b) {\n    c();\n  }⟧\n}\n'],
]);

describe('a suggestion in a document without indentation', () => {
  for (const [unit, text, shown] of [
    ['  ', 'a():\n    b()\n    if c:\n        d()', 'a():\n  b()\n  if c:\n    d()'],
    ['\t', 'a():\n    b()\n    if c:\n        d()', 'a():\n\tb()\n\tif c:\n\t\td()'],
    ['    ', 'a():\n  b()\n  if c:\n    d()', 'a():\n    b()\n    if c:\n        d()'],
  ] as const)
    it(`is indented as the editor is set: ${JSON.stringify(unit)}`, () => {
      const source = { uri: 'file:///a.py', fileName: 'a.py', languageId: 'python', text: 'def ' };
      const context = completionContext(source, 4, { editorUnit: unit });
      assert.equal(cleanSuggestion(text, context), shown);
      const indented = { ...source, text: 'def e():\n   f()\n\ndef ' };
      const indentedContext = completionContext(indented, indented.text.length, { editorUnit: unit });
      assert.equal(indentedContext.unit, '   ', 'the unit of the editor replaces that of the document');
      const threeSpaces = 'a():\n   b()\n   if c:\n      d()';
      for (const kept of [threeSpaces, 'a():\n     b()'])
        assert.equal(cleanSuggestion(kept, indentedContext), kept);
    });

  for (const [unit, shown] of [
    ['  ', '  b()\n  c()'],
    ['\t', '\tb()\n\tc()'],
  ] as const)
    it(`is indented as the editor is set from the start of a line on: ${JSON.stringify(unit)}`, () => {
      const source = { uri: 'file:///a.py', fileName: 'a.py', languageId: 'python', text: 'if a:\n' };
      const context = completionContext(source, source.text.length, { editorUnit: unit });
      assert.equal(cleanSuggestion('    b()\n    c()', context), shown);
    });

  it('is indented with tabs if the line of the cursor is, whatever other lines have', async () => {
    const spaces = '  a\n    b\n'.repeat(9);
    assert.equal(
      await requestedText(`s = \`\n${spaces}\`\nfunc f() {\n\t║\n}\n`, 'a()\n\tb()', 'go'),
      'a()\n\tb()',
    );
    assert.equal(await requestedText('f {\n\t║\n}\n', 'if (a) {\n\t\tb();\n\t}'), 'if (a) {\n\t\tb();\n\t}');
  });

  it('keeps the spaces of the model if the editor reports no unit', async () => {
    const text = 'a():\n  b()\n  if c:\n    d()';
    assert.equal(await requestedText('def ║', text, 'python'), text);
  });
});
