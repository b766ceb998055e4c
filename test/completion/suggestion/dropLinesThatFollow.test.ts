// Tests lines of a text that already follow the cursor.
import assert from 'node:assert/strict';
import { dropLinesThatFollow } from '../../../server/completion/suggestion/dropLinesThatFollow';
import { describeStep } from './describeStep';
import { requestedText } from './suggestedText';

describeStep(dropLinesThatFollow, [
  ['the next line', 'a();\n⟦b();⟧\nb();\n', ''],
  ['the next line beyond blank ones', '⟦a();\nb();⟧\n\n\nb();\n', 'a();'],
  ['the next line with other white space', '⟦a();\n  f(a,  b);⟧\nf(a, b);\n', 'a();'],
  ['text that completes a copy of the next line', 'const a⟦ = 1;⟧\nconst a = 1;\n', ''],
  ['a bracket with the same indentation', '{\n  ⟦a();\n}⟧\n}\n', 'a();'],
  ['keeps a bracket that lies deeper', '{\n  ⟦if (a) {\n    b();\n  }⟧\n}\n'],
  ['keeps a word that ends a block deeper', 'if a\n  if b\n    c\n  ⟦end⟧\nend\n', undefined, 'ruby'],
  ['keeps a tag that ends an element deeper', '<a>\n  <b>\n  ⟦</b>⟧\n</b>\n', undefined, 'html'],
  ['keeps a line that a block of the text repeats', 'if ⟦(a) {\n  return b;\n}⟧\nreturn b;\n'],
  ['keeps a line that a Python block repeats', 'if ⟦a:\n    return b⟧\nreturn b\n', undefined, 'python'],
  ['a line that follows, at the end of a block', 'if (a) {⟦\n  b();\n  c();\n}⟧\n  c();\n}\n', '\n  b();'],
  ['the next line before the rest of its line', 'FROM t⟦\nWHERE a = 1⟧;\n  WHERE a = 1\n', '', 'sql'],
  ['keeps an argument that begins the next line', 'print(⟦df)⟧\ndf\n', undefined, 'python'],
  ['keeps an object that begins with the next line', 'call({⟦name: a,\n  b: c,\n})⟧\n  name: a,\n'],
  ['keeps a word of a line like the next', '<⟦td⟧>a</td>\n<td>a</td>\n', undefined, 'html'],
  ['keeps a text after which its line goes on', '<⟦div⟧ id="a">\n<div\n', undefined, 'html'],
  ['lines of a block that already has them deeper', 'a:⟦\n  b: 1\n  c: 2⟧\n    b: 1\n    c: 2\n', '', 'yaml'],
  ['items that follow at the column of their key', 'a:⟦\n  - b: 1⟧\n- b: 1\n', '', 'yaml'],
  ['keeps lines after a line like the next one', 'log();⟦\na();⟧\nlog();\n'],
  ['keeps lines that only look alike', '⟦a(1);⟧\na(2);\n'],
  ['keeps a line that comes again later', '⟦a();⟧\nb();\na();\n'],
]);

describe('a text that begins with the next line', () => {
  /** Entries of a list or a class, each with its name in place of N. */
  const ENTRIES: readonly (readonly [entry: string, languageId: string])[] = [
    ['@Test\nvoid N() {\n  run();\n}', 'java'],
    ['[Fact]\npublic void N()\n{\n    Run();\n}', 'csharp'],
    ['#[test]\nfn N() {\n    run();\n}', 'rust'],
    ['@property\ndef N(self):\n    return 1', 'python'],
    ['@pytest.mark.parametrize("a", [1])\ndef test_N(a):\n    assert a', 'python'],
    ['@Component({\n  selector: "N",\n})\nclass A {}', 'typescript'],
    ['@media print {\n  .N {\n    margin: 0;\n  }\n}', 'css'],
    ['/**\n * @test\n */\nfunction N() {}', 'php'],
    ['/**\n * N.\n */\nfunction f() {}', 'typescript'],
    ['{\n  name: "N",\n},', 'typescript'],
    ['<li>\n  <a>N</a>\n</li>', 'html'],
    ['<Field\n  name="N"\n/>', 'typescriptreact'],
  ];
  for (const [entry, languageId] of ENTRIES) {
    const named = (name: string): string => entry.replace('N', name);
    const document = `${named('a')}\n\n║\n\n${named('c')}\n`;
    it(`is suggested if it becomes another entry: ${entry.split('\n', 1).join()} in ${languageId}`, async () => {
      assert.equal(await requestedText(document, named('b'), languageId), named('b'));
      assert.equal(await requestedText(document, named('c'), languageId), '');
    });
  }

  it('is not suggested if the line is a statement, a body or the end of a comment', async () => {
    assert.equal(await requestedText('a();\n║\nc();\n', 'c();\nd();'), '');
    assert.equal(await requestedText('a();\n║\n// Sort\nc();\n', '// Sort\nd();'), '');
    assert.equal(await requestedText('void A()║\n{\n    B();\n}\n', '\n{\n    C();\n}', 'csharp'), '');
    for (const [document, text, languageId] of [
      ['@a = a\n║\n@b = b\nend\n', '@b = b\n@c = c', 'ruby'],
      ['def a\n  ║\n  @b\nend\n', '@b\n  @c', 'ruby'],
      ['@import "a";\n║\n@import "c";\n', '@import "c";\n@import "d";', 'css'],
      [
        '@Input() a: string;\n║\n@Input() c: string;\n',
        '@Input() c: string;\n@Input() d: string;',
        'typescript',
      ],
      ['@Test void a() {}\n║\n@Test void b() {\n}\n', '@Test void b() {\n  c();\n}', 'java'],
      ['@a 1\n║\n@timeout 5\n', '@timeout 5\n@b 2', 'elixir'],
      ['- (void)a;\n║\n@end\n', '@end\n@interface B', 'objective-c'],
      ['<br>\n║\n<input name="a">\n', '<input name="a">\n<input name="b">', 'html'],
      ['<p>a</p>\n║\n<br>\nb\n', '<br>\n<p>c</p>', 'html'],
    ] as const)
      assert.equal(await requestedText(document, text, languageId), '', text);
    const comment = '/**\n║\n */\nfunction a() {}\n';
    assert.equal(await requestedText(comment, ' * A.\n */\nfunction b() {}'), ' * A.');
  });
});
