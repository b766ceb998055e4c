// Tests the words that end the blocks of a text which leaves them open.
import { closeWordBlocks } from '../../../server/completion/suggestion/closeWordBlocks';
import { assertAccepted } from './assertAccepted';
import { describeStep } from './describeStep';

describeStep(closeWordBlocks, [
  ['keeps a block that ends below', '⟦if a\n  b⟧\nend\n', undefined, 'ruby'],
  ['keeps a block that the text ends', '⟦if a then\n  b()\nelse\n  c()\nend⟧\n', undefined, 'lua'],
  ['keeps a block that the user has begun', 'def a⟦\n  b⟧\n', undefined, 'ruby'],
  ['keeps a block without content', '⟦a\ndef b⟧\n', undefined, 'ruby'],
  ['keeps a definition in one line', '⟦def a = 1\nb⟧\n', undefined, 'ruby'],
  ['keeps a statement with a condition at its end', '⟦a if b\n  .c⟧\n', undefined, 'ruby'],
  ['keeps a block in brackets', '⟦f {\n  a⟧\n', undefined, 'ruby'],
  ['keeps a bracket before a comment', '⟦if a then\n  f(b, -- c⟧\n', undefined, 'lua'],
  ['keeps indented blocks', '⟦if a:\n    b()⟧\n', undefined, 'python'],
]);

describe('blocks that a text leaves open', () => {
  it('are ended like the brackets around and within them', () => {
    for (const [document, accepted, languageId] of [
      ['⟦def a\n  if b\n    c⟧\n', 'def a\n  if b\n    c\n  end\nend\n', 'ruby'],
      [
        '⟦a.each do |b|\n  if c\n    d\n  else\n    e(⟧\n',
        'a.each do |b|\n  if c\n    d\n  else\n    e()\n  end\nend\n',
        'ruby',
      ],
      ['class A\n  ⟦def a\n    b⟧\nend\n', 'class A\n  def a\n    b\n  end\nend\n', 'ruby'],
      ['⟦function f(a)\n  g({\n    b,⟧\n', 'function f(a)\n  g({\n    b,\n  })\nend\n', 'lua'],
      ['⟦f(function(a)\n  b()⟧\n', 'f(function(a)\n  b()\nend)\n', 'lua'],
      ['f(⟦a)\n  b()⟧\n', 'f(a)\n  b()\n', 'lua'],
      ['function f(⟦a)\n  b()⟧\n', 'function f(a)\n  b()\nend\n', 'lua'],
      [
        '⟦if a; then\n  while b; do\n    c⟧\n',
        'if a; then\n  while b; do\n    c\n  done\nfi\n',
        'shellscript',
      ],
      ['⟦function f()\n  -- a⟧\n', 'function f()\n  -- a\nend\n', 'lua'],
      ['⟦case $a in\n  b)\n    c⟧\n', 'case $a in\n  b)\n    c\nesac\n', 'shellscript'],
      ['f() {\n  ⟦if a; then\n    b⟧\n}\n', 'f() {\n  if a; then\n    b\n  fi\n}\n', 'shellscript'],
    ] as const)
      assertAccepted(document, accepted, languageId);
  });
});
