// Tests suggestions that repeat the body of another test or function word for word: they are shown on request, but not
// automatically. A body that differs is shown automatically too.
import assert from 'node:assert/strict';
import { suggest } from '../../../server/completion/session/suggest';
import { contextAt } from '../../support/cursor';
import { at, resources } from '../suggesting';

type Case = readonly [title: string, code: string, text: string, languageId?: string];

const BODY = '  const cart = new Cart();\n  expect(cart.total).toBe(0);';
const DEEPER = BODY.trimStart().replace('\n', '\n  ');
const TEST = `test('a new cart is empty', () => {\n${BODY}\n});\n\n`;

const COPIES: readonly Case[] = [
  ['a test with its header', `${TEST}║\n`, `test('a cart is free', () => {\n${BODY}\n});`],
  ['a test whose name was typed', `${TEST}test('a cart is free║\n`, `', () => {\n${BODY}\n});`],
  ['a test above the one that it copies', `test('b', () => {\n║\n});\n${TEST}`, BODY],
  ['a test between two that it copies', `${TEST}test('b', () => {\n║\n});\n\n${TEST}`, BODY],
  [
    'a test deeper in a suite',
    `${TEST}describe('c', () => {\n  test('b', () => {\n    ║\n  });\n});\n`,
    DEEPER,
  ],
  ['a test of one line', `it('adds', () => {\n  sum(1);\n});\nit('counts', () => {\n║\n});\n`, '  sum(1);'],
  [
    'a test of one line in Python',
    'def test_none():\n    assert total([]) == 0\n\n\ndef test_empty():\n    ║\n',
    'assert total([]) == 0',
    'python',
  ],
  [
    'a test of one line in Rust',
    '#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n\n#[test]\nfn sums() {\n    ║\n}\n',
    'assert_eq!(add(1, 2), 3);',
    'rust',
  ],
  [
    'a test of one line in Java',
    '    @Test\n    void adds() {\n        check(1);\n    }\n\n    @Test\n    void sums() {\n        ║\n    }\n',
    'check(1);',
    'java',
  ],
  [
    'a test of one line in C#',
    '[Fact]\npublic void Adds()\n{\n    Check(1);\n}\n\n[Fact]\npublic void Sums()\n{\n    ║\n}\n',
    'Check(1);',
    'csharp',
  ],
  [
    'a test in Go',
    'func TestA(t *testing.T) {\n\tif got := Sum(); got != 0 {\n\t\tt.Fatal(got)\n\t}\n}\n\nfunc TestB(t *testing.T) {\n\t║\n}\n',
    'if got := Sum(); got != 0 {\n\t\tt.Fatal(got)\n\t}',
    'go',
  ],
  [
    'a test in Ruby',
    'it "is empty" do\n  expect(cart).to be_empty\nend\n\nit "is new" do\n  ║\nend\n',
    'expect(cart).to be_empty',
    'ruby',
  ],
  [
    'a function of two lines',
    'function a() {\n  load();\n  save();\n}\nfunction b() {\n  ║\n}\n',
    'load();\n  save();',
  ],
];

const DIFFERENT: readonly Case[] = [
  ['a test with another last line', `${TEST}test('b', () => {\n║\n});\n`, BODY.replace('0)', '1)')],
  ['the first line of a test', `${TEST}test('b', () => {\n  ║\n});\n`, 'const cart = new Cart();'],
  ['a test with one more line', `${TEST}test('b', () => {\n║\n});\n`, `${BODY}\n  cart.close();`],
  ['a function of one line', 'function a() {\n  save();\n}\nfunction b() {\n  ║\n}\n', 'save();'],
  [
    'error handling in Go',
    'if a != nil {\n\tlog(a)\n\treturn\n}\nif b := ║\n',
    'load(); b != nil {\n\tlog(a)\n\treturn\n}',
    'go',
  ],
  [
    'a block of one line within a test',
    "test('a', () => {\n  if (a) {\n    stop();\n  }\n  if (b) {\n    ║\n  }\n});\n",
    'stop();',
  ],
];

describe('a copied body', () => {
  for (const [title, code, text, languageId = 'typescript'] of COPIES)
    it(`is not suggested automatically: ${title}`, async () => {
      const request = at(contextAt(code, languageId));
      assert.equal((await suggest(request, resources([[text]]))).outcome, 'hidden');
      const onRequest = await suggest({ ...request, trigger: 'explicit' }, resources([[text]]));
      assert.equal(onRequest.outcome, 'shown', 'it is shown on request');
    });

  for (const [title, code, text, languageId = 'typescript'] of DIFFERENT)
    it(`is distinguished from ${title}`, async () => {
      const { outcome } = await suggest(at(contextAt(code, languageId)), resources([[text]]));
      assert.equal(outcome, 'shown');
    });

  it('is not shown line by line while it is computed', async () => {
    const shown: string[] = [];
    const listener = {
      onOutput: () => undefined,
      onCertain: ([first = '']: readonly string[]) => void shown.push(first),
    };
    const lines = ['  const cart = new Cart();\n', '  expect(cart.total).toBe(', '0);\n', '});\n'];
    const request = at(`${TEST}test('b', () => {\n║\n});\n`);
    const { outcome } = await suggest(request, { ...resources([lines]), listener });
    assert.equal(outcome, 'hidden');
    assert.deepEqual(shown, []);
  });

  const outcomeBelow = async (header: string, body: string, languageId = 'typescript') => {
    const code = `${header}\n  ${body}\n}\n\n${header}\n  ║\n}\n`;
    return (await suggest(at(contextAt(code, languageId)), resources([[body]]))).outcome;
  };

  it('of one line is hidden only if its header is that of a test', async () => {
    for (const header of [
      ...'it test specify Deno.test describe it.only test.each.skip'
        .split(' ')
        .map((name) => `${name}('a', () => {`),
      ...'def fn func fun void function'.split(' ').map((word) => `${word} test_a() {`),
      ...'async public private final'.split(' ').map((word) => `${word} void aTest() {`),
      ...'test it specify'.split(' ').flatMap((name) => [`${name} "a" {`, `${name} 'a' {`]),
      ...['#[test]', '#[tokio::test]', '@Test', '@ParameterizedTest'].map((line) => `${line}\nfn a() {`),
      ...['Fact', 'Theory', 'Test', 'TestCase(1)', 'TestMethod'].map((name) => `[${name}]\nvoid A() {`),
      ...['@Slow', '#[ignore]', '[Slow]'].map((line) => `@Test\n${line}\nvoid a() {`),
      '[Fact]\nvoid A()\n{',
    ])
      assert.equal(await outcomeBelow(header, 'check(1);'), 'hidden', header);
    for (const header of [
      "fit('a', () => {",
      'function check() {',
      'void a() {',
      '[Facts]\nvoid A() {',
      'tests "a" {',
    ])
      assert.equal(await outcomeBelow(header, 'check(1);'), 'shown', header);
  });

  it('is suggested automatically under the header of a statement, such as if or for', async () => {
    const words =
      'if else elif elsif unless for foreach while until switch match case try catch except rescue finally with do'.split(
        ' ',
      );
    for (const word of words)
      for (const header of [`${word} (a) {`, `} ${word} (a) {`])
        assert.equal(await outcomeBelow(header, 'load();\n  save();'), 'shown', header);
    for (const header of ['iffy(a) {', 'a if (b) {'])
      assert.equal(await outcomeBelow(header, 'load();\n  save();'), 'hidden', header);
  });
});
