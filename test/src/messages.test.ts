// What the extension sends is what the server reads: each message is made by the code that makes it in VS Code, goes
// through JSON, as on the wire, and then through the server's own schemas, which must know every field. Classes of
// VS Code that LSP has too, such as Range, look alike until then.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as vscode from 'vscode';
import { INLINE_COMPLETION, MESSAGES } from '../../server/lsp/messageSchemas';
import { parseSettings as serverSettings } from '../../server/hosting/settings';
import type { CatalogueEntry } from '../../server/protocol/modelCatalogue';
import { FlashlineClient, type ClientOptions } from '../../src/connection/client';
import { ChatModels } from '../../src/instruct/chatModels';
import { CommitMessage } from '../../src/instruct/commitMessage';
import { parseSettings } from '../../src/configuration';
import { CursorRest } from '../../src/ghostText/cursorRest';
import { SelectionEdit, type EditParts } from '../../src/instruct/edit/selectionEdit';
import { EditorGeneration } from '../../src/instruct/editorGeneration';
import type { EditorGate } from '../../src/ghostText/gate';
import { GenerationRun } from '../../src/instruct/baseModel';
import { GrowingSuggestions } from '../../src/ghostText/growingSuggestions';
import { NeededDefinitions } from '../../src/ghostText/neededDefinitions';
import { askRepository, removeModel, type ModelChoice, type ModelParts } from '../../src/models/chooseModel';
import { Downloads, StoredToken } from '../../src/models/downloads';
import { RemoteUse } from '../../src/connection/remoteUse';
import { ServerDocuments } from '../../src/connection/serverDocuments';
import { ManualClock, settled } from '../lsp/manualClock';
import { LanguageClient } from './support/fakeLanguageClient';
import { CancellationTokenSource, commands, extensions, window } from './support/fakeVscode';

const { Automatic, Invoke } = vscode.InlineCompletionTriggerKind;
const NEVER = new vscode.CancellationTokenSource().token;
const TEXTS = ['', 'log', '"name": ', '🙂', '\u2028', '\ud83d', 'a\r\nb'];
const LOG = { error: assert.fail, warn: assert.fail } as unknown as vscode.LogOutputChannel;
const GATE = {
  suggestion: () => undefined,
  generation: () => undefined,
  hidden: () => undefined,
  off: () => undefined,
  unquotable: () => undefined,
} as unknown as EditorGate;
const REPOSITORIES = ['mlx-community/Qwen3-4B-4bit', 'z-lab/Qwen3-4B-DFlash-b16'];
const ENTRY = {
  kind: 'pair',
  name: 'Qwen3 4B',
  repositories: REPOSITORIES,
  isInUse: true,
} as unknown as CatalogueEntry;
/** The user's secrets: a token of the Hub, and a key of a remote engine. */
const SECRETS = {
  get: () => Promise.resolve('hf_a'),
  onDidChange: () => ({ dispose: () => undefined }),
} as unknown as vscode.SecretStorage;

/** A window's connection, and what goes through it. */
interface Connection {
  readonly client: FlashlineClient;
  readonly library: LanguageClient;
}

async function connected(): Promise<Connection> {
  const client = new FlashlineClient({
    settings: () => ({ shareServer: false }),
    log: LOG,
    serverSettings: () => ({}),
    program: { module: 'server.js' },
    middleware: {},
    onConnection: () => undefined,
  } as unknown as ClientOptions);
  const started = client.start();
  await settled();
  const library = LanguageClient.made.at(-1) ?? assert.fail();
  library.started();
  await started;
  return { client, library };
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
  const suggestions = new GrowingSuggestions(
    async (params, onPart, token) =>
      await client.stream(INLINE_COMPLETION, params, onPart, token, 'growingResultToken'),
    { isOffered: () => false },
    LOG,
  );
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
  const documents = new ServerDocuments(
    GATE,
    () => undefined,
    () => undefined,
  );
  const mayInstruct = () => Promise.resolve(true);
  for (const text of TEXTS) {
    const document = documentOf(text);
    const [start, end] = [new vscode.Position(0, 0), new vscode.Position(0, text.length)];
    window.activeTextEditor = { document, selection: { active: end, start, end, isEmpty: false } };
    await new EditorGeneration(client, GATE, documents, run, mayInstruct).generate(`make ${text}`);
    const configuration = { settings: parseSettings(() => undefined) };
    const pending = { hunksOf: () => [], propose: () => Promise.resolve(true) };
    const parts = { client, configuration, gate: GATE, documents, run, pending, mayInstruct };
    const lines = { document, from: 0, to: 1 };
    await new SelectionEdit(parts as unknown as EditParts).apply(
      () => lines,
      () => Promise.resolve(`edit ${text}`),
    );
  }
}

async function writeCommitMessages({ client }: Connection): Promise<void> {
  const mayInstruct = () => Promise.resolve(true);
  for (const text of TEXTS) {
    const uri = vscode.Uri.file('/project/ä b.ts');
    const repository = {
      rootUri: vscode.Uri.file('/project'),
      inputBox: { value: text },
      ui: { selected: true },
      state: { indexChanges: [{ uri, originalUri: uri, renameUri: undefined }], workingTreeChanges: [] },
      status: () => Promise.resolve(),
      diffIndexWithHEAD: () => Promise.resolve(`+${text}`),
    };
    extensions.git = { enabled: true, getAPI: () => ({ repositories: [repository] }) };
    await new CommitMessage({ client, gate: GATE, run: new GenerationRun(LOG), mayInstruct }).write();
  }
}

