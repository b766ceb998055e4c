// Tests how the parts of the extension are connected, with a fake of VS Code and of the server.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import type { ClientSettings, StatsRow } from '../../server/protocol/messages';
import { Method } from '../../server/protocol/messages';
import { ALL_OFF } from '../../server/rules/enabledLanguages';
import { activate, deactivate } from '../../src/extension';
import { NeededDefinitions } from '../../src/ghostText/neededDefinitions';
import type { ModelRow } from '../../src/models/pickModel';
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
  Range,
  settingsChanged,
  Uri,
  window,
  workspace,
} from './support/fakeVscode';
import { SAMPLE_MODEL, sampleRow } from './support/sampleRow';

interface Document {
  readonly uri: Uri;
  readonly languageId: string;
  readonly version: number;
  readonly lineCount: number;
}

interface Active {
  readonly document: Document;
  selection: { readonly active: Position; readonly isEmpty: boolean };
  selections: readonly object[];
}

const CHATS = 'flashline/chatModels';

function isFunction(value: unknown): value is (...words: readonly unknown[]) => { dispose?: () => void } {
  return typeof value === 'function';
}

describe('the extension', () => {
  const parts = { window, workspace, commands, languages, lm };
  const original = {
    window: { ...window },
    workspace: { ...workspace },
    commands: { ...commands },
    languages: { ...languages },
    lm: { ...lm },
  };
  /** Objects that are not disposed of yet, each with the name of the function of VS Code that returned it. */
  let undisposed: Map<object, string>;
  let clock: ManualClock;
  let api: ReturnType<typeof activate>;
  let server: LanguageClient;
  let stored: Map<string, unknown>;
  let subscriptions: { dispose: () => void }[];
  let selected: EventEmitter<object>;
  let activated: EventEmitter<object | undefined>;
  /** Reports that a .gitignore or .flashlineignore file has changed. */
  let changeIgnoreFile: () => void;
  /** Reports that a file was deleted. */
  let deleteFile: (uri: Uri) => void;

  /** Records what the functions of VS Code return until it is disposed of. */
  function recordDisposables(): void {
    undisposed = new Map();
    for (const part of Object.values(parts))
      for (const [name, make] of Object.entries(part)) {
        if (!isFunction(make) || !/^(on[A-Z]|create|register)/.test(name)) continue;
        const recorded = (...words: readonly unknown[]): unknown => {
          const made = make.call(part, ...words);
          const { dispose } = made;
          if (dispose === undefined) return made;
          undisposed.set(made, name);
          made.dispose = () => {
            undisposed.delete(made);
            dispose.call(made);
          };
          return made;
        };
        Object.assign(part, { [name]: recorded });
      }
  }

  beforeEach(async () => {
    clock = new ManualClock();
    selected = new EventEmitter();
    activated = new EventEmitter();
    Object.assign(window, {
      onDidChangeTextEditorSelection: selected.event,
      onDidChangeActiveTextEditor: activated.event,
      activeTextEditor: undefined,
    });
    workspace.createFileSystemWatcher = () => ({
      onDidChange: (listener: () => void) => (changeIgnoreFile = listener),
      onDidCreate: () => undefined,
      onDidDelete: (listener: typeof deleteFile) => (deleteFile = listener),
      dispose: () => undefined,
    });
    workspace.settings = { 'flashline.shareServer': false };
    stored = new Map();
    subscriptions = [];
    commands.context = {};
    recordDisposables();
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
    const { executeCommand, registerCommand } = original.commands;
    Object.assign(commands, { executeCommand, registerCommand });
    Object.assign(languages, original.languages);
    Object.assign(lm, original.lm);
  });

  function changeSettings(values: Readonly<Record<string, unknown>>): void {
    workspace.settings = { ...workspace.settings, ...values };
    settingsChanged.fire({ affectsConfiguration: (section) => section === 'flashline' });
  }

  function open(path: string, scheme = 'file', languageId = 'typescript'): Active {
    const document = {
      uri: Object.assign(new Uri(scheme, path), { path }),
      languageId,
      version: 1,
      lineCount: 1,
      lineAt: () => ({ text: 'const a = 1;' }),
      offsetAt: ({ line, character }: Position) => (line > 0 ? 12 : character),
      getText: () => 'const a = 1;',
    };
    const editor = {
      document,
      selection: { active: new Position(0, 5), isEmpty: true },
      selections: [{}],
      options: {},
    };
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
      ['restarting', undefined, undefined],
    );
    server = await LanguageClient.started(Promise.resolve());
    await settled();
    assert.equal(api.connection(), 'running');
  });

  it('shows the speed of the last request of the user to the model in use, but lists all requests', () => {
    const row = (id: number, kind: StatsRow['kind'], decodeMs: number, model = SAMPLE_MODEL): StatsRow =>
      sampleRow({
        id,
        kind,
        model,
        decodeMs,
        rounds: [
          [3, 3],
          [3, 3],
          [3, 3],
        ],
      });
    server.receive(Method.status, { state: 'ready', model: SAMPLE_MODEL });
    server.receive(Method.stats, row(1, 'prefetch', 10));
    assert.equal(commands.context['flashline.hasRequest'], undefined);
    server.receive(Method.stats, row(2, 'inline', 120));
    server.receive(Method.stats, row(3, 'prefetch', 10));
    assert.equal(commands.context['flashline.hasRequest'], true);
    server.receive(Method.stats, row(4, 'generate', 10, { ...SAMPLE_MODEL, target: 'qwen3-chat' }));
    server.receive(Method.stats, sampleRow({ id: 5, rounds: [[3, 0]], decodeMs: 1 }));
    assert.match(api.status().text, / 100 tok\/s/);
    assert.match(api.status().tooltip, /100 tok\/s · 4\.0 tokens per pass/);
    assert.equal(api.rows().length, 5);
  });

  it('explains a missing suggestion by the last request for ghost text, whatever came after it', () => {
    const { document } = open('/w/a.ts');
    window.activeTextEditor = { document, selections: [] };
    server.receive(Method.status, { state: 'ready', model: SAMPLE_MODEL });
    server.receive(Method.stats, sampleRow({ file: 'a.ts', outcome: 'filtered' }));
    server.receive(Method.stats, sampleRow({ file: 'a.ts', kind: 'nextEdit', outcome: 'length' }));
    assert.match(api.status().tooltip, /Last request: filtered out/);
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
    changeSettings({ 'flashline.debounceMs': 8 });
    await settled();
    assert.equal(LanguageClient.made.length, length + 1, 'nor for other settings afterwards');
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

  it('drops definitions in deleted files, and those that a changed rule hides', () => {
    const calls: string[] = [];
    const { prototype } = NeededDefinitions;
    const mocks = [
      mock.method(prototype, 'deleted', (uri: unknown) => void calls.push(String(uri))),
      mock.method(prototype, 'rulesChanged', () => void calls.push('rules')),
    ];
    deleteFile(Uri.file('/w/a.ts'));
    changeIgnoreFile();
    changeSettings({ 'flashline.exclude': ['*.md'] });
    for (const { mock: replaced } of mocks) replaced.restore();
    assert.deepEqual(calls, ['file:///w/a.ts', 'rules', 'rules']);
  });

  it('closes documents at the server for a snooze, and opens them again after it', () => {
    const { document } = open('/w/a.ts');
    workspace.textDocuments = [document];
    const uri = String(document.uri);
    const lastOf = (method: string) => server.sent.findLast(([sent]) => sent === method)?.[1];
    commands.registered['flashline.snooze']?.(5);
    assert.deepEqual(lastOf('textDocument/didClose'), { textDocument: { uri } });
    assert.equal(lastOf('textDocument/didOpen'), undefined);
    commands.registered['flashline.snooze']?.(0);
    const content = { languageId: 'typescript', version: 1, text: 'const a = 1;' };
    assert.deepEqual(lastOf('textDocument/didOpen'), { textDocument: { uri, ...content } });
  });

  it('shows its state in the menu of the status bar', async () => {
    let labels: readonly string[] = [];
    window.showQuickPick = (items) => {
      labels = items.map(({ label }) => label);
      return Promise.resolve(undefined);
    };
    server.receive(Method.status, { state: 'error', message: 'No addon.' });
    await commands.registered['flashline.showMenu']?.();
    assert.match(labels[0] ?? '', /Restart server/);
  });

  it('starts the server from its own folder', () => {
    const { run } = server.server as { readonly run: { readonly module: string } };
    assert.equal(run.module, '/extension/dist/server.js');
  });

  it('asks for consent to a remote engine in the settings, and sends its address only afterwards', async () => {
    const questions: string[] = [];
    window.showWarningMessage = (message, ...words) => {
      questions.push(message);
      assert.equal(lastSettings().remote.url, '');
      return Promise.resolve(String(words.at(-1)));
    };
    changeSettings({ 'flashline.remote.url': 'http://gpu:8000' });
    await settled();
    assert.deepEqual(questions, ['Send parts of your files to gpu:8000?']);
    assert.equal(lastSettings().remote.url, 'http://gpu:8000');
  });

  it('shows next edits in the status bar while they are on', async () => {
    const hasLine = (): boolean => api.status().tooltip.includes('Next edit:');
    assert.ok(!hasLine());
    for (const [nextEdit, isOn] of [
      ['hint', true],
      ['off', false],
    ] as const) {
      changeSettings({ 'flashline.nextEdit': nextEdit });
      await settled();
      assert.equal(hasLine(), isOn);
    }
  });

  it('shows the progress of a download, and lists the chat models again after it', async () => {
    const provider = lm.providers.at(-1) as {
      onDidChangeLanguageModelChatInformation: (listener: () => void) => unknown;
    };
    let changes = 0;
    provider.onDidChangeLanguageModelChatInformation(() => (changes += 1));
    let accept = (): void => undefined;
    const pick = {
      items: [] as ModelRow[],
      selectedItems: [] as ModelRow[],
      show: () => undefined,
      onDidTriggerItemButton: () => undefined,
      onDidHide: () => undefined,
      dispose: () => undefined,
      onDidAccept: (listener: () => void) => (accept = listener),
    };
    window.createQuickPick = () => pick;
    window.showInformationMessage = (...words) =>
      Promise.resolve(words.find((word) => word === 'Download') as string);
    const entry = { kind: 'pair', name: 'Qwen3', target: 'a/b', drafter: 'none', repositories: ['a/b'] };
    const machine = { memoryBytes: 1, usableBytes: 1, freeDiskBytes: 1, processor: 'gpu' };
    server.answer = { endpoint: '', machine, entries: [{ ...entry, downloadBytes: 8, arrivedBytes: 0 }] };
    // In a trusted workspace, the picker would look for servers on this machine.
    workspace.isTrusted = false;
    const picking = commands.registered['flashline.pickModel']?.();
    await settled();
    pick.selectedItems = pick.items.filter(({ label }) => label.includes('Qwen3'));
    let end: (outcome: object) => void = () => undefined;
    server.sendRequest = () => new Promise((resolve) => (end = resolve));
    accept();
    await settled();
    const [onProgress = assert.fail()] = server.progress.values();
    onProgress({ arrivedBytes: 2, bytes: 8, bytesPerSecond: 0, secondsLeft: 0 });
    assert.match(api.status().text, /\$\(cloud-download\) 25 %$/);
    const before = changes;
    end({ finished: 'paused' });
    await picking;
    assert.doesNotMatch(api.status().text, /cloud-download/);
    assert.equal(changes, before + 1);
  });

  it('sends definitions again to a server that replaces another', async () => {
    workspace.folder = { uri: Uri.file('/w') };
    const definition = { uri: Uri.file('/w/b.ts'), range: new Range(0, 0, 0, 1) };
    commands.executeCommand = (() => Promise.resolve([definition])) as never;
    const { document, selection } = open('/w/a.ts');
    Object.assign(document, { getText: () => "import { a } from './b';" });
    const sendsDefinitions = async (): Promise<boolean> => {
      server.answer = [];
      const asking = server.ask(document, selection.active, { triggerKind: 1 });
      await clock.pass(70);
      await asking;
      await settled();
      return methods().includes(Method.definitions);
    };
    assert.ok(await sendsDefinitions());
    server.close();
    server = await LanguageClient.started(Promise.resolve());
    await settled();
    assert.ok(await sendsDefinitions());
  });

  it('disposes of everything that it has created, including its panel and the timer of a snooze', async () => {
    let closes = 0;
    window.createWebviewPanel = () => ({
      webview: { asWebviewUri: (uri: Uri) => uri, onDidReceiveMessage: () => undefined },
      onDidDispose: () => undefined,
      dispose: () => (closes += 1),
    });
    commands.registered['flashline.showStatistics']?.();
    changeSettings({ 'flashline.nextEdit': 'hint' });
    const { document, selection } = open('/w/a.ts');
    server.answer = [{ insertText: 'sum(items);' }];
    const offer = async (): Promise<unknown[]> => {
      const asking = server.ask(document, selection.active, { triggerKind: 1 });
      await clock.pass(70);
      const [item] = (await asking) as { readonly command: { readonly arguments: unknown[] } }[];
      return item?.command.arguments ?? assert.fail();
    };
    // Missing imports of accepted text are sought for a while.
    const item = await offer();
    const contentChanges = [{ rangeOffset: 5, rangeLength: 0, text: 'sum(items);' }];
    documents.changed.fire({ document, contentChanges });
    commands.registered['flashline._accepted']?.(...item);
    assert.ok([...undisposed.values()].includes('onDidChangeDiagnostics'));
    await offer();
    commands.registered['flashline.snooze']?.(5);
    const { length } = server.sent;
    for (const part of subscriptions) part.dispose();
    assert.deepEqual([...undisposed.values()], []);
    assert.equal(closes, 1);
    assert.deepEqual(stored.get('flashline.acceptance'), api.acceptance(), 'counts are stored at once');
    await clock.pass(6 * 60_000);
    assert.equal(server.sent.length, length);
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

  it('counts accepted suggestions by their language, and ticks the first step of the walkthrough', async () => {
    const { document, selection } = open('/w/App.vue', 'file', 'plaintext');
    server.answer = [{ insertText: 'sum(items);' }];
    const asking = server.ask(document, selection.active, { triggerKind: 1 });
    await clock.pass(70);
    const [item] = (await asking) as { readonly command: { readonly arguments: unknown[] } }[];
    // The user has gone to another file in the meantime.
    open('/w/a.py', 'file', 'python');
    commands.registered['flashline._accepted']?.(...(item?.command.arguments ?? []));
    assert.equal(api.acceptance().accepted, 1);
    assert.deepEqual(Object.values(stored.get('flashline.acceptedByDay') as object), [{ vue: 1 }]);
    assert.equal(commands.context['flashline.hasAccepted'], true);
    assert.match(api.status().tooltip, /Accepted:\*\*/);
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
      const change = (rangeOffset: number, text: string): void => {
        documents.changed.fire({ document, contentChanges: [{ rangeOffset, rangeLength: 0, text }] });
      };
      commands.context = {};
      change(0, 'c');
      assert.equal(commands.context['flashline.hasAccepted'], undefined, 'nothing was accepted');
      server.answer = [{ insertText: 'sum(items);' }];
      const asking = server.ask(document, selection.active, { triggerKind: 1 });
      await clock.pass(70);
      const [item] = (await asking) as { readonly command: { readonly arguments: unknown[] } }[];
      const { acceptedParts, offered } = api.acceptance();
      server.receive(Method.stats, sampleRow());
      assert.match(api.status().tooltip, new RegExp(`of ${offered} suggestions`));
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
