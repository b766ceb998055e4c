// Tests that the server reads what the extension sends: each message is created by the code of the extension, converted
// to JSON, and parsed by the schemas of the server, which must know every field. Classes of VS Code that LSP also has,
// such as Range, look alike before the conversion.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { MESSAGES } from '../../server/lsp/messageSchemas';
import { INLINE_COMPLETION } from '../../server/protocol/messages';
import { FlashlineClient, type ClientOptions } from '../../src/connection/client';
import { ChatModels } from '../../src/instruct/chatModels';
import { parseSettings } from '../../src/configuration';
import { CursorRest } from '../../src/ghostText/cursorRest';
import { SelectionEdit, type EditParts } from '../../src/instruct/edit/selectionEdit';
import { generateInEditor } from '../../src/instruct/editorGeneration';
import type { EditorGate } from '../../src/gate/gate';
import { GenerationRun } from '../../src/instruct/generationRun';
import { GrowingSuggestions } from '../../src/ghostText/growingSuggestions';
import { NextEditRequests } from '../../src/nextEdit/requests';
import { NeededDefinitions } from '../../src/ghostText/neededDefinitions';
import { askRepository } from '../../src/models/askModel';
import { removeModel, type ModelChoice, type ModelParts } from '../../src/models/chooseModel';
import { Downloads } from '../../src/models/downloads';
import { StoredToken } from '../../src/models/storedToken';
import { ServerDocuments } from '../../src/connection/serverDocuments';
import { ManualClock, settled } from '../lsp/manualClock';
import { fake } from '../support/fake';
import { LanguageClient } from './support/fakeLanguageClient';
import { CancellationTokenSource, commands, window } from './support/fakeVscode';

const { Automatic, Invoke } = vscode.InlineCompletionTriggerKind;
const NEVER = new vscode.CancellationTokenSource().token;
const TEXTS = ['', 'log', '"name": ', '🙂', '\u2028', '\ud83d', 'a\r\nb'];
const LOG = { error: assert.fail, warn: assert.fail } as unknown as vscode.LogOutputChannel;
const allowed = (): undefined => undefined;
const GATE = fake<EditorGate>({
  whyNoSuggestion: allowed,
  whyNoGeneration: allowed,
  whyHidden: allowed,
  whyOff: allowed,
  isUnquotable: () => false,
});
const mayInstruct = () => Promise.resolve(true);
const REPOSITORIES = ['mlx-community/Qwen3-4B-4bit', 'z-lab/Qwen3-4B-DFlash-b16'];
const ENTRY = { kind: 'pair', name: 'Qwen3 4B', repositories: REPOSITORIES, isInUse: true } as never;
/** Secrets of the user: a token of the Hub, and a key of a remote engine. */
const SECRETS = {
  get: () => Promise.resolve('hf_a'),
  onDidChange: () => ({ dispose: () => undefined }),
} as unknown as vscode.SecretStorage;

/** The connection of a window, and its messages. */
interface Connection {
  readonly client: FlashlineClient;
  readonly library: LanguageClient;
}

async function connected(): Promise<Connection> {
  const client = new FlashlineClient({
    sharesServer: () => false,
    log: LOG,
    serverSettings: () => ({}),
    program: { module: 'server.js' },
  } as unknown as ClientOptions);
  return { client, library: await LanguageClient.started(client.start()) };
}

function positions(): vscode.Position[] {
  return [0, 1, 7, 2 ** 31 - 1].map((number) => new vscode.Position(number, number >> 1));
}

function documentOf(text: string): vscode.TextDocument {
  return {
    uri: vscode.Uri.file('/a b/ä.ts'),
    version: 1,
    languageId: 'typescript',
    lineCount: 1,
    getText: () => text,
    offsetAt: ({ character }: vscode.Position) => character,
    lineAt: () => ({
      text,
      range: new vscode.Range(new vscode.Position(0, 0), new vscode.Position(0, text.length)),
    }),
  } as unknown as vscode.TextDocument;
}

async function askForSuggestions({ client }: Connection): Promise<void> {
  const suggestions = new GrowingSuggestions(client, fake({ isOffered: () => false }), LOG);
  for (const triggerKind of [Automatic, Invoke])
    for (const at of positions()) {
      const infos = TEXTS.map((text) => ({ range: new vscode.Range(new vscode.Position(0, 0), at), text }));
      for (const selectedCompletionInfo of [undefined, ...infos])
        await suggestions.items(documentOf(''), at, { triggerKind, selectedCompletionInfo }, NEVER);
    }
}

async function restCursors({ client }: Connection): Promise<void> {
  const clock = new ManualClock();
  for (const active of positions()) {
    window.activeTextEditor = { document: documentOf(''), selection: { active } };
    const rest = new CursorRest(GATE, client, () => undefined);
    await clock.pass(1000);
    rest.dispose();
  }
}

