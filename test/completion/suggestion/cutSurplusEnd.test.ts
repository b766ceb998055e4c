// Tests which lines that end a block with a word are cut: those that the document has already.
import assert from 'node:assert/strict';
import { cutSurplusEnd } from '../../../server/completion/suggestion/cutSurplusEnd';
import { describeStep } from './describeStep';
import { suggestedText } from './suggestedText';

describeStep(cutSurplusEnd, [
  ['an end above an else', 'if a then⟦\n  b()\nend⟧\nelse\n  c()\nend\n', '\n  b()', 'lua'],
  [
    'an end above the rest of the block',
    '  def a⟦\n    b\n  end⟧\n    return c\n  end\nend\n',
    '\n    b',
    'ruby',
  ],
  ['a second else', 'if a; then⟦\n  b\nelse\n  c\nfi⟧\nelse\n  d\nfi\n', '\n  b', 'shellscript'],
  [
    'an end after a block of the text',
    'for a in b; do⟦\n  if c; then\n    d\n  fi\ndone⟧\n  e\ndone\n',
    '\n  if c; then\n    d\n  fi',
    'shellscript',
  ],
  ['an end after an else', 'if a do⟦\n  b\nelse\n  c\nend⟧\n  d\nend\n', '\n  b\nelse\n  c', 'elixir'],
  ['an end with a bracket', 'map(function(a)⟦\n  b()\nend⟧\n  c()\nend)\n', '\n  b()', 'lua'],
  ['an end below a line of its block', 'def a\n  b\n⟦end⟧\n  c\nend\n', '', 'ruby'],
  ['keeps an end after the last line of its block', '  def a\n    b\n  ⟦end⟧\nend\n', undefined, 'ruby'],
  ['keeps an end that is missing', '  if a then⟦\n    b()\n  end⟧\nend\n', undefined, 'lua'],
  ['keeps an end above another block', 'def a⟦\n  b\nend⟧\n\ndef c\nend\n', undefined, 'ruby'],
  ['keeps an else', 'if a then⟦\n  b()\nelse⟧\n  c()\nend\n', undefined, 'lua'],
  ['keeps an elsif', 'if a⟦\n  b\nelsif c⟧\n  d\nelsif e\n  f\nend\n', undefined, 'ruby'],
  ['keeps an elsif above an else', 'if a⟦\n  b\nelsif c\n  d⟧\nelse\n  e\nend\n', undefined, 'ruby'],
  [
    'keeps the end of a block that the text opens',
    'if a then⟦\n  b()\nelse\n  c()\nif d then\n  e()\nend⟧\nend\n',
    undefined,
    'lua',
  ],
  [
    'an end below another spelling of the word',
    'BEGIN\n  IF a THEN⟦\n    b;\n  end if;⟧\n  ELSE\n    c;\n  END IF;\nEND;\n',
    '\n    b;',
    'sql',
  ],
  ['keeps a name in a language without such words', 'if a:⟦\n  b\nend = 1⟧\nend = 2\n', undefined, 'python'],
]);

describe('the end of a block', () => {
  it('is not suggested if the document has it already', async () => {
    for (const [document, text, shown, languageId] of [
      ['if a then║\nelse\n  c()\nend\n', '\n  b()\nend\n', '\n  b()', 'lua'],
      ['def a║\n\n  return c\nend\n', '\n  b\nend\n', '\n  b', 'ruby'],
      ['if a; then║\nelse\n  c\nfi\n', '\n  b\nfi\n', '\n  b', 'shellscript'],
      ['if a do║\nelse\n  c\nend\n', '\n  b\nend\n', '\n  b', 'elixir'],
      ['if a\n  b\n║\nelse\n  c\nend\n', 'end\n', '', 'julia'],
      ['if a║\nelse\n  c\nend\n', '\n  b\nend\n', '\n  b', 'julia'],
    ] as const)
      assert.equal(await suggestedText(document, text, languageId), shown, languageId);
  });
});
