// Tests white space at the end.
import { trimEnd } from '../../../server/completion/suggestion/trimEnd';
import { describeStep } from './describeStep';

describeStep(trimEnd, [
  ['spaces', '⟦a();  ⟧\n', 'a();'],
  ['blank lines', '⟦a();\n\n  ⟧\n', 'a();'],
  ['a space that follows the cursor', 'a = ⟦b ⟧ + c\n', 'b'],
  ['blank lines before a closer', 'f({⟦\n  a,\n\n⟧});\n', '\n  a,\n'],
  ['keeps a line end before a closer', 'f({⟦\n  a,\n⟧});\n'],
  ['keeps a space before a word', 'a ⟦= ⟧b\n'],
  ['an output of spaces only', 'a⟦  ⟧\n', ''],
  ['an output of line ends only', 'a⟦\n\n⟧\n', ''],
  ['an output of a no-break space only', 'a⟦\u00a0⟧', ''],
  ['keeps leading white space', 'if a:⟦\n    b()⟧\n'],
]);
