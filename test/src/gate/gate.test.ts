// Tests the gate as a table: in which situations it allows a request, and for which reason it refuses one.
import assert from 'node:assert/strict';
import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EditorGate } from '../../../src/gate/gate';
import { reasonTexts, type GateReason } from '../../../src/gate/gateReasons';
import { Snooze } from '../../../src/gate/snooze';
import { IgnoreFiles } from '../../../src/gate/ignoreFiles';
import { ManualClock } from '../../lsp/manualClock';
import { temporaryFolder } from '../../support/temporaryFolder';
import { fake } from '../../support/fake';
import { window, workspace } from '../support/fakeVscode';
import {
  askGate,
  sampleDocument,
  sampleSettings,
  type Question,
  type SampleText,
} from '../support/sampleDocument';

type Case = readonly [name: string, question: Partial<Question>, reason?: GateReason];

const text = (sample: SampleText): Partial<Question> => ({ document: sampleDocument(sample) });
const lines = (...values: readonly string[]): Partial<Question> => text({ lines: values });
const path = (value: string): Partial<Question> => text({ path: value });
const language = (languageId: string): Partial<Question> => text({ languageId });
const settings = (values: Record<string, unknown>): Partial<Question> => ({
  settings: sampleSettings(values),
});
/** Returns a file whose language VS Code does not know, so that it counts as plain text. */
const plain = (name: string): Partial<Question> =>
  text({ path: `/project/app/${name}`, languageId: 'plaintext' });
const enable = (value: unknown, more = {}) => settings({ 'flashline.enable': value, ...more });
const NO_MARKDOWN = { '*': true, markdown: false };
/** Names a model that can know any language, unlike the built-in one. */
const CHOSEN_MODEL = { 'flashline.target': '/models/other' };
const MANUAL = settings({ 'flashline.trigger': 'manual' });
const PRIVATE = settings({ 'flashline.exclude': ['**/private/**'] });
const LONG = text({ lines: ['x', 'y'.repeat(5001)], size: 100 });

