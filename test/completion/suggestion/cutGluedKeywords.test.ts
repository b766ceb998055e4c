// Tests keywords that are glued to a name of the document.
import assert from 'node:assert/strict';
import { requestedText, type Case } from './suggestedText';

describe('a keyword glued to a name', () => {
  const CASES: readonly Case[] = [
    ['func f(parcel P) {\n\t║\n}\n', 'returnparcel, nil', '', 'go'],
    ['func f(parcel P) {\n\treturn║\n}\n', 'parcel, nil', '', 'go'],
    ['func f(parcel P) {\n\t║\n}\n', 'save(parcel)\n\treturnparcel, nil', 'save(parcel)', 'go'],
    ['let code;\n║\n', 'returncode = 1;', 'returncode = 1;'],
    ['f(returnparcel);\nlet parcel;\n║\n', 'returnparcel();', 'returnparcel();'],
    ['f(parcel); ║\n', 'returnparcel();', 'returnparcel();'],
    ['if (a) {\n} ║\n', 'elseif (b) {\n}', 'elseif (b) {\n}', 'php'],
    ['int expr = 1;\n║\n', 'constexpr int a = 2;', 'constexpr int a = 2;', 'cpp'],
    ['int eval(int a);\n║\n', 'consteval int b() {\n}', 'consteval int b() {\n}', 'cpp'],
    ['void init();\n║\n', 'constinit int a = 2;', 'constinit int a = 2;', 'cpp'],
    ['ln := 1\n║\n', 'println(ln)', 'println(ln)', 'go'],
    ['val arg = 1\nfun f(\n  ║\n)\n', 'vararg b: Int', 'vararg b: Int', 'kotlin'],
    ['this._items = 1;\n║\n', 'print_items();', 'print_items();'],
  ];
  for (const [document, text, shown, languageId] of CASES)
    it(`is cut unless it can be a name: ${JSON.stringify(text)} becomes ${JSON.stringify(shown)}`, async () => {
      assert.equal(await requestedText(document, text, languageId), shown);
    });

  const KEYWORDS =
    'return await yield throw raise defer delete import const let var case typeof export elif else assert echo print'.split(
      ' ',
    );
  it('is cut for each keyword of a statement', async () => {
    for (const keyword of KEYWORDS) {
      const document = 'load(parcel);\n║\nload(x);\n';
      assert.equal(await requestedText(document, `save();\n${keyword}parcel`), 'save();', keyword);
      assert.equal(await requestedText(document, `save();\n${keyword}x`), `save();\n${keyword}x`, keyword);
    }
  });

  for (const [text, shown] of [
    ['returnparcel', ''],
    ['b(); returnparcel', ''],
    ['(b) => returnparcel', ''],
    ['if (b) { returnparcel; }', ''],
    ['return awaitparcel', ''],
    ['b(returnparcel)', 'b(returnparcel)'],
    ['returnparcels()', 'returnparcels()'],
    ['returnparcel = 1', 'returnparcel = 1'],
    ['returnparcel: 1', 'returnparcel: 1'],
    ['returnparcel == 1', ''],
    ['returnParcel()', 'returnParcel()'],
    ['return$x', 'return$x'],
  ] as const)
    it(`is ${shown === '' ? 'cut at the start of a statement' : 'kept as a possible name'}: ${text}`, async () => {
      assert.equal(await requestedText('load(parcel, Parcel, $x);\n║\n', text), shown);
    });
});
