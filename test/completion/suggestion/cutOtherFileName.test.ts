// Tests comments that name another file.
import { cutOtherFileName } from '../../../server/completion/suggestion/cutOtherFileName';
import { describeStep } from './describeStep';

describeStep(cutOtherFileName, [
  ['the name of another file', '⟦// other.ts\n// a();⟧', ''],
  ['the name of another file after code', '\n⟦a();\n\n# lib/other.py\nb()⟧', 'a();\n', 'python'],
  ['the name of another file as the rest of a comment', '// ⟦src/other.ts⟧\n', ''],
  ['the name of another file in an HTML comment', '⟦<!-- File: a.html -->⟧', '', 'html'],
  ['keeps the name of the document itself', '⟦// src/sample.ts\na();⟧'],
  ['keeps a sentence about a file', '⟦// See other.ts\na();⟧'],
  ['keeps the name of another file within a document', 'a();\n⟦// other.ts⟧\n'],
]);
