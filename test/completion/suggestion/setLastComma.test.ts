// Tests the comma at the end of an entry in JSON.
import assert from 'node:assert/strict';
import { cleanSuggestion } from '../../../server/completion/suggestion/cleanSuggestion';
import { setLastComma } from '../../../server/completion/suggestion/setLastComma';
import { contextAt } from '../../support/cursor';
import { describeStep } from './describeStep';

describeStep(setLastComma, [
  ['the comma before a brace', '{\n  "a": ⟦1,⟧\n}\n', '1', 'json'],
  ['the comma before a bracket', '[⟦1, 2,⟧]\n', '1, 2', 'json'],
  ['the comma after a string that the editor has closed', '{\n  "name": "⟦a",⟧"\n}\n', 'a"', 'json'],
  ['the comma in JSON with comments', '{ "a": ⟦[1],⟧ }\n', '[1]', 'jsonc'],
  ['keeps the comma between two entries', '{\n  ⟦"a": 1,⟧\n  "b": 2\n}\n', undefined, 'json'],
  ['keeps the comma in other languages', 'a = {\n  b: ⟦1,⟧\n}\n'],
  ['keeps a key whose value is missing', '{\n  ⟦"a"⟧\n  "b": 2\n}\n', undefined, 'json'],
  ['keeps a comment', '[\n  // ⟦see 1⟧\n  2\n]\n', undefined, 'jsonc'],
  ['keeps a text before more text', '[\n  ⟦1⟧2,\n  3\n]\n', undefined, 'json'],
  ['keeps a text that ends no entry', '{\n  "a": ⟦{⟧\n  "b": 2\n}\n', undefined, 'json'],
  ['keeps lines that are not a list', '⟦{ "a": 1 }⟧\n{ "a": 2 }\n', undefined, 'jsonl'],
]);

describe('setLastComma', () => {
  const cases: readonly (readonly [title: string, document: string, text: string])[] = [
    ['before a key', '{\n  "a": "║\n  "b": 2\n}\n', 'x"'],
    ['after a string of a list', '[\n  ║\n  "b"\n]\n', '"a"'],
    ['before an item', '[\n  1,\n  ║\n  3\n]\n', '2'],
    ['after an object', '{\n  "a": ║\n  "b": 2\n}\n', '{\n    "c": true\n  }'],
  ];
  for (const [title, document, text] of cases)
    it(`adds a comma ${title}`, () => {
      assert.equal(cleanSuggestion(text, contextAt(document, 'json')), `${text},`);
    });
});