const CASES: readonly Case[] = [
  ['an ordinary file', {}],
  ['an explicit request', { explicit: true }],
  ['switched off', enable({ '*': false }), 'disabled'],
  ['switched off, but the language on', enable({ '*': false, typescript: true }), 'disabled'],
  ['switched off by a plain false', enable(false), 'disabled'],
  ['ghost text off in VS Code', settings({ 'editor.inlineSuggest.enabled': false }), 'editor'],
  ['snoozed', { snoozed: true }, 'snoozed'],
  ['snoozed, also on request', { snoozed: true, explicit: true }, 'snoozed'],
  ['an untrusted workspace', { trusted: false }, 'untrusted'],
  ['a read-only file system', { writable: false }, 'readOnly'],
  ['a file system that VS Code does not know to be writable', { writable: undefined as never }],
  ['a language that is off', { ...language('markdown'), ...enable(NO_MARKDOWN) }, 'language'],
  ['a language that is not listed', { ...language('rust'), ...enable(NO_MARKDOWN, CHOSEN_MODEL) }],
  [
    'a language named like a property of every object',
    { ...language('constructor'), ...enable(NO_MARKDOWN, CHOSEN_MODEL) },
  ],
  ['a language that the built-in model does not know', language('lua'), 'unknownLanguage'],
  [
    'a language that the built-in model does not know, but the user lists',
    { ...language('rust'), ...enable({ rust: true }) },
  ],
  [
    'a language that the built-in model does not know, for a remote engine',
    { ...language('rust'), ...settings({ 'flashline.remote.url': 'http://a:80' }) },
  ],
  [
    'a language that the built-in model does not know, switched off',
    { ...language('rust'), ...enable({ rust: false }) },
    'language',
  ],
  ['plain text', plain('notes.txt'), 'unknownLanguage'],
  ...['App.vue', 'App.svelte', 'Cargo.toml', 'Pipfile', 'Main.kt', 'build.gradle.kts', 'Package.swift'].map(
    (name): Case => [`${name}, whose language VS Code does not know`, plain(name)],
  ),
  [
    'a Vue file whose language VS Code does not know, switched off',
    { ...plain('App.vue'), ...enable({ vue: false }) },
    'language',
  ],
  ['a Compose file, which is written in YAML', language('dockercompose')],
  ['a Vue file beside plain text that is off', { ...plain('App.vue'), ...enable({ plaintext: false }) }],
  [
    'a Compose file, switched off by the id that VS Code has for it',
    { ...language('dockercompose'), ...enable({ dockercompose: false }) },
    'language',
  ],
  ['a file that the user calls plain text', plain('App.vue.txt'), 'unknownLanguage'],
  ['manual mode while typing', MANUAL, 'manual'],
  ['manual mode on request', { ...MANUAL, explicit: true }],
  ['two cursors', { cursors: 2 }, 'multiCursor'],
  ['two cursors on request', { cursors: 2, explicit: true }, 'multiCursor'],
  ['selected text', { selects: true }, 'selection'],
  ['selected text on request', { selects: true, explicit: true }],
  ['an excluded folder', { ...path('/w/private/a.ts'), ...PRIVATE }, 'excluded'],
  ['a file beside an excluded folder', { ...path('/w/public/a.ts'), ...PRIVATE }],
  ['2 million characters', text({ size: 2e6, lineCount: 80_000 })],
  ['more than 2 million characters', text({ size: 2e6 + 1, lineCount: 80_000 }), 'tooLarge'],
  ['NUL in the first line', lines('a\0b'), 'binary'],
  ['broken characters in the first line', lines('\uFFFD'.repeat(9)), 'binary'],
  ['letters of another encoding', lines('// Gr\uFFFD\uFFFDe')],
  ['a very long line at the cursor', { ...LONG, line: 1 }, 'minified'],
  ['a very long line elsewhere', { ...LONG, line: 0 }],
  ['lines of 1000 characters on average', text({ size: 20_000, lineCount: 20 }), 'minified'],
  ['one long line in a small file', text({ size: 3000, lineCount: 1 })],
  ['a cursor after the last line', { line: 99 }],
  ['an empty document', lines('')],
  ['a private key by its first line', lines('-----BEGIN OPENSSH PRIVATE KEY-----'), 'secret'],
  ['a secret by its name', path('/project/app/authorized_keys'), 'secret'],
  ['a secret by its folder', path('/home/a/.ssh/config'), 'secret'],
  ['a binary file by its name', path('/project/app/a.png'), 'binary'],
  ['a minified file by its name', path('/project/app/index.js.map'), 'minified'],
  ['an encrypted vault', lines('$ANSIBLE_VAULT;1.1;AES256'), 'secret'],
  ['a dotenv document', text({ scheme: 'untitled', path: 'Untitled-1', languageId: 'dotenv' }), 'secret'],
  ['NUL after a thousand characters of the first line', lines(`${'a'.repeat(1000)}\0`)],
  ['a line of 5000 characters at the cursor', text({ lines: ['y'.repeat(5000)], size: 100 })],
  ['one line of 4000 characters', text({ size: 4000, lineCount: 1 })],
  ['one line of 4001 characters', text({ size: 4001, lineCount: 1 }), 'minified'],
  ...['output', 'debug', 'vscode-scm', 'comment', 'git', 'gitlens', 'walkThrough', 'search-editor']
    .concat('vscode-terminal', 'chat-input')
    .map((scheme): Case => [`a document of the scheme ${scheme}`, text({ scheme }), 'input']),
  ...['file', 'untitled', 'vscode-notebook-cell', 'vscode-remote', 'vscode-vfs'].map((scheme): Case => [
    `a document of the scheme ${scheme}`,
    text({ scheme }),
  ]),
  ...['python', 'typescriptreact', 'javascript', 'go', 'cpp', 'jsonc', 'vue'].map((languageId): Case => [
    `the language ${languageId}`,
    language(languageId),
  ]),
];

function gateOf(change: Record<string, unknown> = {}, until?: number): EditorGate {
  return new EditorGate(fake({ settings: sampleSettings(change) }), fake({ until }), new IgnoreFiles());
}

