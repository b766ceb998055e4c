// Tests that comments after complete statements are not suggested automatically, but code that looks like them is.
// copiedBodies.test.ts tests the fillers that are copies.
import assert from 'node:assert/strict';
import { suggest } from '../../../server/completion/session/suggest';
import { contextAt } from '../../support/cursor';
import { at, resources } from '../suggesting';

type Case = readonly [title: string, code: string, text: string, languageId?: string];

const HIDDEN: readonly Case[] = [
  ['a comment after a statement', 'save(order);║\n', ' // eslint-disable-line no-console'],
  ['a comment below a statement', 'save(order);\n║\n', '// eslint-disable-next-line no-console'],
  ['a comment below a block', 'if (a) {\n  b();\n}\n║\n', '// TODO: c'],
  ['a comment below a statement in Python', 'save(order)\n║\n', '# noqa', 'python'],
  ['a comment below a statement in Nim', 'save(order)\n║\n', '# Saves it.', 'nim'],
];
const SHOWN: readonly Case[] = [
  ['the rest of a comment', 'save(order); // TODO║\n', ': tell the customer'],
  ['one more line of a comment', '// Saves it.\n║\n', '// Then tells.'],
  ['a comment with its code', 'save(order);\n║\n', '// Then tells.\ntell(customer);'],
  ['a comment that begins a block', 'function save() {\n  ║\n}\n', '// Nothing to do yet.'],
  ['a comment at the beginning of a file', '║\n', '// Saves orders.'],
  ['a product', 'const area = width║;\n', ' * height'],
  ['the rest of a query', 'const query = `SELECT ║`;\n', '* FROM orders'],
  ['a rule for all elements', 'a { b: c; }\n║\n', '* { margin: 0; }', 'css'],
];

describe('a filler', () => {
  for (const [title, code, text, languageId = 'typescript'] of HIDDEN)
    it(`is not suggested automatically: ${title}`, async () => {
      const request = at(contextAt(code, languageId));
      assert.equal((await suggest(request, resources([[text]]))).outcome, 'hidden');
      const onRequest = await suggest({ ...request, trigger: 'explicit' }, resources([[text]]));
      assert.equal(onRequest.outcome, 'shown', 'it is shown on request');
    });

  for (const [title, code, text, languageId = 'typescript'] of SHOWN)
    it(`is distinguished from ${title}`, async () => {
      const { outcome } = await suggest(at(contextAt(code, languageId)), resources([[text]]));
      assert.equal(outcome, 'shown');
    });

  it('is a comment after a complete statement, not after an unfinished one or a block header', async () => {
    const unfinished = [
      ...[...'([{,:=+-*/%&|<>?.\\'].map((mark) => `save(a) ${mark}`),
      ...'and or not in is return else of typeof new await'.split(' '),
      '// Saves it',
      '(a) =>',
    ];
    for (const line of unfinished)
      for (const document of [`${line}\n║\n`, `${line} ║\n`]) {
        const { outcome } = await suggest(at(document), resources([['// the order']]));
        assert.equal(outcome, 'shown', document);
      }
    const inRuby = at(contextAt('def save\n  ║\nend\n', 'ruby'));
    assert.equal((await suggest(inRuby, resources([['# the order']]))).outcome, 'shown');
    for (const line of ['save(a)', 'returned', 'a!', 'a;', '}'])
      for (const document of [`${line}\n║\n`, `${line}\n\n\n║\n`, `${line} ║\n`]) {
        const { outcome } = await suggest(at(document), resources([['// the order']]));
        assert.equal(outcome, 'hidden', document);
      }
  });
});
