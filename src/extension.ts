// Composition root of the extension: builds its parts, connects them by events, and disposes of them.
import * as vscode from 'vscode';
import { basename } from 'node:path/posix';
import type { ServingParams, StatsRow, StatusParams } from '../server/protocol/messages';
import { ALL_OFF } from '../server/rules/enabledLanguages';
import { commands } from './commands';
import { Configuration } from './configuration';
import { FlashlineClient, type ClientOptions, type ConnectionState } from './connection/client';
import { IgnoreFiles } from './gate/ignoreFiles';
import { OtherTools } from './connection/otherTools';
import { RemoteConsent } from './connection/remoteConsent';
import { ServerDocuments } from './connection/serverDocuments';
import { Acceptance } from './ghostText/acceptance';
import { MissingImports } from './ghostText/missingImports';
import { CursorRest } from './ghostText/cursorRest';
import { Dismissals } from './ghostText/dismissals';
import { EditorGate, SCHEMES } from './gate/gate';
import { Snooze } from './gate/snooze';
import { GrowingSuggestions } from './ghostText/growingSuggestions';
import { ACCEPTED_COMMAND, InlineCompletionProvider } from './ghostText/inlineCompletionProvider';
import { NeededDefinitions } from './ghostText/neededDefinitions';
import { SuggestionTimes } from './ghostText/suggestionTimes';
import { acceptsBaseModel, baseModel } from './instruct/baseModel';
import type { InstructParts } from './instruct/instructParts';
import { GenerationRun } from './instruct/generationRun';
import { CHAT_VENDOR, ChatModels } from './instruct/chatModels';
import { EditView } from './instruct/edit/editView';
import { PendingEdits } from './instruct/edit/pendingEdits';
import { fixAction } from './instruct/edit/fixAction';
import { SelectionEdit } from './instruct/edit/selectionEdit';
import { PairSwitch } from './models/pairSwitch';
import { Downloads } from './models/downloads';
import { StoredToken } from './models/storedToken';
import { MachineCheck } from './models/machineCheck';
import { NextEdit } from './nextEdit/nextEdit';
import { isUserRequest } from './panel/sections';
import { StatisticsPanel } from './panel/statisticsPanel';
import { StatusBar } from './status/statusBar';
import { Walkthrough } from './status/walkthrough';

/** Read-only view of the extension, for tests that run in VS Code. */
export type FlashlineApi = ReturnType<typeof activate>;

