// The composition root of the extension: builds every part, connects them, and gives tests a small window into them.
// The parts know each other only by what they are given here.
import { basename } from 'node:path/posix';
import * as vscode from 'vscode';
import type { ExtensionContext, LogOutputChannel } from 'vscode';
import { DailyAcceptance } from './ghostText/acceptedByDay';
import { Acceptance, MissingImports } from './ghostText/acceptance';
import { FlashlineClient } from './connection/client';
import { acceptsBaseModel, baseModel, type InstructParts, GenerationRun } from './instruct/baseModel';
import { EditView } from './instruct/edit/editView';
import { fixAction, SelectionEdit } from './instruct/edit/selectionEdit';
import { PendingEdits } from './instruct/edit/pendingEdits';
import { commands } from './commands';
import { Configuration } from './configuration';
import { ALL_OFF } from '../server/rules/serverSettings';
import { EditorGate, SCHEMES, Dismissals, Snooze } from './ghostText/gate';
import { IgnoreFiles } from './connection/ignoreFiles';
import { GrowingSuggestions } from './ghostText/growingSuggestions';
import { NeededDefinitions } from './ghostText/neededDefinitions';
import { CHAT_VENDOR, ChatModels } from './instruct/chatModels';
import { CursorRest } from './ghostText/cursorRest';
import { ACCEPTED_COMMAND, middleware, type Answer, SuggestionTimes } from './ghostText/middleware';
import { Downloads, StoredToken } from './models/downloads';
import { PairSwitch } from './models/chooseModel';
import { isOwnRequest } from './panel/page';
import { StatisticsPanel } from './panel/statisticsPanel';
import { RemoteUse } from './connection/remoteUse';
import { MachineCheck } from './models/machineCheck';
import { ServerDocuments } from './connection/serverDocuments';
import { StatusBar } from './status/statusBar';
import { OtherTools } from './connection/otherTools';
import { openWalkthroughOnce, tickFirstStep } from './status/walkthrough';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

/** What activate() returns: read-only, for the tests that run in VS Code. */
export type FlashlineApi = ReturnType<typeof activate>;

let stop: (() => Promise<void>) | undefined;

