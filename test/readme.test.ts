// README.md against package.json: its table of settings is the one that npm run docs writes, and its keys are bound;
// and against the options of the command line.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { OUTPUT_OPTIONS, SAMPLING_FIELDS } from '../server/cli/samplingArguments';

interface Manifest {
  readonly contributes: {
    readonly keybindings: readonly { readonly key: string; readonly mac?: string }[];
  };
}

interface SettingsTable {
  readonly withSettingsTable: (readme: string, manifest: object, words: object) => string;
}

/** VS Code's own, for ghost text of any extension. */
const BUILT_IN = ['tab', 'ctrl+right', 'cmd+right'];

const json = <T>(path: string): T => JSON.parse(readFileSync(path, 'utf8')) as T;
const readme = readFileSync('README.md', 'utf8');
const manifest = json<Manifest>('package.json');

describe('README.md', () => {
  let withSettingsTable: SettingsTable['withSettingsTable'];
  before(async () => {
    const script = (await import(pathToFileURL(resolve('scripts/settingsTable.mjs')).href)) as SettingsTable;
    ({ withSettingsTable } = script);
  });

  it('has the settings of package.json; npm run docs writes them', () => {
    assert.equal(readme, withSettingsTable(readme, manifest, json('package.nls.json')));
  });

  it('walks through files and functions that are there', () => {
    const steps = [...readme.matchAll(/`((?:[\w]+\/)+\w+\.ts):#?([\w.]+)`/g)];
    assert.ok(steps.length >= 20, String(steps.length));
    for (const [step, file = '', name = ''] of steps) {
      const source = readFileSync(file.startsWith('src/') ? file : `server/${file}`, 'utf8');
      for (const part of name.split('.')) assert.match(source, new RegExp(`\\b${part}\\b`), step);
    }
  });

  it('would differ after a change of a default, of a meaning, and of the list', () => {
    const properties = {
      'flashline.a': { default: '', markdownDescription: '%a%' },
      'flashline.b': { default: { '*': true, go: false, c: false }, markdownDescription: '%b%' },
      'flashline.c': { default: 'x', enum: ['x', 'y'], markdownDescription: '%c%' },
      'flashline.d': { default: 7, markdownDescription: '%d%' },
      'flashline.e': { default: null, markdownDescription: '%e%' },
    };
    const words = {
      a: 'A folder such as `*.d` of `#flashline.b#`. More.',
      b: 'Where',
      c: 'Which one. Or not.',
      d: 'a | b',
      e: 'Maybe',
    };
    const text = 'before\n<!-- settings: written by npm run docs -->\nold\n<!-- end of settings -->\nafter\n';
    const written = withSettingsTable(text, { contributes: { configuration: { properties } } }, words);
    assert.deepEqual(
      written.split('\n').map((line) => line.replace(/ +\|/g, ' |')),
      [
        'before',
        '<!-- settings: written by npm run docs -->',
        '',
        '| setting | default | meaning |',
        '| ------------- | ------------- | --------------------------------------- |',
        '| `flashline.a` | empty | A folder such as `*.d` of `flashline.b` |',
        '| `flashline.b` | all but go, c | Where |',
        '| `flashline.c` | `x` | Which one: `x`, `y` |',
        '| `flashline.d` | `7` | a \\| b |',
        '| `flashline.e` | empty | Maybe |',
        '',
        '<!-- end of settings -->',
        'after',
        '',
      ],
    );
    assert.throws(() => withSettingsTable('', manifest, words), /Expected "<!-- settings/);
  });

  it('has the options of sampling and the fields of a batch, and no others', () => {
    const table = /\| option .*\| field .*\n(?:\|.*\n)+/.exec(readme)?.[0] ?? '';
    const options = [...table.matchAll(/`--([a-z-]+)/g)].map(([, option]) => option);
    assert.deepEqual(options.sort(), Object.keys(OUTPUT_OPTIONS).sort());
    const fields = [...table.matchAll(/\| `([a-zA-Z]+)` +\|/g)].map(([, field]) => field);
    for (const field of SAMPLING_FIELDS) assert.ok(fields.includes(field), field);
  });

  it('names keys that are bound, and all of them', () => {
    const table = /\| key .*\n(?:\|.*\n)+/.exec(readme)?.[0] ?? '';
    const rows = table.trim().split('\n').slice(2);
    const named = rows.flatMap((row) => keysOf(row.split(' | ')[0] ?? ''));
    const { keybindings } = manifest.contributes;
    const bound = keybindings.flatMap(({ key, mac }) => [key, ...(mac === undefined ? [] : [mac])]);
    assert.ok(named.length >= rows.length && rows.length > 3);
    for (const key of named) assert.ok([...bound, ...BUILT_IN].includes(key), `${key} is bound`);
    for (const key of bound) assert.ok(keysOf(table).includes(key), `${key} is named`);
  });
});

/** Keys as package.json writes them, of words like Ctrl+Alt+Right. */
function keysOf(text: string): string[] {
  const keys = text.matchAll(/(?:(?:Ctrl|Alt|Cmd|Shift)\+)+(?:\w+|\\\\|[^\s\w])|\b(?:Tab|Escape)\b/g);
  return [...keys].map(([key]) => key.toLowerCase().replace('\\\\', '\\'));
}
