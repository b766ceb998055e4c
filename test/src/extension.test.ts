// Tests how the parts of the extension are connected, with a fake of VS Code and of the server.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientSettings, StatsRow } from '../../server/protocol/messages';
import { Method } from '../../server/protocol/messages';
import { ALL_OFF } from '../../server/rules/enabledLanguages';
import { activate, deactivate } from '../../src/extension';
import { ManualClock, settled } from '../lsp/manualClock';
import { temporaryFolder } from '../support/temporaryFolder';
import { LanguageClient } from './support/fakeLanguageClient';
import {
  commands,
  documents,
  EventEmitter,
  languages,
  lm,
  memento,
  Position,
  settingsChanged,
  Uri,
  window,
  workspace,
} from './support/fakeVscode';
import { sampleRow } from './support/sampleRow';

interface Document {
  readonly uri: Uri;
  readonly languageId: string;
  readonly version: number;
  readonly lineCount: number;
}

interface Active {
  readonly document: Document;
  selection: { readonly active: Position };
  selections: readonly object[];
}

const CHATS = 'flashline/chatModels';

describe('the extension', () => {
  const original = { window: { ...window }, workspace: { ...workspace }, commands: { ...commands } };
  const { onDidChangeDiagnostics } = languages;
  let clock: ManualClock;
  let api: ReturnType<typeof activate>;
  let server: LanguageClient;
  let stored: Map<string, unknown>;
  let subscriptions: { dispose: () => void }[];
  let selected: EventEmitter<object>;
  let activated: EventEmitter<object | undefined>;
  /** Reports that a .gitignore or .flashlineignore file has changed. */
  let changeIgnoreFile: () => void;

  beforeEach(async () => {
    clock = new ManualClock();
    [selected, activated] = [new EventEmitter(), new EventEmitter()];
    Object.assign(window, {
      onDidChangeTextEditorSelection: selected.event,
      onDidChangeActiveTextEditor: activated.event,
      activeTextEditor: undefined,
    });
    workspace.createFileSystemWatcher = () => ({
      onDidChange: (listener: () => void) => (changeIgnoreFile = listener),
      ...{ onDidCreate: () => undefined, onDidDelete: () => undefined, dispose: () => undefined },
    });
    workspace.settings = { 'flashline.shareServer': false };
    stored = new Map();
    subscriptions = [];
    commands.context = {};
    api = activate({
      globalState: memento(stored),
      workspaceState: memento(),
      secrets: {
        get: () => Promise.resolve(undefined),
        onDidChange: () => ({ dispose: () => undefined }),
      },
      extensionUri: Uri.file('/extension'),
      extension: { id: 'flashline.flashline', packageJSON: { version: '0.1.0' } },
      asAbsolutePath: (path: string) => `/extension/${path}`,
      subscriptions,
    } as never);
    server = await LanguageClient.started(api.ready);
  });
  afterEach(async () => {
    await deactivate();
    for (const part of subscriptions) part.dispose();
    Object.assign(window, original.window);
    Object.assign(workspace, original.workspace, { settings: {}, isTrusted: true });
    commands.executeCommand = original.commands.executeCommand;
    languages.onDidChangeDiagnostics = onDidChangeDiagnostics;
  });

  function changeSettings(values: Readonly<Record<string, unknown>>): void {
    workspace.settings = { ...workspace.settings, ...values };
    settingsChanged.fire({ affectsConfiguration: (section) => section === 'flashline' });
  }

  function open(path: string, scheme = 'file', languageId = 'typescript'): Active {
    const document = {
      uri: Object.assign(new Uri(scheme, path), { path }),
      ...{ languageId, version: 1, lineCount: 1 },
      lineAt: () => ({ text: 'const a = 1;' }),
      offsetAt: ({ line, character }: Position) => (line > 0 ? 12 : character),
      getText: () => 'const a = 1;',
    };
    const editor = { document, selection: { active: new Position(0, 5) }, selections: [{}] };
    window.activeTextEditor = editor;
    activated.fire(editor);
    return editor;
  }

  const methods = (): string[] => server.sent.map(([method]) => method);
  const lastSettings = (): ClientSettings => server.sentSettings.at(-1) as ClientSettings;

  it('shows what the server reports, and nothing of it once the server has ended', async () => {
    assert.equal(api.connection(), 'running');
    const model = { target: 'a', device: 'cpu', infill: 'fim', maxDraftTokens: 0 } as const;
    server.receive(Method.status, { state: 'ready', model });
    server.receive(Method.serving, { address: 'http://127.0.0.1:8080' });
    assert.deepEqual([api.status().state, api.servingAddress()], ['ready', 'http://127.0.0.1:8080']);
    server.close();
    assert.deepEqual(
      [api.connection(), api.serverStatus(), api.servingAddress()],
      [...['restarting', undefined, undefined]],
    );
    server = await LanguageClient.started(Promise.resolve());
    await settled();
    assert.equal(api.connection(), 'running');
  });

  it('shows the speed of the last request of the user, but lists all requests', () => {
    const row = (id: number, kind: StatsRow['kind'], decodeMs: number): StatsRow =>
      sampleRow({
        id,
        kind,
        decodeMs,
        rounds: [
          [3, 3],
          [3, 3],
          [3, 3],
        ],
      });
    server.receive(Method.status, { state: 'ready' });
    server.receive(Method.stats, row(1, 'prefetch', 10));
    assert.equal(commands.context['flashline.hasRequest'], undefined);
    server.receive(Method.stats, row(2, 'inline', 120));
    server.receive(Method.stats, row(3, 'prefetch', 10));
    assert.equal(commands.context['flashline.hasRequest'], true);
    assert.match(api.status().text, / 100 tok\/s/);
    assert.equal(api.rows().length, 3);
  });

  it('sends changed settings to the server, and settings with everything off during a snooze', async () => {
    changeSettings({ 'flashline.target': '/models/a' });
    await settled();
    assert.equal(lastSettings().target, '/models/a');
    assert.ok(
      methods().includes(Method.forgetClosed),
      'the server forgets closed documents, which can be excluded now',
    );
    commands.registered['flashline.snooze']?.(5);
    assert.deepEqual(lastSettings().enable, ALL_OFF);
    assert.equal(api.status().state, 'paused');
    commands.registered['flashline.snooze']?.(0);
    assert.notDeepEqual(lastSettings().enable, ALL_OFF);
  });

  it('stops the server when it is deactivated', async () => {
    let stops = 0;
    server.stop = () => Promise.resolve(void (stops += 1));
    await deactivate();
    assert.deepEqual([stops, api.connection()], [1, 'stopped']);
  });

  it('reads its settings again once the workspace is trusted', async () => {
    workspace.settings = { ...workspace.settings, 'flashline.target': '/models/a' };
    workspace.trusted();
    await settled();
    assert.equal(lastSettings().target, '/models/a');
  });

  it('connects again when the setting for a shared server changes, but not for other settings', async () => {
    const { length } = LanguageClient.made;
    changeSettings({ 'flashline.debounceMs': 7 });
    await settled();
    assert.equal(LanguageClient.made.length, length);
    // The program of a shared server does not exist here, so the window starts its own again.
    changeSettings({ 'flashline.shareServer': true });
    server = await LanguageClient.started(Promise.resolve());
    assert.equal(LanguageClient.made.length, length + 1);
  });

  it('makes the server forget closed documents after a change of ignore files', () => {
    const count = (): number => methods().filter((method) => method === Method.forgetClosed).length;
    const before = count();
    changeIgnoreFile();
    assert.equal(count(), before + 1);
  });

  it('hides an open document from the server once an ignore file names it', () => {
    const folder = temporaryFolder();
    workspace.folder = { uri: Uri.file(folder) };
    const { document } = open(join(folder, 'a.ts'));
    workspace.textDocuments = [document];
    writeFileSync(join(folder, '.flashlineignore'), 'a.ts\n');
    changeIgnoreFile();
    const closed = server.sent.filter(([method]) => method === 'textDocument/didClose');
    assert.deepEqual(closed, [['textDocument/didClose', { textDocument: { uri: String(document.uri) } }]]);
    assert.equal(api.status().state, 'paused');
  });

  it('shows why nothing is suggested in the active editor', () => {
    server.receive(Method.status, { state: 'ready' });
    open('/w/.env');
    assert.equal(api.status().state, 'paused');
    const editor = open('/w/a.ts');
    assert.equal(api.status().state, 'ready');
    editor.selections = [{}, {}];
    selected.fire({ textEditor: editor, selections: editor.selections });
    assert.match(api.status().reason, /several cursors/);
    editor.selections = [{}];
    selected.fire({ textEditor: editor, selections: editor.selections });
    assert.doesNotMatch(api.status().reason, /several cursors/);
  });

  it('counts accepted suggestions by language, and ticks the first step of the walkthrough', () => {
    open('/w/App.vue', 'file', 'plaintext');
    commands.registered['flashline._accepted']?.(0);
    const { accepted } = api.acceptance();
    assert.equal(accepted, 1);
    const dailyCounts = (): unknown[] => Object.values(stored.get('flashline.acceptedByDay') as object);
    assert.deepEqual(dailyCounts(), [{ vue: 1 }]);
    assert.equal(commands.context['flashline.hasAccepted'], true);
    assert.match(api.status().tooltip, /Accepted:\*\*/);
    window.activeTextEditor = undefined;
    commands.registered['flashline._accepted']?.(0);
    assert.deepEqual(dailyCounts(), [{ vue: 1, plaintext: 1 }]);
  });

  it('counts ghost text accepted in parts, and seeks missing imports for the rest unless that is off', async () => {
    let listeners = 0;
    languages.onDidChangeDiagnostics = () => {
      listeners += 1;
      return { dispose: () => undefined };
    };
    for (const addMissingImports of [true, false]) {
      changeSettings({ 'flashline.addMissingImports': addMissingImports });
      const { document, selection } = open('/w/a.ts');
      commands.context = {};
      server.answer = [{ insertText: 'sum(items);' }];
      const asking = server.ask(document, selection.active, { triggerKind: 1 });
      await clock.pass(70);
      const [item] = (await asking) as { readonly command: { readonly arguments: unknown[] } }[];
      const change = (rangeOffset: number, text: string): void => {
        documents.changed.fire({ document, contentChanges: [{ rangeOffset, rangeLength: 0, text }] });
      };
      const { acceptedParts } = api.acceptance();
      change(5, 'sum');
      assert.equal(api.acceptance().acceptedParts, acceptedParts + 1);
      assert.equal(commands.context['flashline.hasAccepted'], true);
      change(8, '(items);');
      commands.registered['flashline._accepted']?.(...(item?.command.arguments ?? []));
      assert.equal(listeners, 1, 'imports are sought only while flashline.addMissingImports is on');
    }
    const model = { target: 'b', device: 'cpu', infill: 'fim', maxDraftTokens: 0 } as const;
    const measured = api.status().tooltip;
    server.receive(Method.status, { state: 'ready', model });
    assert.match(
      api.status().tooltip,
      /Time to suggestion:\*\* not measured yet/,
      'the time of another model is dropped',
    );
    assert.match(measured, /Time to suggestion:\*\* \d+\.\d ms/);
  });

  it('lists chat models again after a change of model or settings, and none if off or untrusted', async () => {
    const provider = lm.providers.at(-1) as {
      onDidChangeLanguageModelChatInformation: (listener: () => void) => unknown;
      provideLanguageModelChatInformation: () => Promise<readonly object[]>;
    };
    let changes = 0;
    provider.onDidChangeLanguageModelChatInformation(() => (changes += 1));
    const model = { target: 'a', device: 'cpu', infill: 'fim', maxDraftTokens: 0 } as const;
    for (const target of ['a', 'a', 'b'])
      server.receive(Method.status, { state: 'ready', model: { ...model, target } });
    assert.equal(changes, 2);
    changeSettings({ 'flashline.target': '/models/a' });
    await settled();
    assert.equal(changes, 3);
    server.answer = [];
    await provider.provideLanguageModelChatInformation();
    assert.equal(methods().filter((method) => method === CHATS).length, 1);
    for (const [values, isTrusted] of [
      [{}, false],
      [{ 'flashline.offerChatModels': false }, true],
    ] as const) {
      workspace.isTrusted = isTrusted;
      changeSettings(values);
      assert.deepEqual(await provider.provideLanguageModelChatInformation(), []);
    }
    assert.equal(methods().filter((method) => method === CHATS).length, 1);
  });

  it('lists chat models again when the server ends, and when it runs again', async () => {
    const { onDidChangeLanguageModelChatInformation } = lm.providers.at(-1) as {
      onDidChangeLanguageModelChatInformation: (listener: () => void) => unknown;
    };
    let changes = 0;
    onDidChangeLanguageModelChatInformation(() => (changes += 1));
    server.close();
    assert.equal(changes, 1);
    server = await LanguageClient.started(Promise.resolve());
    await settled();
    assert.equal(changes, 2);
  });

  it('looks up definitions only if prompts can quote other files', async () => {
    const lookups: unknown[] = [];
    commands.executeCommand = ((...words: unknown[]) => {
      if (String(words[0]).includes('Provider')) lookups.push(words[0]);
      return Promise.resolve([]);
    }) as never;
    for (const useOpenFiles of [false, true]) {
      changeSettings({ 'flashline.useOpenFiles': useOpenFiles });
      const editor = open(`/w/${String(useOpenFiles)}.ts`);
      Object.assign(editor.document, {
        getText: () => "import { a } from 'b';",
        uri: Object.assign(Uri.file('/w/x.ts'), {}),
      });
      await clock.pass(1000);
      assert.equal(lookups.length > 0, useOpenFiles);
    }
  });
});