describe('the editor gate', () => {
  for (const [name, question, reason] of CASES)
    it(`${reason === undefined ? 'allows' : `refuses as ${reason}`}: ${name}`, () => {
      assert.equal(askGate(question), reason);
    });

  it('allows the generate command while suggestions are off, but not in secret or untrusted files', () => {
    const disabled = enable({ '*': false });
    assert.equal(askGate(disabled, 'generation'), undefined);
    assert.equal(askGate({ ...disabled, ...path('/w/.env') }, 'generation'), 'secret');
    assert.equal(askGate({ trusted: false }, 'generation'), 'untrusted');
  });

  it('hides secret, excluded and huge documents from the server, but not minified ones', () => {
    const hidden = (sample: SampleText) =>
      askGate({ ...text(sample), ...settings({ 'flashline.exclude': ['*.sql'] }) }, 'hidden');
    assert.equal(hidden({ path: '/w/.env' }), 'secret');
    assert.equal(hidden({ path: '/w/a.sql' }), 'excluded');
    assert.equal(hidden({ size: 6 * 2 ** 20 }), 'tooLarge');
    assert.equal(hidden({ path: '/w/a.min.js' }), undefined);
  });

  it('hides secret and excluded files that are opened through links of files or folders', () => {
    const folder = realpathSync(temporaryFolder());
    mkdirSync(join(folder, '.ssh'));
    for (const file of ['.env', '.ssh/config', 'a.sql', 'plain.ts']) writeFileSync(join(folder, file), '');
    /** Makes a link, and returns the gate's reason to hide a file that is opened by it. */
    const reasonThrough = (target: string, name: string, opened = name): GateReason | undefined => {
      symlinkSync(join(folder, target), join(folder, name));
      const document = sampleDocument({ path: join(folder, opened) });
      return askGate({ document, ...settings({ 'flashline.exclude': ['*.sql'] }) }, 'hidden');
    };
    assert.equal(reasonThrough('.env', 'notes.ts'), 'secret');
    assert.equal(reasonThrough('.ssh', 'lib', 'lib/config'), 'secret');
    assert.equal(reasonThrough('a.sql', 'query.ts'), 'excluded');
    assert.equal(reasonThrough('plain.ts', 'other.ts'), undefined);
    assert.equal(reasonThrough('plain.ts', 'c.sql'), 'excluded');
    const cell = text({ scheme: 'vscode-notebook-cell', path: join(folder, 'notes.ts') });
    assert.equal(askGate(cell, 'hidden'), 'secret');
    const remote = text({ scheme: 'vscode-remote', path: join(folder, 'notes.ts') });
    assert.equal(askGate(remote, 'hidden'), undefined, 'a path of another machine is not a link of this one');
  });

  it('refuses to quote files outside the workspace, ignored and hidden files, and links to hidden files', () => {
    const folder = realpathSync(temporaryFolder());
    const ignored = { '.gitignore': 'b.ts\n', '.flashlineignore': 'ignored.ts\n' };
    for (const file of ['.env', 'a.ts', 'b.ts', 'c.png', 'd.sql', 'ignored.ts'])
      writeFileSync(join(folder, file), '');
    for (const [file, content] of Object.entries(ignored)) writeFileSync(join(folder, file), content);
    symlinkSync('.env', join(folder, 'linked.ts'));
    symlinkSync('d.sql', join(folder, 'excluded.ts'));
    const gate = gateOf({ 'flashline.exclude': ['*.sql'] });
    const isUnquotable = (name: string): boolean =>
      gate.isUnquotable(sampleDocument({ path: join(folder, name) }).uri);
    try {
      workspace.folder = { uri: sampleDocument({ path: folder }).uri };
      for (const name of [
        '.env',
        'b.ts',
        'c.png',
        'linked.ts',
        'server.key~',
        'd.sql',
        'excluded.ts',
        'ignored.ts',
      ])
        assert.ok(isUnquotable(name), name);
      assert.ok(!isUnquotable('a.ts'));
      workspace.folder = undefined;
      assert.ok(isUnquotable('a.ts'));
    } finally {
      workspace.folder = undefined;
    }
  });

  it('applies no ignore files of this machine to folders of other file systems', () => {
    const folder = realpathSync(temporaryFolder());
    writeFileSync(join(folder, '.gitignore'), 'b.ts\n');
    const scheme = 'vscode-vfs';
    const { uri } = sampleDocument({ scheme, path: join(folder, 'b.ts') });
    try {
      workspace.folder = { uri: sampleDocument({ scheme, path: folder }).uri };
      assert.equal(gateOf().isUnquotable(uri), false);
    } finally {
      workspace.folder = undefined;
    }
  });

  it('follows links again at each question, even links to missing files', () => {
    const folder = realpathSync(temporaryFolder());
    const file = join(folder, 'a.ts');
    const document = sampleDocument({ path: file });
    const gate = gateOf();
    assert.equal(gate.whyHidden(document), undefined);
    symlinkSync('none/.env', file);
    assert.equal(gate.whyHidden(document), 'secret');
    rmSync(file);
    assert.equal(gate.whyHidden(document), undefined);
  });

  it('explains why the active editor has no suggestions, but not in manual mode or consoles', () => {
    assert.equal(askGate({ cursors: 2 }, 'activeEditor'), 'multiCursor');
    assert.equal(askGate(MANUAL, 'activeEditor'), undefined);
    assert.equal(askGate(text({ scheme: 'output' }), 'activeEditor'), undefined);
    assert.equal(askGate(path('/w/.env'), 'activeEditor'), 'secret');
    assert.equal(askGate({ snoozed: true }, 'activeEditor'), 'snoozed');
  });

  it('explains why Flashline is off everywhere when no editor is active', () => {
    assert.equal(gateOf().activeEditorPause(), undefined);
    assert.equal(gateOf({ 'flashline.enable': false }).activeEditorPause()?.reason, 'disabled');
    assert.deepEqual(gateOf({}, Infinity).activeEditorPause(), {
      reason: 'snoozed',
      text: 'Flashline is snoozed until this window is closed or reloaded.',
    });
  });

  it('names the time at which a snooze ends', () => {
    const until = new Date(2030, 0, 1, 9, 5).getTime();
    assert.equal(gateOf({}, until).activeEditorPause()?.text, 'Flashline is snoozed until 09:05.');
    assert.equal(reasonTexts('go').snoozed, 'Flashline is snoozed.');
  });

  it('allows suggestions in a document while another one is active with several cursors', () => {
    const at = { line: 0 } as never;
    const [active, other] = [sampleDocument(), sampleDocument()];
    window.activeTextEditor = { document: active, selections: [{}, {}] };
    try {
      assert.equal(gateOf().whyNoSuggestion(other, at, true), undefined);
      assert.equal(gateOf().whyNoSuggestion(active, at, true), 'multiCursor');
    } finally {
      window.activeTextEditor = undefined;
    }
  });

  it('reads at most two lines of a long document', () => {
    let read = 0;
    const lineAt = (): string => {
      read += 1;
      return 'x'.repeat(80);
    };
    const long = text({ size: 1_900_000, lineCount: 50_000, lineAt });
    assert.equal(askGate({ ...long, line: 40_000, ...PRIVATE }), undefined);
    assert.ok(read <= 2, `${read} lines`);
  });
});

