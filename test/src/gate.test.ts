// The gate as a table: which questions reach the server, and why the others do not.
import assert from 'node:assert/strict';
import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EditorGate, type GateReason } from '../../src/ghostText/gate';
import { IgnoreFiles } from '../../src/connection/ignoreFiles';
import { temporaryFolder } from '../support/temporaryFolder';
import { workspace } from './support/fakeVscode';
import { askGate, sampleDocument, sampleSettings, type Question } from './support/sampleDocument';

type Case = readonly [name: string, question: Partial<Question>, reason: GateReason | undefined];

const path = (path: string): Partial<Question> => ({ document: sampleDocument({ path }) });
/** Models that may know any language. */
const OTHER = { 'flashline.target': '/models/other' };
const REMOTE = { 'flashline.remote.url': 'http://127.0.0.1:8080' };
const language = (languageId: string): Partial<Question> => ({ document: sampleDocument({ languageId }) });
const settings = (values: Record<string, unknown>): Partial<Question> => ({
  settings: sampleSettings(values),
});
const off = { 'flashline.enable': { '*': true, markdown: false } };

const CASES: readonly Case[] = [
  ['an ordinary file', {}, undefined],
  ['an explicit request', { explicit: true }, undefined],
  ['switched off', settings({ 'flashline.enable': { '*': false } }), 'disabled'],
  [
    'switched off, but the language on',
    settings({ 'flashline.enable': { '*': false, typescript: true } }),
    'disabled',
  ],
  ['switched off by a plain false', settings({ 'flashline.enable': false }), 'disabled'],
  ['ghost text off in VS Code', settings({ 'editor.inlineSuggest.enabled': false }), 'editor'],
  ['snoozed', { snoozed: true }, 'snoozed'],
  ['snoozed, also on request', { snoozed: true, explicit: true }, 'snoozed'],
  ['an untrusted workspace', { trusted: false }, 'untrusted'],
  ['a read-only file system', { writable: false }, 'readOnly'],
  ['a language that is off', { ...language('markdown'), ...settings(off) }, 'language'],
  ['a language that is not listed', { ...language('rust'), ...settings({ ...off, ...OTHER }) }, undefined],
  [
    'a name of an object property',
    { ...language('constructor'), ...settings({ ...off, ...OTHER }) },
    undefined,
  ],
  ['a language that the built-in model does not know', language('lua'), 'unknownLanguage'],
  [
    'the same, listed',
    { ...language('rust'), ...settings({ 'flashline.enable': { rust: true } }) },
    undefined,
  ],
  ['the same, elsewhere', { ...language('rust'), ...settings(REMOTE) }, undefined],
  [
    'the same, switched off',
    { ...language('rust'), ...settings({ 'flashline.enable': { rust: false } }) },
    'language',
  ],
  ['manual mode while typing', settings({ 'flashline.trigger': 'manual' }), 'manual'],
  ['manual mode on request', { ...settings({ 'flashline.trigger': 'manual' }), explicit: true }, undefined],
  ['two cursors', { cursors: 2 }, 'multiCursor'],
  ['two cursors on request', { cursors: 2, explicit: true }, 'multiCursor'],
  [
    'an excluded folder',
    { ...path('/w/private/a.ts'), ...settings({ 'flashline.exclude': ['**/private/**'] }) },
    'excluded',
  ],
  [
    'beside an excluded folder',
    { ...path('/w/public/a.ts'), ...settings({ 'flashline.exclude': ['**/private/**'] }) },
    undefined,
  ],
  ['2 million characters', { document: sampleDocument({ size: 2e6, lineCount: 80_000 }) }, undefined],
  [
    'more than 2 million characters',
    { document: sampleDocument({ size: 2e6 + 1, lineCount: 80_000 }) },
    'tooLarge',
  ],
  ['NUL in the first line', { document: sampleDocument({ lines: ['a\0b'] }) }, 'binary'],
  [
    'broken characters in the first line',
    { document: sampleDocument({ lines: ['\uFFFD'.repeat(9)] }) },
    'binary',
  ],
  ['letters of another encoding', { document: sampleDocument({ lines: ['// Gr\uFFFD\uFFFDe'] }) }, undefined],
  [
    'a very long line at the cursor',
    { document: sampleDocument({ lines: ['x', 'y'.repeat(5001)], size: 100 }), line: 1 },
    'minified',
  ],
  [
    'a very long line elsewhere',
    { document: sampleDocument({ lines: ['x', 'y'.repeat(5001)], size: 100 }), line: 0 },
    undefined,
  ],
  ['lines of 1000 on average', { document: sampleDocument({ size: 20_000, lineCount: 20 }) }, 'minified'],
  ['one long line in a small file', { document: sampleDocument({ size: 3000, lineCount: 1 }) }, undefined],
  ['a cursor behind the last line', { line: 99 }, undefined],
  ['an empty document', { document: sampleDocument({ lines: [''] }) }, undefined],
  [
    'a private key by its first line',
    { document: sampleDocument({ lines: ['-----BEGIN OPENSSH PRIVATE KEY-----'] }) },
    'secret',
  ],
  ['a secret by its name', path('/project/app/authorized_keys'), 'secret'],
  ['a secret by its folder', path('/home/a/.ssh/config'), 'secret'],
  ['a binary file by its name', path('/project/app/a.png'), 'binary'],
  ['a minified file by its name', path('/project/app/index.js.map'), 'minified'],
  ['an encrypted vault', { document: sampleDocument({ lines: ['$ANSIBLE_VAULT;1.1;AES256'] }) }, 'secret'],
  [
    'a dotenv document without a name',
    { document: sampleDocument({ scheme: 'untitled', path: 'Untitled-1', languageId: 'dotenv' }) },
    'secret',
  ],
];

