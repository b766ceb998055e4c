// Tests text at the end that already follows the cursor.
import assert from 'node:assert/strict';
import { removeSuffixOverlap } from '../../../server/completion/suggestion/removeSuffixOverlap';
import { describeStep } from './describeStep';
import { requestedText, type Case } from './suggestedText';

describeStep(removeSuffixOverlap, [
  ['the rest of the line', 'const x = ⟦y + 1;⟧ + 1;\n', 'y'],
  ['a semicolon', 'x = ⟦a * b;⟧;\n', 'a * b'],
  ['the rest of the line before more lines', 'f(⟦a, b);\ng()⟧, b);\n', 'a'],
  ['a copy of the rest of the word', 're⟦turn x⟧turn x;\n', ''],
  ['the rest after another space', 'a = ⟦b + c;⟧  + c;\n', 'b '],
  ['following lines', 'f()⟦;\n  g();\n}⟧\n  g();\n}\n', ';'],
  ['keeps a text with one letter in common with the rest', 'const ⟦name⟧ean = 1;\n'],
  ['keeps a letter that begins the next word', '[⟦f(i) for i⟧ in a]\n', undefined, 'python'],
  ['keeps a text that the next line repeats', 'x = ⟦g()⟧\ng()\n'],
  ['values that follow after a space', 'f(a,⟦b, c,⟧ b, c, d)\n', ''],
  ['an argument that follows after a space', 'f(a,⟦b,⟧ b, c, d)\n', ''],
  ['keeps a word that follows itself', 'a {\n  padding: ⟦1em⟧ 1em;\n}\n', undefined, 'css'],
  ['leaves a bracket before more lines to balanceBrackets', 'f(⟦a)\nb⟧)\n'],
  ['leaves a lone bracket to balanceBrackets', 'f(g(⟦x)⟧)\n'],
]);

describe('the rest of the line after the cursor', () => {
  const CASES: readonly Case[] = [
    ['A<║> f() const {\n    b();\n}\n', 'double> f() const {\n    b();', 'double', 'cpp'],
    ['// Called "║");\n', 'b");\n// c', 'b', 'cpp'],
    ['f<║>(a,\n  b);\n', 'T>(a,\n  b);', 'T', 'cpp'],
  ];
  for (const [document, text, shown, languageId] of CASES)
    it(`is removed from a text before its brackets are closed: ${document.trim()} with ${text}`, async () => {
      assert.equal(await requestedText(document, text, languageId), shown);
    });
});

describe('the next line of a query', () => {
  it('is not suggested at the end of the line before', async () => {
    assert.equal(await requestedText('SELECT a, ║\nFROM c\nWHERE d;\n', 'b FROM c', 'sql'), 'b');
  });

  it('is suggested where it ends an inner block', async () => {
    for (const text of [
      'IF b THEN\n      c := 1;\n    END IF;',
      'IF b THEN c := 1; END IF;',
      'LOOP\n      c := 1;\n    END LOOP;',
    ]) {
      const end = text.slice(text.indexOf('END'));
      const document = `BEGIN\n  ${end.replace('END ', '').replace(';', '')} a\n    ║\n  ${end}\nEND;\n`;
      assert.equal(await requestedText(document, text, 'sql'), text);
    }
  });
});