describe('a snooze', () => {
  it('is replaced by a later snooze, and ends with a duration of 0 or by its timer', async () => {
    const snooze = new Snooze();
    for (const [minutes, until] of [
      [Infinity, Infinity],
      [0, undefined],
    ] as const) {
      snooze.start(minutes);
      assert.equal(snooze.until, until);
    }
    const before = Date.now();
    snooze.start(100_000);
    const after = Date.now();
    assert.ok(Number(snooze.until) >= before + 100_000 * 60_000);
    assert.ok(Number(snooze.until) <= after + 100_000 * 60_000);
    snooze.start(1 / 60_000);
    await new Promise((resolve) => snooze.onDidChange(resolve));
    assert.equal(snooze.until, undefined);
  });

  it('is reported at its start, and at its end unless a later snooze replaces it', async () => {
    const clock = new ManualClock();
    let changes = 0;
    const snooze = new Snooze();
    snooze.onDidChange(() => (changes += 1));
    const minute = 60_000;
    snooze.start(1);
    await clock.pass(minute / 2);
    snooze.start(2);
    assert.equal(changes, 2);
    await clock.pass(2 * minute - 1);
    assert.equal(changes, 2);
    await clock.pass(2 * minute);
    assert.equal(changes, 3);
    snooze.start(1);
    snooze.start(0);
    await clock.pass(2 * minute);
    assert.equal(changes, 5, 'a snooze that the user ends is not reported again');
  });

  it('does not report its end if it outlasts the timers of Node.js or was disposed of', async () => {
    const clock = new ManualClock();
    let changes = 0;
    const snooze = new Snooze();
    snooze.onDidChange(() => (changes += 1));
    const minute = 60_000;
    snooze.start(100_000);
    await clock.pass(200_000 * minute);
    assert.equal(changes, 1);
    snooze.start(1);
    snooze.dispose();
    assert.equal(clock.timerCount, 0);
    assert.equal(changes, 2);
  });
});
