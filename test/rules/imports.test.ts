// Tests the names of import statements in several languages, and their definitions in other files.
import assert from 'node:assert/strict';
import { definitionIn, importedNames, moduleFiles } from '../../server/rules/imports';

const CASES: readonly (readonly [what: string, text: string, names: string])[] = [
  ['ES modules', "import fs, { join, type Path as P } from './p';\nimport * as z from 'z';", 'fs join P z'],
  ['a type-only import', "import type { Money } from './money';", 'Money'],
  [
    'an import on several lines',
    "import {\n  one, // the first\n  two,\n} from './numbers';\nconst three = one;",
    'one two',
  ],
  ['CommonJS', "const { one, two } = require('./numbers');\nlet three = require('three');", 'one two three'],
  [
    'CommonJS on several lines',
    "const {\n  one,\n} = require('./numbers');\nconst { not } = settings;",
    'one',
  ],
  [
    'no names of a destructuring without require',
    'const {\n  one,\n} = settings;\nconst { two } = settings;',
    '',
  ],
  ['Python', 'from harbour.tides import depth_at, next_high as high\nimport vessel', 'depth_at high vessel'],
  ['Python in brackets', 'from a import (\n    b,\n    c,\n)\nd = 1', 'b c'],
  ['Rust', 'use crate::board::{Piece, Square};\npub use std::fmt;', 'Piece Square fmt'],
  ['Java', 'import static java.util.Map.Entry;\nimport org.example.Cart;', 'Entry Cart'],
  ['a Go package with a name of its own', 'import (\n\t"fmt"\n\tm "math"\n)', 'm'],
  ['a name that is imported twice', "import { a } from './a';\nimport { a } from './b';", 'a'],
  ['no imports', 'important = 1\nfromage(2)\nfunction require() {}', ''],
  ['nothing in an empty text', '', ''],
];

describe('importedNames', () => {
  for (const [what, text, names] of CASES)
    it(`finds ${what}`, () => {
      const found = importedNames(text);
      assert.equal(found.map(({ name }) => name).join(' '), names);
      const lines = text.split('\n');
      for (const { name, line, character } of found)
        assert.ok(lines[line]?.startsWith(name, character), `${name} is not where it says`);
    });

  it('reads only the top of a file, and gives up on an endless statement', () => {
    const far = `${'\n'.repeat(300)}import { late } from './late';`;
    assert.deepEqual(importedNames(far), []);
    const open = `import {\n${'\n'.repeat(80)}x,\n} from './x';`;
    assert.deepEqual(importedNames(open), []);
  });
});

describe('files that an import can mean', () => {
  const MODULES: readonly (readonly [statement: string, languageId: string, file: string | undefined])[] = [
    ["import { Money } from './money';", 'typescript', 'money.ts'],
    ["import type {\n  Money,\n} from '../shop/money.js';", 'typescript', '../shop/money.ts'],
    ["const { Money } = require('./money');", 'javascript', 'money.js'],
    ["import Money from '.';", 'typescript', 'index.ts'],
    ["import Shop, { Money } from './money';", 'typescript', 'money.ts'],
    ["import fs from 'node:fs';", 'typescript', undefined],
    ['from harbour.tides import depth_at', 'python', 'harbour/tides.py'],
    ['from ..tides import (\n    depth_at,\n)', 'python', '../tides.py'],
    ['import harbour.tides', 'python', 'harbour/tides/__init__.py'],
  ];
  for (const [statement, languageId, file] of MODULES)
    it(`${file === undefined ? 'are none' : `include ${file}`} for ${JSON.stringify(statement)}`, () => {
      const [{ module = '' } = {}] = importedNames(statement);
      const files = moduleFiles(module, languageId);
      if (file === undefined) assert.deepEqual(files, []);
      else assert.ok(files.includes(file), String(files));
    });

  it('are quoted from the definition of the imported name on', () => {
    const source = '@dataclass\nclass Recipe:\n    title: str\n\nMOST = 3\n';
    assert.equal(definitionIn(source, 'Recipe'), source);
    assert.equal(definitionIn(source, 'MOST'), 'MOST = 3\n');
    assert.equal(definitionIn(source, 'Rec'), undefined);
    const script = 'const a = 1;\nexport default class $Stack {}\nexport async function pull() {}\n';
    assert.match(definitionIn(script, '$Stack') ?? '', /^export default class/);
    assert.match(definitionIn(script, 'pull') ?? '', /^export async/);
    for (const definition of ['export declare abstract class Shape {}', 'type Shape = {}', 'Shape: int = 3'])
      assert.equal(definitionIn(`\n${definition}`, 'Shape'), definition);
    assert.equal(definitionIn('const Shape2 = 1;\nconst $Shape = 2;', 'Shape'), undefined);
  });
});

describe('imports and definitions', () => {
  it('are found in less than a second in texts made to be slow to search', () => {
    for (const search of [
      () => importedNames(`import a${' '.repeat(4900)}\n`.repeat(300)),
      () => definitionIn('@a\n'.repeat(50_000), 'Recipe'),
      () => definitionIn('@\n@'.repeat(50_000), 'Recipe'),
    ]) {
      const from = process.cpuUsage();
      search();
      const { user } = process.cpuUsage(from);
      assert.ok(user < 1e6, `${search.toString()} took ${user / 1000} ms`);
    }
  });
});
