// Tests white space at the start of a text that repeats the white space before the cursor.
import { dropDoubledSpace } from '../../../server/completion/suggestion/dropDoubledSpace';
import { describeStep } from './describeStep';

describeStep(dropDoubledSpace, [
  ['indentation that the line already has', '{\n  ⟦  a();⟧\n}\n', 'a();'],
  [
    'indentation that the line already has, on all lines',
    '{\n  a();\n  ⟦  b();\n    c();⟧\n}\n',
    'b();\n  c();',
  ],
  [
    'indentation that the line already has, around a blank line',
    '{\n  a();\n  ⟦  b();\n\n    c();⟧\n}\n',
    'b();\n\n  c();',
  ],
  [
    'indentation that the line already has, on the first line only',
    '{\n  a();\n  ⟦  b();\n  c();⟧\n}\n',
    'b();\n  c();',
  ],
  ['a single space too many', 'def f():\n    a()\n    ⟦ b()⟧\n', 'b()', 'python'],
  ['keeps missing indentation', 'if a:\n⟦    b()⟧\n', undefined, 'python'],
  ['keeps a level that the line lacks', 'if (a) {\n  if (b) {\n  ⟦  c();⟧\n  }\n}\n'],
  ['a blank that was typed', 'a ⟦ || 1;⟧\n', '|| 1;'],
  ['keeps a blank after a word', 'a⟦ || 1;⟧\n'],
  ['keeps blanks that align a column', 'name      text,\nage   ⟦    int,⟧\n', undefined, 'sql'],
]);
