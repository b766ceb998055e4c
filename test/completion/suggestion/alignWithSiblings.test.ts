// Tests that keys of YAML are aligned with their siblings, or dropped where they cannot be.
import assert from 'node:assert/strict';
import { requestedText, type Case } from './suggestedText';

describe('a key in YAML', () => {
  const CASES: readonly Case[] = [
    ['a:\n  b: 1\n║\n', '   c: 2', '  c: 2'],
    ['a:\n  b: 1\n   ║\n', 'c: 2', ''],
    ['a:\n  b: 1\n  ║\n', 'c: 2', 'c: 2'],
    ['a:\n  b: 1\n║\n', 'c: 2', 'c: 2'],
    ['a:\n║\n', '    b: 1', '    b: 1'],
    ['a:\n  ║\n    c: 1\n', 'b:', 'b:'],
    ['a:\n  ║\n    c: 1\n', 'b: |', 'b: |'],
    ['a:\n  ║\n    c: 1\n', 'b: 2', '  b: 2'],
    ['a:\n  ║\n    c: 1\n', '- b: 2', '- b: 2'],
    ['a:\n    ║\n  c: 2\n', 'b: 1', ''],
    ['a:\n║\n  c: 2\n', '    b: 1', '  b: 1'],
    ['a:\n║\nb: 2\n', '    c: 1', '    c: 1'],
    ['║\n', '  a: 1', 'a: 1'],
    ['a: |\n║\n', '     text', '     text'],
    ['a: # b\n║\n', '    c: 1', '    c: 1'],
    ['-\n║\n', '   c: 1', '   c: 1'],
    ['a:\n  b: 1\n# c\n║\n', '   d: 2', '  d: 2'],
    ['a:\n  b: 1\n║\n', '   c:\n     d: 2', '  c:\n    d: 2'],
    ['a:\n  b: 1\n║\n', '\n   c: 2', '\n  c: 2'],
    ['- a: 1\n║\n', '   b: 2', '  b: 2'],
    ['- a\n║\n', '   - b', '- b'],
    ['- a: 1\n  ║\n', 'b: 2', 'b: 2'],
    ['- a: 1\n║\n', ' - a: 2', '- a: 2'],
    ['- a: 1\n║\n', '  - a: 2', '- a: 2'],
    ['- a:\n  - b\n║\n', '  - c', '  - c'],
    ['a:\n  - b\n║\n', ' - c', '  - c'],
    ['a:\n  - b: 1\n    c: 1\n║\n', '    - b: 2', '  - b: 2'],
    ['a:\n  - b: 1\n║\n', '- b: 2', '  - b: 2'],
    ['a:\n  b: 1\n║\n', '  - c', '  - c'],
    ['- a: 1\n  b: 1\n║\n', ' - a: 2', '- a: 2'],
    ['a: [\n  1\n║\n', ' ]', ']'],
    ['a:\n  - b: 1\n║\n', '  c: 2', '    c: 2'],
    ['- a: 1\n ║\n', 'b: 2', ' b: 2'],
    ['a:\n  - b: 1\n  ║\n    d: 3\n', 'c:\n  e: 2', '  c:\n    e: 2'],
    ['a:\n- b: 1\n║\n', 'c: 2', 'c: 2'],
    ['a:\n  - b: 1\n  ║\n', '# c', '# c'],
    ['a:\n  b:\n  ║\n    d: 1\n', '- c: 2', '- c: 2'],
    ['a:\n  b:\n  ║\n    d: 1\n', 'c: 2', '  c: 2'],
    ['a: |\n  text\n     ║\n', 'more', 'more'],
    ['a: |2-\n  text\n     ║\n', 'more', 'more'],
    ['a: |\n  text\n    deeper\n║\n', '   more', '   more'],
    ['- a: |\n    text\n      deeper\n║\n', '        more', '        more'],
  ];
  for (const [document, text, shown] of CASES)
    it(`is ${shown === '' ? 'dropped if it cannot be ' : ''}aligned with its siblings: ${JSON.stringify(document)} with ${JSON.stringify(text)}`, async () => {
      assert.equal(await requestedText(document, text, 'yaml'), shown);
    });
});