const INPUTS =
  'output debug vscode-scm comment git gitlens walkThrough search-editor vscode-terminal chat-input'.split(
    ' ',
  );
const OPEN_SCHEMES = ['file', 'untitled', 'vscode-notebook-cell', 'vscode-remote', 'vscode-vfs'];

describe('gate', () => {
  for (const [name, question, reason] of CASES)
    it(`says ${reason ?? 'yes'} to ${name}`, () => {
      assert.equal(askGate(question), reason);
    });

  for (const scheme of INPUTS)
    it(`says input to ${scheme}:`, () => {
      assert.equal(askGate({ document: sampleDocument({ scheme }) }), 'input');
    });
  for (const scheme of OPEN_SCHEMES)
    it(`says yes to ${scheme}:`, () => {
      assert.equal(askGate({ document: sampleDocument({ scheme }) }), undefined);
    });
  for (const languageId of ['python', 'typescriptreact', 'javascript', 'go', 'cpp', 'jsonc', 'vue'])
    it(`says yes to ${languageId}`, () => {
      assert.equal(askGate(language(languageId)), undefined);
    });
  it('says input to the commit message box', () => {
    assert.equal(askGate(language('scminput')), 'input');
  });

  it('lets the generate command into a language that is off, but not into a secret file', () => {
    const disabled = settings({ 'flashline.enable': { '*': false } });
    assert.equal(askGate(disabled, 'generation'), undefined);
    assert.equal(askGate({ ...disabled, ...path('/w/.env') }, 'generation'), 'secret');
    assert.equal(askGate({ trusted: false }, 'generation'), 'untrusted');
  });

  it('hides secret, excluded and huge documents from the server, and no others', () => {
    const hidden = (document: Parameters<typeof sampleDocument>[0]) =>
      askGate(
        { document: sampleDocument(document), ...settings({ 'flashline.exclude': ['*.sql'] }) },
        'hidden',
      );
    assert.equal(hidden({ path: '/w/.env' }), 'secret');
    assert.equal(hidden({ path: '/w/a.sql' }), 'excluded');
    assert.equal(hidden({ size: 6 * 2 ** 20 }), 'tooLarge');
    assert.equal(hidden({ path: '/w/a.min.js' }), undefined);
  });

  it('goes by what a link leads to, in the name and in the folder', () => {
    const folder = realpathSync(temporaryFolder());
    mkdirSync(join(folder, '.ssh'));
    for (const file of ['.env', '.ssh/config', 'a.sql', 'plain.ts']) writeFileSync(join(folder, file), '');
    const through = (target: string, name: string, opened = name): GateReason | undefined => {
      symlinkSync(join(folder, target), join(folder, name));
      const document = sampleDocument({ path: join(folder, opened) });
      return askGate({ document, ...settings({ 'flashline.exclude': ['*.sql'] }) }, 'hidden');
    };
    assert.equal(through('.env', 'notes.ts'), 'secret');
    assert.equal(through('.ssh', 'lib', 'lib/config'), 'secret');
    assert.equal(through('a.sql', 'query.ts'), 'excluded');
    assert.equal(through('plain.ts', 'other.ts'), undefined);
    assert.equal(through('plain.ts', 'c.sql'), 'excluded');
    const cell = { scheme: 'vscode-notebook-cell', path: join(folder, 'notes.ts') };
    assert.equal(askGate({ document: sampleDocument(cell) }, 'hidden'), 'secret');
  });

  it('lets a file be quoted only inside of the workspace, where nothing names it, also behind links', () => {
    const folder = realpathSync(temporaryFolder());
    for (const file of ['.env', 'a.ts', 'b.ts', 'c.png', '.gitignore'])
      writeFileSync(join(folder, file), file === '.gitignore' ? 'b.ts\n' : '');
    symlinkSync('.env', join(folder, 'linked.ts'));
    const gate = new EditorGate({ settings: sampleSettings({}) }, { until: undefined }, new IgnoreFiles());
    const isUnquotable = (name: string): boolean =>
      gate.unquotable(sampleDocument({ path: join(folder, name) }).uri);
    try {
      workspace.folder = { uri: sampleDocument({ path: folder }).uri };
      for (const name of ['.env', 'b.ts', 'c.png', 'linked.ts', 'server.key~'])
        assert.ok(isUnquotable(name), name);
      assert.ok(!isUnquotable('a.ts'));
      workspace.folder = undefined;
      assert.ok(isUnquotable('a.ts'));
    } finally {
      workspace.folder = undefined;
    }
  });

  it('follows links each time, also to files that are not there', () => {
    const folder = realpathSync(temporaryFolder());
    const path = join(folder, 'a.ts');
    const document = sampleDocument({ path });
    const gate = new EditorGate({ settings: sampleSettings({}) }, { until: undefined }, new IgnoreFiles());
    assert.equal(gate.hidden(document), undefined);
    symlinkSync('none/.env', path);
    assert.equal(gate.hidden(document), 'secret');
    rmSync(path);
    assert.equal(gate.hidden(document), undefined);
  });

  it('tells the status bar what is missed in the active editor, also while suggestions come on request', () => {
    assert.equal(askGate({ cursors: 2 }, 'activeEditor'), undefined);
    assert.equal(askGate(settings({ 'flashline.trigger': 'manual' }), 'activeEditor'), undefined);
    const output = { document: sampleDocument({ scheme: 'output' }) };
    assert.equal(askGate(output, 'activeEditor'), undefined);
    assert.equal(askGate(path('/w/.env'), 'activeEditor'), 'secret');
    assert.equal(askGate({ snoozed: true }, 'activeEditor'), 'snoozed');
  });

  it('tells the status bar without an editor what is off everywhere', () => {
    const shown = (change: Record<string, unknown>, until?: number) =>
      new EditorGate({ settings: sampleSettings(change) }, { until }, new IgnoreFiles()).activeEditor();
    assert.equal(shown({}), undefined);
    assert.equal(shown({ 'flashline.enable': false })?.reason, 'disabled');
    assert.deepEqual(shown({}, Infinity), {
      reason: 'snoozed',
      text: 'Flashline is snoozed until VS Code restarts.',
    });
  });

  it('reads at most two lines of a long document', () => {
    let read = 0;
    const lineAt = () => ((read += 1), 'x'.repeat(80));
    const reason = askGate({
      document: sampleDocument({ size: 1_900_000, lineCount: 50_000, lineAt }),
      line: 40_000,
      ...settings({ 'flashline.exclude': ['**/a/**', '**/b/**', '*.{c,d}'] }),
    });
    assert.equal(reason, undefined);
    assert.ok(read <= 2, `${read} lines`);
  });
});
