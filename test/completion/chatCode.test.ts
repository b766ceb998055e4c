// Code that arrives in a chat answer: what is code of it, and where it belongs.
import assert from 'node:assert/strict';
import { ChatCode, codeFence } from '../../server/completion/instruct/chatCode';

describe('the code in a chat answer', () => {
  const answers: readonly (readonly [answer: string, code: string])[] = [
    ['a();\n```\nDone.', 'a();\n'],
    ['```js\na();\n```', 'a();\n'],
    ['a();', 'a();'],
    ['a`b`\n``c``\n', 'a`b`\n``c``\n'],
    ['a\n  ```\nb', 'a\n'],
    ['', ''],
  ];
  for (const [answer, code] of answers)
    it(`finds ${JSON.stringify(code)} in ${JSON.stringify(answer)}, in any pieces`, () => {
      for (const size of [1, 2, 3, 100]) {
        const found = new ChatCode('```', '', '');
        const pieces = answer.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
        assert.equal(pieces.map((piece) => found.push(piece)).join('') + found.flush(), code);
      }
    });

  it('uses a fence that the text cannot close', () => {
    assert.equal(codeFence('a'), '```');
    assert.equal(codeFence('```` a ```'), '`````');
  });
});

describe('the indentation of code in a chat answer', () => {
  const moves: readonly (readonly [text: string, base: string, lead: string, expected: string])[] = [
    ['a {\n  b\n}\n', '    ', '    ', 'a {\n      b\n    }\n'],
    ['    a {\n      b\n    }\n', '    ', '    ', 'a {\n      b\n    }\n'],
    ['a\nb', '\t', '', '\ta\n\tb'],
    ['\n\na\n\nb', '  ', '  ', 'a\n\n  b'],
    ['a +\n  b', '  ', '  x = ', 'a +\n    b'],
    ['  a\nb', '', '', 'a\nb'],
  ];
  for (const [text, base, lead, expected] of moves)
    it(`makes ${JSON.stringify(expected)} of ${JSON.stringify(text)}, in any pieces`, () => {
      for (const size of [1, 2, 5, 100]) {
        const code = new ChatCode('```', base, lead);
        const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
        assert.equal(pieces.map((piece) => code.push(piece)).join('') + code.flush(), expected);
      }
    });
});
