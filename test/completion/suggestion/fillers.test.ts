// Tests texts that end in an operator before a closer, in automatic requests.
import assert from 'node:assert/strict';
import { suggestedText, type Case } from './suggestedText';

describe('a text that ends in an operator before a closer', () => {
  const CASES: readonly Case[] = [
    ['a(`${║}`);\n', "isOn ? 'active' : ", ''],
    ['if (a║)\n', ' && ', ''],
    ['f(a║)\n', ' + ', ''],
    ['f(a║)\n', ' + b', ' + b'],
    ['void f(║)\n', 'char *', 'char *', 'c'],
    ['f(a║)\n', ' and ', '', 'python'],
  ];
  for (const [document, text, shown, languageId] of CASES)
    it(`is ${shown === '' ? 'not ' : ''}suggested automatically: ${document.trim()} with ${text}`, async () => {
      assert.equal((await suggestedText(document, text, languageId)).trimEnd(), shown.trimEnd());
    });

  const OPERATORS =
    '- + / % = ^ | == === != !== <== >== && || ?? ? -= += *= /= %= |= &= <= >= => and or not instanceof in is'.split(
      ' ',
    );
  it('is not suggested, whichever operator ends it and whichever bracket follows', async () => {
    for (const operator of OPERATORS)
      for (const brackets of ['()', '[]', '{}']) {
        const [open = '', close = ''] = brackets;
        const document = `f${open}a║ ${close}\n`;
        assert.equal(await suggestedText(document, ` ${operator} `), '', operator);
        assert.equal(await suggestedText(document, ` ${operator} b`), ` ${operator} b`, operator);
      }
    for (const end of ['*', '&', 'a?', 'a!'])
      assert.notEqual(await suggestedText('f(║)\n', `a ${end}`), '', end);
    assert.notEqual(await suggestedText('f(║\n', 'a +'), '');
  });
});