async function generate({ client }: Connection): Promise<void> {
  const run = new GenerationRun(LOG);
  const documents = new ServerDocuments(GATE, client);
  for (const text of TEXTS) {
    const document = documentOf(text);
    const [start, end] = [new vscode.Position(0, 0), new vscode.Position(0, text.length)];
    window.activeTextEditor = { document, selection: { active: end, start, end, isEmpty: false } };
    const mayGenerate = (purpose: string) => Promise.resolve(purpose === 'generate');
    const instruct = { client, gate: GATE, documents, run };
    await generateInEditor({ ...instruct, mayInstruct: mayGenerate }, `make ${text}`);
    const configuration = { settings: parseSettings(() => undefined) };
    const pending = { hunksOf: () => [], propose: () => Promise.resolve(true) };
    const parts = { ...instruct, configuration, pending, mayInstruct };
    const lines = { document, from: 0, to: 1 };
    await new SelectionEdit(parts as unknown as EditParts).apply(
      () => lines,
      () => Promise.resolve(`edit ${text}`),
    );
  }
}

async function chat({ client, library }: Connection): Promise<void> {
  const { User, Assistant } = vscode.LanguageModelChatMessageRole;
  const models = new ChatModels(client, () => true);
  const model = fake<vscode.LanguageModelChatInformation>({ id: 'a/b' });
  const tools = [{ name: 'now', description: 'the time', inputSchema: { type: 'object' } }];
  for (const text of TEXTS) {
    const textPart = new vscode.LanguageModelTextPart(text);
    const [name, toolMode] = [undefined, vscode.LanguageModelChatToolMode.Auto];
    const messages = [
      { role: User, content: [textPart], name },
      {
        role: Assistant,
        content: [textPart, new vscode.LanguageModelToolCallPart('1', 'now', { text })],
        name,
      },
      { role: User, content: [new vscode.LanguageModelToolResultPart('1', [textPart])], name },
    ];
    library.answer = { text: '', finishReason: 'stop', calls: [] };
    const progress = { report: () => assert.fail() };
    for (const options of [{ tools, toolMode }, { toolMode }])
      await models.provideLanguageModelChatResponse(model, messages, options, progress, NEVER);
    for (const message of [text, ...messages]) await models.provideTokenCount(model, message, NEVER);
  }
}

async function sendDefinitions({ client }: Connection): Promise<void> {
  const range = new vscode.Range(new vscode.Position(0, 0), new vscode.Position(0, 1));
  const [uri, targetUri] = [vscode.Uri.file('/ö.ts'), vscode.Uri.file('/b.ts')];
  const definitions = [
    { uri, range },
    { targetUri, targetRange: range },
  ];
  commands.executeCommand = () => Promise.resolve(definitions as never);
  const document = documentOf("import { Stack } from './b';");
  new NeededDefinitions(GATE, client, LOG).requested(document, new vscode.Position(0, 0));
  await settled();
}

async function askForEdits({ client, library }: Connection): Promise<void> {
  const requests = new NextEditRequests(client, LOG);
  for (const isInvoked of [false, true])
    await requests.edit(documentOf(''), new vscode.Position(0, 0), isInvoked, NEVER);
  library.answer = null;
  requests.shown('1');
  requests.accepted('1');
  requests.rejected('1');
}

async function manageModels({ client }: Connection): Promise<void> {
  const token = new StoredToken(SECRETS);
  const downloads = new Downloads(client, token);
  for (const isForced of [false, true]) await downloads.start(ENTRY, isForced);
  window.showInputBox = () => Promise.resolve(REPOSITORIES.join(' '));
  await askRepository({ client, token } as unknown as ModelParts);
  const pairSwitch = { to: () => Promise.resolve() };
  await removeModel({ client, downloads, pairSwitch, entry: ENTRY } as unknown as ModelChoice);
}

describe('messages of the extension', () => {
  const original = { window: { ...window }, commands: { ...commands } };
  afterEach(() => {
    Object.assign(window, original.window);
    Object.assign(commands, original.commands);
  });

  it('match the schemas of the server, with every field of every message', async () => {
    const connection = await connected();
    const { library } = connection;
    library.answer = null;
    const openSources = CancellationTokenSource.open.size;
    await askForSuggestions(connection);
    await askForEdits(connection);
    library.answer = { text: '', finishReason: 'stop' };
    await generate(connection);
    await chat(connection);
    await sendDefinitions(connection);
    library.answer = { finished: 'done', bytes: 0 };
    await manageModels(connection);
    await restCursors(connection);
    for (const [method, wire] of library.sent) {
      assert.ok(Object.hasOwn(MESSAGES, method), method);
      const { data, error } = MESSAGES[method as keyof typeof MESSAGES].schema.safeParse(wire);
      const description = `${method} ${JSON.stringify(wire)}`;
      assert.equal(error, undefined, description);
      // The schema of downloads adds "force" where it is missing.
      const read: unknown = JSON.parse(JSON.stringify({ force: false, ...data }));
      assert.deepEqual(read, { force: false, ...(wire as object) }, description);
    }
    assert.equal(CancellationTokenSource.open.size, openSources, 'cancellation sources are left undisposed');
    const count = (method: string): number => library.sent.filter(([sent]) => sent === method).length;
    assert.deepEqual(new Set(library.sent.map(([method]) => method)), new Set(Object.keys(MESSAGES)));
    assert.equal(count(INLINE_COMPLETION), 2 * positions().length * (TEXTS.length + 1));
    assert.equal(count('flashline/generate'), 2 * TEXTS.length);
  });
});
