// Tests that the documentation names everything that users can use, and that everything it names exists.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { OUTPUT_OPTIONS } from '../../server/cli/samplingArguments';
import { SAMPLING_FIELDS } from '../../server/engine/request/requestOptions';
import { Method } from '../../server/protocol/messages';
import { NextEditCommand } from '../../server/protocol/nextEditMessages';
import { blockText } from '../../bench/docs/blockText';
import { pages, type Page } from './pages';

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly title: string }[];
    readonly keybindings: readonly { readonly key: string; readonly mac?: string }[];
    readonly configuration: readonly { readonly properties: Record<string, { readonly default: unknown }> }[];
  };
}

/** Keys of VS Code for ghost text of any extension. */
const BUILT_IN = ['tab', 'ctrl+right', 'cmd+right', 'alt+]', 'alt+[', 'escape'];
/** Commands whose help is a block of the page; demo is left out, as it has the options of complete. */
const COMMANDS = ['flashline', 'complete', 'generate', 'bench', 'replay', 'models', 'serve', 'lsp', 'doctor'];
/** Options of other programs that pages name. */
const FOREIGN = ['--install-extension', '--uninstall-extension', '--force', '--grep', '--check', '--update'];

const readJson = <T>(path: string): T => JSON.parse(readFileSync(path, 'utf8')) as T;
const allPages = pages();
const manifest = readJson<Manifest>('package.json');
const uiTexts = readJson<Record<string, string>>('package.nls.json');
const { commands, keybindings, configuration } = manifest.contributes;
const settings = Object.fromEntries(configuration.flatMap(({ properties }) => Object.entries(properties)));

function page(path: string): Page {
  return allPages.find((candidate) => candidate.path === path) ?? assert.fail(`There is no page ${path}.`);
}

