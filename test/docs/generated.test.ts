// The blocks of the documentation that come from elsewhere are current: npm run docs writes them.
import assert from 'node:assert/strict';
import { blockText } from '../../bench/docs/blockText';
import { withGeneratedBlocks } from '../../bench/docs/generatedBlocks';
import { markdownTable } from '../../bench/docs/markdownTable';
import { settingsReference, settingsTable } from '../../bench/docs/settingsReference';
import { pages } from './pages';

describe('the generated blocks of the documentation', () => {
  for (const { path, text } of pages().filter((page) => page.text.includes('<!-- generated:')))
    it(`are current in ${path}; npm run docs writes them`, () => {
      assert.equal(text, withGeneratedBlocks(text, blockText));
    });

  it('are replaced one by one', () => {
    const page =
      'a\n<!-- generated: x y -->\nold\n<!-- /generated -->\nb\n<!-- generated: z -->\n<!-- /generated -->\n';
    assert.equal(
      withGeneratedBlocks(page, (name) => `new ${name}`),
      'a\n<!-- generated: x y -->\n\nnew x y\n\n<!-- /generated -->\nb\n<!-- generated: z -->\n\nnew z\n\n<!-- /generated -->\n',
    );
  });

  it('have an end', () => {
    const open = '<!-- generated: x -->\n<!-- generated: y -->\n<!-- /generated -->\n';
    assert.throws(() => withGeneratedBlocks(open, String), /Expected 2 generated blocks that end/);
  });

  it('have a name that is known', () => {
    assert.throws(() => blockText('nothing'), /got "nothing"/);
    assert.throws(() => blockText('results nothing'), /got "nothing"/);
  });
});

describe('the reference of the settings', () => {
  const setting = { scope: 'window', markdownDescription: '' };
  const properties = {
    'flashline.a': {
      ...setting,
      type: 'string',
      default: '',
      markdownDescription: '%a%',
      scope: 'application',
    },
    'flashline.b': { ...setting, default: { '*': true, go: false, c: false }, markdownDescription: '%b%' },
    'flashline.c': {
      ...setting,
      default: 'x',
      enum: ['x', 'y'],
      markdownDescription: '%c%',
      markdownEnumDescriptions: ['%cx%', '%cy%'],
    },
    'flashline.d.e': {
      ...setting,
      type: ['integer', 'null'],
      default: null,
      minimum: 0,
      maximum: 7,
      markdownDescription: '%d%',
    },
  };
  const manifest = {
    contributes: { configuration: [{ properties }] },
    capabilities: { untrustedWorkspaces: { restrictedConfigurations: ['flashline.b'] } },
  };
  const words = {
    a: 'A folder such as `*.d` of `#flashline.d.e#`. More.',
    b: 'Where a | b.',
    c: 'Which one: this?',
    cx: 'The first.',
    cy: 'The second.',
    d: 'A number',
  };

  it('has a row for each, with the first sentence', () => {
    const rows = settingsTable(manifest, words).split('\n').slice(2);
    assert.deepEqual(
      rows.map((row) => row.replace(/ +\|/g, ' |')),
      [
        '| [`a`](#flashlinea) | empty | A folder such as `*.d` of `flashline.d.e` |',
        '| [`b`](#flashlineb) | most languages | Where a \\| b |',
        '| [`c`](#flashlinec) | `x` | Which one |',
        '| [`d.e`](#flashlinede) | empty | A number |',
      ],
    );
  });

  it('has a section for each, with everything', () => {
    const text = settingsReference(manifest, words);
    assert.match(
      text,
      /^### `flashline\.a`\n\nA folder such as `\*\.d` of \[`flashline\.d\.e`\]\(#flashlinede\)\. More\.\n/,
    );
    assert.match(text, /Default: empty\. It counts in your own user settings only, .*\n\n### `flashline\.b`/);
    assert.match(text, /A workspace that is not trusted cannot set it\.\n\n### `flashline\.c`/);
    assert.match(text, /Which one: this\?\n\n- `x`: The first\.\n- `y`: The second\.\n\nDefault: `x`\./);
    assert.match(text, /Default: empty\. A whole number from 0 to 7\.$/);
  });
});

describe('markdownTable', () => {
  it('pads cells to one width, and escapes bars', () => {
    assert.equal(
      markdownTable([
        ['a', 'bcde'],
        ['x|y', ''],
      ]),
      '| a    | bcde |\n| ---- | ---- |\n| x\\|y |      |',
    );
  });
});
