// Tests the steps of cleaning together, on documents with a cursor.
import { cleanSuggestion } from '../../../server/completion/suggestion/cleanSuggestion';
import { describeStep } from './describeStep';

describeStep(cleanSuggestion, [
  ['quote and bracket', 'log("⟦hello");\nlog("x⟧");\n', 'hello'],
  ['text that repeats the rest of the line', 'f(⟦);⟧);\n', ''],
  ['the end of a call after an object', 'f({⟦\n  a: 1,\n});\n⟧});\n', '\n  a: 1,\n'],
  ['the end of the function', '{\n  ⟦  a();\n  }\n⟧\n}\n', 'a();'],
  ['keeps a condition with both of its branches', 'if (a) {⟦\n  b();\n} else {\n  c();\n}⟧\nd();\n'],
]);