describe('the documentation', () => {
  it('documents every setting and no other', () => {
    const { text } = page('docs/settings.md');
    const names = Object.keys(settings);
    for (const name of names) assert.ok(text.includes(`</a>\`${name}\` `), name);
    const ids: string[] = [...commands.map(({ command }) => command), ...Object.values(NextEditCommand)];
    for (const { path, prose } of allPages)
      for (const [, name = ''] of prose.matchAll(/`(flashline\.[a-z]\w*(?:\.\w+)*)`/g))
        assert.ok(
          names.includes(name) || ids.includes(name) || /\.(js|flashline)$/.test(name),
          `${path}: ${name}`,
        );
  });

  it('shows settings in README.md with their defaults', () => {
    const rows = rowsOf(page('README.md').text, 'setting');
    assert.equal(rows.length, 8);
    for (const [setting = '', shown = ''] of rows) {
      const { default: value } = settings[setting.replaceAll('`', '')] ?? assert.fail(setting);
      if (typeof value === 'object' && !Array.isArray(value)) continue;
      assert.equal(
        shown,
        value === '' ? 'empty' : `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``,
      );
    }
  });

  it('documents every command by its title and no other', () => {
    const titles = commands.map(({ title }) => uiTexts[title.slice(1, -1)] ?? '');
    const listed = rowsOf(page('docs/commands.md').text, 'command').map(([title = '']) => title);
    assert.deepEqual(listed, titles);
    for (const { path, prose } of allPages)
      for (const [, title = ''] of prose.matchAll(/(?:\*\*|")Flashline: ([A-Z][^*"]+)(?:\*\*|")/g))
        assert.ok(titles.includes(title.replace(/\s+/g, ' ')), `${path}: ${title}`);
  });

  it('documents every key binding and no other', () => {
    const bound = keybindings.flatMap(({ key, mac }) => [key, ...(mac === undefined ? [] : [mac])]);
    for (const path of ['README.md', 'docs/commands.md']) {
      const rows = rowsOf(page(path).text, 'key');
      const named = rows.flatMap(([keys = '']) => keysOf(keys));
      assert.ok(rows.length > 3 && named.length >= rows.length);
      for (const key of named)
        assert.ok([...bound, ...BUILT_IN].includes(key), `${path} names ${key}, which nothing binds`);
    }
    const { text } = page('docs/commands.md');
    for (const key of bound) assert.ok(keysOf(text).includes(key), `docs/commands.md does not name ${key}`);
  });

  it('documents every command and option of the command line and no other', () => {
    const { text } = page('docs/cli.md');
    const usage = blockText('help flashline').matchAll(/^ {2}flashline ([a-z]+) /gm);
    const listed = new Set([...usage].map(([, command = '']) => command));
    const headings = [...text.matchAll(/^## ([a-z]+)$/gm)].map(([, command = '']) => command);
    assert.deepEqual(headings.sort(), [...listed].sort());
    for (const command of COMMANDS) assert.ok(text.includes(`<!-- generated: help ${command} -->`), command);
    const helps = COMMANDS.map((command) => blockText(`help ${command}`)).join('\n');
    const options = new Set([...helps.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([option]) => option));
    for (const { path, prose } of allPages.filter(({ path }) => !/training|internals/.test(path)))
      for (const [option] of prose.matchAll(/(?<![\w-])--[a-z][a-z-]*(?!-?>)/g))
        assert.ok(options.has(option) || FOREIGN.includes(option), `${path}: ${option}`);
  });

  it('documents the sampling options and batch fields and no others', () => {
    const rows = rowsOf(page('docs/sampling.md').text, 'option');
    const options = rows.flatMap(([option = '']) =>
      [...option.matchAll(/--([a-z-]+)/g)].map(([, name]) => name),
    );
    assert.deepEqual(options.sort(), Object.keys(OUTPUT_OPTIONS).sort());
    const fields = rows.map(([, field = '']) => field.replaceAll('`', '')).filter((field) => field !== '');
    assert.deepEqual(fields.sort(), [...SAMPLING_FIELDS].sort());
  });

  it('documents every message of the protocol and no other', () => {
    const messages = Object.values(Method);
    const { text } = page('docs/protocol.md');
    for (const message of messages) assert.ok(text.includes(`\`${message}\``), message);
    for (const { path, prose } of allPages)
      for (const [, message = ''] of prose.matchAll(/`(flashline\/\w+)`/g))
        assert.ok((messages as string[]).includes(message), `${path}: ${message}`);
  });

  it('names existing files and functions in the architecture page', () => {
    const { text } = page('docs/internals/architecture.md');
    const steps = [...text.matchAll(/`((?:[\w]+\/)+\w+\.ts):#?([\w.#]+)`/g)];
    assert.ok(steps.length >= 20, String(steps.length));
    for (const [step, file = '', name = ''] of steps) {
      const source = readFileSync(file.startsWith('src/') ? file : `server/${file}`, 'utf8');
      for (const part of name.split(/\.#?/)) assert.match(source, new RegExp(`\\b${part}\\b`), step);
    }
  });
});

describe('a page of the documentation', () => {
  it('has one title', () => {
    for (const { path, prose } of allPages.filter(({ path }) => !path.startsWith('media/')))
      assert.equal([...prose.matchAll(/^# /gm)].length, 1, path);
  });
});

/** Returns the cells of the table whose first column has this name. */
function rowsOf(text: string, first: string): string[][] {
  const table = new RegExp(`^\\| ${first} .*\\n(?:\\|.*\\n)+`, 'm').exec(text)?.[0] ?? '';
  const rows = table.trim().split('\n').slice(2);
  return rows.map((row) =>
    row
      .replace(/^\| | \|$/g, '')
      .split(/(?<!\\) +\| /)
      .map((cell) => cell.trim()),
  );
}

/** Converts keys such as Ctrl+Alt+Right to the spelling of package.json. */
function keysOf(text: string): string[] {
  const keys = text.matchAll(/(?:(?:Ctrl|Alt|Cmd|Shift)\+)+(?:\w+|\\\\|[^\s\w])|\b(?:Tab|Escape)\b/g);
  return [...keys].map(([key]) => key.toLowerCase().replace('\\\\', '\\'));
}
