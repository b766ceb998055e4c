// Tests fillers, which are suggested on request but not automatically: comments after complete statements, and texts
// that end in an operator before a closer. copiesBody.test.ts tests the third kind, copies of bodies.
import assert from 'node:assert/strict';
import { suggest } from '../../../server/completion/session/suggest';
import { contextAt } from '../../support/cursor';
import { at, resources } from '../suggesting';
import { suggestedText, type Case } from './suggestedText';

type FillerCase = readonly [title: string, code: string, text: string, languageId?: string];

const HIDDEN: readonly FillerCase[] = [
  ['a comment after a statement', 'save(order);║\n', ' // eslint-disable-line no-console'],
  ['a comment below a statement', 'save(order);\n║\n', '// eslint-disable-next-line no-console'],
  ['a comment below a block', 'if (a) {\n  b();\n}\n║\n', '// TODO: c'],
  ['a comment below a statement in Python', 'save(order)\n║\n', '# noqa', 'python'],
  ['a comment below a statement in Nim', 'save(order)\n║\n', '# Saves it.', 'nim'],
];
const SHOWN: readonly FillerCase[] = [
  ['the rest of a comment', 'save(order); // TODO║\n', ': tell the customer'],
  ['one more line of a comment', '// Saves it.\n║\n', '// Then tells.'],
  ['a comment with its code', 'save(order);\n║\n', '// Then tells.\ntell(customer);'],
  ['a comment that begins a block', 'function save() {\n  ║\n}\n', '// Nothing to do yet.'],
  ['a comment at the beginning of a file', '║\n', '// Saves orders.'],
  ['a product', 'const area = width║;\n', ' * height'],
  ['the rest of a query', 'const query = `SELECT ║`;\n', '* FROM orders'],
  ['a rule for all elements', 'a { b: c; }\n║\n', '* { margin: 0; }', 'css'],
];

describe('a comment without code', () => {
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

  it('is hidden after a complete statement, not after an unfinished one or a block header', async () => {
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