async function chat({ client, library }: Connection): Promise<void> {
  const { User, Assistant } = vscode.LanguageModelChatMessageRole;
  const models = new ChatModels(client, () => true);
  const model = { id: 'a/b' };
  const tools = [{ name: 'now', description: 'the time', inputSchema: { type: 'object' } }];
  for (const text of TEXTS) {
    const said = new vscode.LanguageModelTextPart(text);
    const messages = [
      { role: User, content: [said] },
      { role: Assistant, content: [said, new vscode.LanguageModelToolCallPart('1', 'now', { text })] },
      { role: User, content: [new vscode.LanguageModelToolResultPart('1', [said])] },
    ];
    library.answer = { text: '', finishReason: 'stop', calls: [] };
    for (const given of [{ tools }, {}])
      await models.provideLanguageModelChatResponse(
        model,
        messages,
        given,
        { report: () => assert.fail() },
        NEVER,
      );
    for (const each of [text, ...messages]) await models.provideTokenCount(model, each, NEVER);
  }
}

async function tellDefinitions({ client }: Connection): Promise<void> {
  const range = new vscode.Range(new vscode.Position(0, 0), new vscode.Position(0, 1));
  const [uri, targetUri] = [vscode.Uri.file('/ö.ts'), vscode.Uri.file('/b.ts')];
  const places = [
    { uri, range },
    { targetUri, targetRange: range },
  ];
  const { executeCommand } = commands;
  commands.executeCommand = () => Promise.resolve(places as never);
  const document = documentOf("import { Stack } from './b';");
  try {
    new NeededDefinitions(GATE, client, LOG).requested(document, new vscode.Position(0, 0));
    await settled();
  } finally {
    commands.executeCommand = executeCommand;
  }
}

async function manageModels({ client }: Connection): Promise<void> {
  const token = new StoredToken(SECRETS);
  const downloads = new Downloads(client, token, () => undefined);
  for (const isForced of [false, true]) await downloads.start(ENTRY, isForced);
  window.showInputBox = () => Promise.resolve(REPOSITORIES.join(' '));
  await askRepository({ client, token } as unknown as ModelParts);
  const pairSwitch = { to: () => Promise.resolve() };
  await removeModel({ client, downloads, pairSwitch, entry: ENTRY } as unknown as ModelChoice);
}

/** Each setting of the manifest, with values of all kinds that it may have. */
function* settings(): Generator<readonly [name: string, value: unknown]> {
  const { contributes } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    readonly contributes: { readonly configuration: readonly { readonly properties: object }[] };
  };
  for (const [name, schema] of contributes.configuration.flatMap(({ properties }) =>
    Object.entries(properties),
  )) {
    const { default: usual, minimum, maximum, ...rest } = schema as Readonly<Record<string, unknown>>;
    const choices = Array.isArray(rest['enum']) ? (rest['enum'] as unknown[]) : [];
    const texts = typeof usual === 'string' ? TEXTS : [];
    for (const value of [usual, minimum, maximum, true, false, 7, ...choices, ...texts]) yield [name, value];
  }
}

describe('messages of the extension', () => {
  const usual = { ...window };
  afterEach(() => {
    Object.assign(window, usual);
    extensions.git = undefined;
  });

  it('are as the server reads them, all of them and every field', async () => {
    const connection = await connected();
    const { library } = connection;
    library.answer = null;
    const sources = CancellationTokenSource.open.size;
    await askForSuggestions(connection);
    library.answer = { text: '', finishReason: 'stop' };
    await generate(connection);
    await writeCommitMessages(connection);
    await chat(connection);
    await tellDefinitions(connection);
    library.answer = { finished: 'done', bytes: 0 };
    await manageModels(connection);
    await restCursors(connection);
    for (const [method, wire] of library.sent) {
      assert.ok(Object.hasOwn(MESSAGES, method), method);
      const { data, error } = MESSAGES[method as keyof typeof MESSAGES].schema.safeParse(wire);
      const told = `${method} ${JSON.stringify(wire)}`;
      assert.equal(error, undefined, told);
      assert.deepEqual(
        { force: false, ...JSON.parse(JSON.stringify(data)) },
        { force: false, ...(wire as object) },
        told,
      );
    }
    assert.equal(
      CancellationTokenSource.open.size,
      sources,
      'sources of cancellation that nobody disposed of',
    );
    const count = (method: string): number => library.sent.filter(([each]) => each === method).length;
    assert.deepEqual(new Set(library.sent.map(([method]) => method)), new Set(Object.keys(MESSAGES)));
    assert.equal(count(INLINE_COMPLETION), 2 * positions().length * (TEXTS.length + 1));
    assert.equal(count('flashline/generate'), 2 * TEXTS.length);
  });

  it('have settings that the server takes as they are, whatever a person sets', async () => {
    const sent = new Set<string>();
    for (const [name, value] of settings()) {
      const parsed = parseSettings((each) =>
        each === name ? value : each === 'flashline.remote.url' ? 'http://gpu:8000' : undefined,
      );
      const remote = new RemoteUse({
        configuration: { settings: parsed, setRemote: assert.fail },
        state: { get: () => ['http://gpu:8000'] } as unknown as vscode.Memento,
        secrets: SECRETS,
        onChange: () => undefined,
      });
      await remote.update();
      const wire = JSON.stringify({ ...remote.settings, enable: parsed.enable });
      assert.deepEqual(
        JSON.parse(JSON.stringify(serverSettings(JSON.parse(wire)))),
        JSON.parse(wire),
        `${name} ${wire}`,
      );
      remote.dispose();
      sent.add(wire);
    }
    assert.ok(sent.size > 40, String(sent.size));
    assert.ok([...sent].some((wire) => wire.includes('"remoteKey":"hf_a"')));
  });
});