class Extension implements vscode.Disposable {
  readonly #log = vscode.window.createOutputChannel('Flashline', { log: true });
  readonly #configuration = new Configuration();
  readonly #statusBar = new StatusBar();
  readonly #ignoreFiles = new IgnoreFiles();
  readonly #snooze = new Snooze(() => {
    this.#applyRules();
  });
  readonly #gate = new EditorGate(this.#configuration, this.#snooze, this.#ignoreFiles);
  readonly #imports = new MissingImports(this.#log);
  readonly #pairSwitch = new PairSwitch(this.#configuration);
  readonly #times = new SuggestionTimes();
  readonly #walkthrough: Walkthrough;
  readonly #acceptance: Acceptance;
  readonly #remote: RemoteConsent;
  readonly #client: FlashlineClient;
  readonly #documents: ServerDocuments;
  readonly #definitions: NeededDefinitions;
  readonly #suggestions: GrowingSuggestions;
  readonly #nextEdit: NextEdit;
  readonly #provider: InlineCompletionProvider;
  readonly #chats: ChatModels;
  readonly #otherTools: OtherTools;
  readonly #panel: StatisticsPanel;
  readonly #owned: vscode.Disposable;

  constructor(private readonly context: vscode.ExtensionContext) {
    const { globalState, secrets, extensionUri } = context;
    this.#walkthrough = new Walkthrough(`${context.extension.id}#start`, globalState);
    this.#acceptance = new Acceptance(globalState);
    this.#remote = new RemoteConsent({
      configuration: this.#configuration,
      state: globalState,
      secrets,
      onChange: () => {
        this.#update();
      },
    });
    this.#client = new FlashlineClient(this.#clientOptions());
    this.#documents = new ServerDocuments(this.#gate, this.#client);
    this.#definitions = new NeededDefinitions(this.#gate, this.#client, this.#log);
    this.#suggestions = new GrowingSuggestions(this.#client, this.#acceptance, this.#log);
    const dismissals = new Dismissals(this.#acceptance);
    this.#nextEdit = this.#newNextEdit();
    this.#provider = this.#newProvider(dismissals);
    this.#chats = new ChatModels(
      this.#client,
      () => this.#configuration.settings.offerChatModels && vscode.workspace.isTrusted,
    );
    this.#otherTools = new OtherTools(this.#client);
    this.#panel = new StatisticsPanel(extensionUri, this.#client, this.#log, this.#acceptance);
    this.#statusBar.update({ acceptance: this.#acceptance.counts });
    this.#showActiveEditor();
    this.#owned = vscode.Disposable.from(
      this.#configuration,
      this.#statusBar,
      this.#snooze,
      this.#imports,
      this.#acceptance,
      this.#remote,
      this.#nextEdit,
      this.#provider,
      this.#chats,
      this.#panel,
      vscode.lm.registerLanguageModelChatProvider(CHAT_VENDOR, this.#chats),
      new CursorRest(this.#gate, this.#client, (document, position) => {
        this.#requestDefinitions(document, position);
      }),
      this.#walkthrough.openOnce(),
      ...this.#registerListeners(),
      ...this.#registerCommands(dismissals),
      this.#log,
    );
  }

  /** Resolves once the first start of the server has succeeded or failed. */
  async start(): Promise<void> {
    await this.#remote.update();
    // Not awaited: until the user has answered, Flashline works without the remote engine.
    void this.#remote.offer();
    await this.#client.start();
  }

  /** Resolves once the connection to the server has closed. A server that windows share can outlive it. */
  stop(): Promise<void> {
    return this.#client.stop();
  }

  dispose(): void {
    this.#owned.dispose();
  }

  /** State that tests observe. */
  get observed() {
    return {
      connection: () => this.#statusBar.view.connection,
      serverProcessId: () => this.#client.serverProcessId,
      serverStatus: () => this.#statusBar.view.server,
      /** Address of the server for other tools. */
      servingAddress: () => this.#otherTools.address,
      status: () => this.#statusBar.rendered,
      /** Last rows since activation, oldest first; earlier ones of the server too once the panel has been open. */
      rows: () => this.#panel.rows,
      acceptance: () => this.#acceptance.counts,
      onAnswer: this.#provider.onAnswer,
      /** Returns whether the server is still working on suggestions. */
      isRequesting: () => this.#suggestions.isRequesting,
    };
  }

  #clientOptions(): ClientOptions {
    const { extension } = this.context;
    return {
      program: {
        module: this.context.asAbsolutePath('dist/server.js'),
        version: String((extension.packageJSON as { version?: unknown }).version),
        environment: process.env,
      },
      log: this.#log,
      sharesServer: () => this.#configuration.settings.shareServer,
      serverSettings: () => {
        const { enable } = this.#configuration.settings;
        return { ...this.#remote.settings, enable: this.#gate.whyOff() === undefined ? enable : ALL_OFF };
      },
      middleware: () => ({
        ...this.#documents.middleware,
        provideInlineCompletionItems: (document, position, context, token) =>
          this.#provider.provideInlineCompletionItems(document, position, context, token),
      }),
      onConnection: (state) => {
        this.#onConnection(state);
      },
      onStatus: (status) => {
        this.#onStatus(status);
      },
      onStats: (row) => {
        this.#onStats(row);
      },
      onServing: ({ address }: ServingParams) => {
        this.#otherTools.onAddress(address);
      },
    };
  }

  #newProvider(dismissals: Dismissals): InlineCompletionProvider {
    return new InlineCompletionProvider({
      gate: this.#gate,
      suggestions: this.#suggestions,
      acceptance: this.#acceptance,
      dismissals,
      nextEdit: this.#nextEdit,
      onRequest: (document, position) => {
        this.#requestDefinitions(document, position);
      },
      onShown: (durationMs) => {
        this.#times.add(durationMs);
        this.#statusBar.update({ suggestionMs: this.#times.medianMs });
      },
    });
  }

  #newNextEdit(): NextEdit {
    return new NextEdit({
      configuration: this.#configuration,
      client: this.#client,
      gate: this.#gate,
      log: this.#log,
      problem: () => this.#statusBar.view.server?.nextEdit?.message,
      ghostText: {
        isRequesting: () => this.#suggestions.isRequesting,
        isOffered: (document, position) => this.#acceptance.isOffered(document, position),
      },
      onState: (nextEdit) => {
        this.#statusBar.update({ nextEdit });
      },
    });
  }

  #instructParts(): InstructParts {
    return {
      client: this.#client,
      gate: this.#gate,
      documents: this.#documents,
      run: new GenerationRun(this.#log),
      mayInstruct: async (purpose) => {
        const base = baseModel(this.#statusBar.view.server, this.#configuration.settings);
        return base === undefined || (await acceptsBaseModel(base, this.context.globalState, purpose));
      },
    };
  }

  /** Builds the parts that only commands use, and registers the commands. */
  #registerCommands(dismissals: Dismissals): vscode.Disposable[] {
    const { extensionUri, secrets, workspaceState } = this.context;
    const instruct = this.#instructParts();
    const pending = new PendingEdits(workspaceState);
    const edit = new SelectionEdit({ ...instruct, configuration: this.#configuration, pending });
    const token = new StoredToken(secrets);
    const downloads = new Downloads(this.#client, token, (download) => {
      this.#statusBar.update({ download });
      if (download === undefined) this.#chats.changed();
    });
    const machineCheck = new MachineCheck(this.context.asAbsolutePath('dist/cli.js'));
    const handlers = commands({
      walkthrough: this.#walkthrough,
      documentation: vscode.Uri.joinPath(extensionUri, 'docs/README.md'),
      examples: vscode.Uri.joinPath(extensionUri, 'media/walkthrough'),
      instruct,
      pending,
      edit,
      token,
      downloads,
      machineCheck,
      dismissals,
      configuration: this.#configuration,
      client: this.#client,
      panel: this.#panel,
      statusBar: this.#statusBar,
      nextEdit: this.#nextEdit,
      snooze: this.#snooze,
      pairSwitch: this.#pairSwitch,
      remote: this.#remote,
      otherTools: this.#otherTools,
      log: this.#log,
    });
    return [
      pending,
      new EditView(pending),
      fixAction(this.#gate, edit),
      downloads,
      machineCheck,
      ...Object.entries(handlers).map(([id, run]) => vscode.commands.registerCommand(id, run)),
    ];
  }

  #registerListeners(): vscode.Disposable[] {
    let { shareServer } = this.#configuration.settings;
    return [
      this.#configuration.onDidChange((settings) => {
        this.#definitions.rulesChanged();
        this.#showActiveEditor();
        this.#documents.forgetClosed();
        void this.#remote.update().then(() => this.#remote.offer());
        if (settings.shareServer !== shareServer) void this.#client.reconnect();
        shareServer = settings.shareServer;
      }),
      watchIgnoreFiles(() => {
        this.#ignoreFiles.forget();
        this.#definitions.rulesChanged();
        this.#applyRules();
      }),
      watchDeletions((uri) => {
        this.#definitions.deleted(uri);
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => {
        this.#configuration.reload();
      }),
      vscode.workspace.onDidChangeTextDocument((event) => {
        this.#onTextChange(event);
      }),
      vscode.window.onDidChangeActiveTextEditor(() => {
        this.#showActiveEditor();
      }),
      vscode.window.onDidChangeTextEditorSelection(({ selections }) => {
        const showsSeveral = this.#statusBar.view.pause?.reason === 'multiCursor';
        if (selections.length > 1 !== showsSeveral) this.#showActiveEditor();
      }),
      vscode.commands.registerCommand(ACCEPTED_COMMAND, (offer: number, languageId: string) => {
        this.#onAccepted(offer, languageId);
      }),
    ];
  }

  #onConnection(connection: ConnectionState): void {
    this.#statusBar.update(connection === 'running' ? { connection } : { connection, server: undefined });
    if (connection === 'running') {
      this.#definitions.reset();
      this.#update();
    } else {
      this.#updateChats();
      this.#otherTools.onAddress(undefined);
    }
  }

  #onStatus(server: StatusParams): void {
    if (server.model) this.#times.useModel(server.model);
    this.#statusBar.update({ server, suggestionMs: this.#times.medianMs, speed: this.#times.speed });
    this.#updateChats();
    void this.#pairSwitch.onStatus(server);
  }

  #onStats(row: StatsRow): void {
    const isByUser = isUserRequest(row);
    if (isByUser) void vscode.commands.executeCommand('setContext', 'flashline.hasRequest', true);
    this.#panel.add(row);
    if (isByUser) this.#times.addSpeed(row);
    const lastRow = isByUser ? row : this.#statusBar.view.lastRow;
    this.#statusBar.update({ lastRow, speed: this.#times.speed, acceptance: this.#acceptance.counts });
  }

  #onTextChange(event: vscode.TextDocumentChangeEvent): void {
    this.#definitions.changed(event.document.uri);
    // Consoles and logs change without a key press.
    if (!SCHEMES.includes(event.document.uri.scheme)) return;
    if (this.#acceptance.change(event)) this.#walkthrough.tickFirstStep();
  }

  #onAccepted(offer: number, languageId: string): void {
    const accepted = this.#acceptance.accept(offer, languageId);
    if (accepted && this.#configuration.settings.addMissingImports) this.#imports.onAccepted(accepted);
    this.#walkthrough.tickFirstStep();
    this.#statusBar.update({ acceptance: this.#acceptance.counts });
  }

  #requestDefinitions(document: vscode.TextDocument, position: vscode.Position): void {
    if (this.#configuration.settings.server.useOpenFiles) this.#definitions.requested(document, position);
  }

  /** Applies a change of the rules by which documents are hidden from the server, a snooze among them. */
  #applyRules(): void {
    this.#update();
    this.#documents.forgetClosed();
  }

  /** Applies the settings in effect to the status bar, the server, next edits and the chat models. */
  #update(): void {
    this.#showActiveEditor();
    this.#client.sendSettings();
    this.#documents.update();
    this.#nextEdit.update();
    this.#updateChats();
  }

  /** Shows in the status bar whether suggestions appear in the active editor. */
  #showActiveEditor(): void {
    const { document } = vscode.window.activeTextEditor ?? {};
    const file = document && basename(document.uri.path);
    const { trigger } = this.#configuration.settings;
    this.#statusBar.update({ pause: this.#gate.activeEditorPause(), trigger, file });
  }

  /** Makes VS Code list the chat models again if the settings, the model in use or the remote engine have changed. */
  #updateChats(): void {
    const { target, drafter } = this.#configuration.settings.server;
    const inUse = this.#statusBar.view.server?.model?.target;
    this.#chats.update([target, drafter, inUse, this.#remote.settings.remote]);
  }
}

/** VS Code calls `activate` and `deactivate` as functions of this module, so the instance they share lives in it. */
let extension: Extension | undefined;

export function activate(context: vscode.ExtensionContext) {
  extension = new Extension(context);
  context.subscriptions.push(extension);
  // The start is not awaited: activation must not wait for a server.
  return { ready: extension.start(), ...extension.observed };
}

/** Waits until the connection to the server has closed; disposing of the extension does not. */
export async function deactivate(): Promise<void> {
  await extension?.stop();
}

function watchIgnoreFiles(onChange: () => void): vscode.Disposable {
  const watcher = vscode.workspace.createFileSystemWatcher('**/{.flashlineignore,.gitignore}');
  watcher.onDidChange(onChange);
  watcher.onDidCreate(onChange);
  watcher.onDidDelete(onChange);
  return watcher;
}

function watchDeletions(onDeleted: (uri: vscode.Uri) => void): vscode.Disposable {
  const watcher = vscode.workspace.createFileSystemWatcher('**/*', true, true, false);
  watcher.onDidDelete(onDeleted);
  return watcher;
}