export function activate(context: vscode.ExtensionContext) {
  const log = vscode.window.createOutputChannel('Flashline', { log: true });
  const configuration = new Configuration();
  const acceptance = new Acceptance(context.globalState);
  const dismissals = new Dismissals(acceptance);
  const statusBar = new StatusBar();
  const showPause = (): void => {
    const { document } = vscode.window.activeTextEditor ?? {};
    const file = document && basename(document.uri.path);
    statusBar.update({ pause: gate.activeEditor(), trigger: configuration.settings.trigger, file });
  };
  /** What the server is told of the window follows what the window is set to. */
  const update = (): void => {
    showPause();
    client.sendSettings();
    documents.update();
    updateChats();
  };
  /** The models that a chat can use depend on the settings, the model in use and the downloads. */
  const updateChats = (): void => {
    const { server } = configuration.settings;
    chats.update([
      server.target,
      server.drafter,
      statusBar.view.server?.model?.target,
      remote.settings.remote,
    ]);
  };
  const times = new SuggestionTimes();
  const snooze = new Snooze(() => {
    update();
    documents.forgetClosed();
  });
  const requested = (document: vscode.TextDocument, position: vscode.Position): void => {
    if (configuration.settings.server.useOpenFiles) definitions.requested(document, position);
  };
  const ignoreFiles = new IgnoreFiles();
  const gate = new EditorGate(configuration, snooze, ignoreFiles);
  const answered = new vscode.EventEmitter<Answer>();
  const client: FlashlineClient = new FlashlineClient({
    program: {
      module: context.asAbsolutePath('dist/server.js'),
      version: String((context.extension.packageJSON as { version?: unknown }).version),
      environment: process.env,
    },
    log,
    settings: () => configuration.settings,
    serverSettings: () => {
      const enable = gate.off() === undefined ? configuration.settings.enable : ALL_OFF;
      return { ...remote.settings, enable };
    },
    middleware: () => inEditor,
    onConnection: (connection) => {
      statusBar.update(connection === 'running' ? { connection } : { connection, server: undefined });
      if (connection !== 'running') {
        updateChats();
        return void otherTools.heard(undefined);
      }
      definitions.reset();
      update();
    },
    onStatus: (server) => {
      if (server.model) times.of(server.model);
      statusBar.update({ server, suggestionMs: times.typical });
      updateChats();
      void pairSwitch.heard(server);
    },
    onStats: (row) => {
      if (isOwnRequest(row)) void vscode.commands.executeCommand('setContext', 'flashline.hasRequest', true);
      panel.add(row);
      const lastRow = isOwnRequest(row) ? row : statusBar.view.lastRow;
      statusBar.update({ lastRow, acceptance: acceptance.counts });
    },
    onServing: ({ address }) => {
      otherTools.heard(address);
    },
  });
  const documents = new ServerDocuments(gate, client);
  const suggestions = new GrowingSuggestions(client, acceptance, log);
  const inEditor = middleware(gate, documents, suggestions, acceptance, dismissals, {
    requested,
    shown: (milliseconds) => {
      times.add(milliseconds);
      statusBar.update({ suggestionMs: times.typical });
    },
    answered: (each) => answered.fire(each),
  });
  const remote = new RemoteUse({
    configuration,
    state: context.globalState,
    secrets: context.secrets,
    onChange: update,
  });
  const chats: ChatModels = new ChatModels(
    client,
    () => configuration.settings.offerChatModels && vscode.workspace.isTrusted,
  );
  const definitions = new NeededDefinitions(gate, client, log);
  const imports = new MissingImports(log);
  const otherTools = new OtherTools(client);
  const daily = new DailyAcceptance(context.globalState);
  const panel = new StatisticsPanel(context.extensionUri, client, log, daily);
  const machineCheck = new MachineCheck(context.asAbsolutePath('dist/cli.js'));
  const mayInstruct: InstructParts['mayInstruct'] = async (purpose) => {
    const base = baseModel(statusBar.view.server, configuration.settings);
    return base === undefined || (await acceptsBaseModel(base, context.globalState, purpose));
  };
  const run = new GenerationRun(log);
  const instruct = { client, gate, documents, run, mayInstruct };
  const pending = new PendingEdits(context.workspaceState);
  const edit = new SelectionEdit({ ...instruct, configuration, pending });
  const token = new StoredToken(context.secrets);
  const downloads = new Downloads(client, token, (download) => {
    statusBar.update({ download });
    if (download === undefined) chats.changed();
  });
  const pairSwitch = new PairSwitch(configuration);
  statusBar.update({ acceptance: acceptance.counts });
  showPause();
  const walkthrough = `${context.extension.id}#start`;

  void removeStored(context, log);
  let { shareServer: shared } = configuration.settings;
  context.subscriptions.push(
    log,
    configuration,
    answered,
    imports,
    acceptance,
    snooze,
    panel,
    statusBar,
    openWalkthroughOnce(context.globalState, walkthrough),
    ...[pending, new EditView(pending), fixAction(gate, edit)],
    ...[vscode.lm.registerLanguageModelChatProvider(CHAT_VENDOR, chats), chats, remote],
    configuration.onDidChange(({ shareServer }) => {
      showPause();
      documents.forgetClosed();
      void remote.update().then(() => remote.offer());
      if (shareServer !== shared) void client.reconnect();
      shared = shareServer;
    }),
    downloads,
    machineCheck,
    watchIgnoreFiles(() => {
      ignoreFiles.forget();
      update();
      documents.forgetClosed();
    }),
    new CursorRest(gate, client, requested),
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      configuration.reload();
    }),
    vscode.workspace.onDidChangeTextDocument((event) => {
      definitions.changed(event.document.uri);
      // Consoles and logs change without a key press.
      if (!SCHEMES.includes(event.document.uri.scheme)) return;
      const { acceptedParts } = acceptance.counts;
      acceptance.change(event);
      if (acceptance.counts.acceptedParts > acceptedParts) tickFirstStep();
    }),
    vscode.window.onDidChangeActiveTextEditor(showPause),
    vscode.window.onDidChangeTextEditorSelection(({ selections }) => {
      if (selections.length > 1 !== (statusBar.view.pause?.reason === 'multiCursor')) showPause();
    }),
    vscode.commands.registerCommand(ACCEPTED_COMMAND, (id: number) => {
      const accepted = acceptance.accept(id);
      daily.add(vscode.window.activeTextEditor?.document.languageId ?? 'plaintext');
      if (accepted && configuration.settings.addMissingImports) imports.accepted(accepted);
      tickFirstStep();
      statusBar.update({ acceptance: acceptance.counts });
    }),
    ...Object.entries(
      commands({
        walkthrough,
        documentation: vscode.Uri.joinPath(context.extensionUri, 'docs/README.md'),
        examples: vscode.Uri.joinPath(context.extensionUri, 'media/walkthrough'),
        ...{ instruct, pending, edit },
        ...{ configuration, client, panel, statusBar, snooze, downloads, pairSwitch, token, log },
        ...{ remote, otherTools, machineCheck, dismissals },
      }),
    ).map(([id, handler]) => vscode.commands.registerCommand(id, handler)),
  );

  const start = async (): Promise<void> => {
    await remote.update();
    // Not awaited: without an answer, Flashline does what it does without a remote engine.
    void remote.offer();
    await client.start();
  };
  stop = () => client.stop();
  return {
    /** Resolves when the first start has succeeded or failed. Not awaited here: activation must not wait for a server. */
    ready: start(),
    connection: () => statusBar.view.connection,
    serverProcessId: () => client.serverProcessId,
    serverStatus: () => statusBar.view.server,
    /** Of the server for other tools. */
    servingAddress: () => otherTools.address,
    status: () => statusBar.rendered,
    /** All rows since activation, or those of the server's history once the panel has been open. */
    rows: () => panel.rows,
    acceptance: () => acceptance.counts,
    /** Each answer to VS Code's requests for suggestions. */
    onAnswer: answered.event,
    /** Whether the server still works on suggestions. */
    isAsking: () => suggestions.isAsking,
  };
}

function watchIgnoreFiles(onChange: () => void): vscode.Disposable {
  const watcher = vscode.workspace.createFileSystemWatcher('**/{.flashlineignore,.gitignore}');
  watcher.onDidChange(onChange);
  watcher.onDidCreate(onChange);
  watcher.onDidDelete(onChange);
  return watcher;
}

/** Waits for the server to end, which disposing of the client would not do. */
export async function deactivate(): Promise<void> {
  await stop?.();
}

// What earlier versions stored and nothing uses any more: text that the models had read, which is the person's code, and
// counts of what was kept by language.

type Storage = Pick<ExtensionContext, 'globalState' | 'globalStorageUri'>;

/** Deletes it. Never rejects. */
export async function removeStored(
  { globalState, globalStorageUri }: Storage,
  log: Pick<LogOutputChannel, 'error'>,
): Promise<void> {
  try {
    await rm(join(globalStorageUri.fsPath, 'texts'), { recursive: true, force: true });
    await globalState.update('flashline.keepHabits', undefined);
  } catch (error) {
    log.error('Deleting what an earlier version stored failed.', error);
  }
}
