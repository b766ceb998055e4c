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
  ['a test above the other', `test('b', () => {\n║\n});\n${TEST}`, BODY],
  ['a test between others', `${TEST}test('b', () => {\n║\n});\n\n${TEST}`, BODY],
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
});
