// Tests the steps of cleaning together, on documents with a cursor.
import { cleanSuggestion } from '../../../server/completion/suggestion/cleanSuggestion';
import { describeStep } from './describeStep';

describeStep(cleanSuggestion, [
  ['quote and bracket', 'log("⟦hello");\nlog("x⟧");\n', 'hello'],
  ['text that repeats the rest of the line', 'f(⟦);⟧);\n', ''],
  ['the end of a call after an object', 'f({⟦\n  a: 1,\n});\n⟧});\n', '\n  a: 1,\n'],
  ['the rest of the line before surplus brackets', 'f(⟦a, bcd));⟧bcd);\n', 'a, '],
  ['a rest of the line that ends in a string', 'f(a, ⟦b, `s`));⟧`s`);\n', 'b, '],
  ['the end of the function', '{\n  ⟦  a();\n  }\n⟧\n}\n', 'a();'],
  ['a third equal line that lacks its closer', 'f(a)\nf(a)\n⟦f(a⟧\n', '', 'python'],
  ['a third equal line that lacks its end tag', '<li>a</li>\n<li>a</li>\n⟦<li>a</⟧\n<p>\n', '', 'html'],
  ['keeps a condition with both of its branches', 'if (a) {⟦\n  b();\n} else {\n  c();\n}⟧\nd();\n'],
]);
