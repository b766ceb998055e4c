// Connects the parts of the extension by their events and those of VS Code.
import * as vscode from 'vscode';
import { basename } from 'node:path/posix';
import type { StatsRow, StatusParams } from '../server/protocol/messages';
import { commands } from './commands';
import type { ConnectionState } from './connection/client';
import { SCHEMES } from './gate/gate';
import { CursorRest } from './ghostText/cursorRest';
import { ACCEPTED_COMMAND } from './ghostText/inlineCompletionProvider';
import { CHAT_VENDOR } from './instruct/chatModels';
import { EditView } from './instruct/edit/editView';
import { fixAction } from './instruct/edit/fixAction';
import { isUserRequest } from './panel/rows';
import { Parts } from './parts';

/** Read-only view of the extension, for tests that run in VS Code. */
export type FlashlineApi = ReturnType<typeof activate>;

class Extension implements vscode.Disposable {
  readonly #owned: vscode.Disposable;

  constructor(private readonly parts: Parts) {
    const { acceptance, chats, client, documents, edit, gate, nextEdit } = parts;
    const { pending, provider, statusBar, walkthrough } = parts;
    client.use({
      ...documents.middleware,
      provideInlineCompletionItems: (document, position, context, token) =>
        provider.provideInlineCompletionItems(document, position, context, token),
    });
    statusBar.update({ acceptance: acceptance.counter.counts });
    this.#showActiveEditor();
    this.#owned = vscode.Disposable.from(
      vscode.lm.registerLanguageModelChatProvider(CHAT_VENDOR, chats),
      new CursorRest(gate, client, (document, position) => {
        this.#requestDefinitions(document, position);
      }),
      walkthrough.openOnce(),
      ...this.#listenToParts(),
      ...this.#listenToEditor(),
      new EditView(pending),
      fixAction(gate, edit),
      ...Object.entries(commands(parts)).map(([id, run]) => vscode.commands.registerCommand(id, run)),
      parts,
    );
    nextEdit.update();
  }

  /** Resolves once the first start of the server has succeeded or failed. */
  async start(): Promise<void> {
    const { client, remote } = this.parts;
    await remote.update();
    // Not awaited: until the user has answered, Flashline works without the remote engine.
    void remote.offer();
    await client.start();
  }

  /** Resolves once the connection to the server has closed. A server that windows share can outlive it. */
  stop(): Promise<void> {
    return this.parts.client.stop();
  }

  dispose(): void {
    this.#owned.dispose();
  }

  /** State that tests observe. */
  get observed() {
    const { acceptance, client, otherTools, panel, provider, statusBar, suggestions } = this.parts;
    return {
      connection: () => statusBar.view.connection,
      serverProcessId: () => client.serverProcessId,
      serverStatus: () => statusBar.view.server,
      /** Address of the server for other tools. */
      servingAddress: () => otherTools.address,
      status: () => statusBar.rendered,
      /** Last rows since activation, oldest first; once the panel has been open, earlier rows of the server too. */
      rows: () => panel.rows,
      acceptance: () => acceptance.counter.counts,
      onAnswer: provider.onAnswer,
      /** Returns whether the server is still working on suggestions. */
      isRequesting: () => suggestions.isRequesting,
    };
  }

  #listenToParts(): vscode.Disposable[] {
    const { chats, client, configuration, downloads, nextEdit } = this.parts;
    const { otherTools, provider, remote, snooze, statusBar, times } = this.parts;
    let { shareServer } = configuration.settings;
    return [
      configuration.onDidChange((settings) => {
        this.#onSettings();
        if (settings.shareServer !== shareServer) void client.reconnect();
        shareServer = settings.shareServer;
      }),
      snooze.onDidChange(() => {
        this.#applyRules();
      }),
      remote.onDidChange(() => {
        this.#update();
      }),
      client.onDidChangeState((state) => {
        this.#onConnection(state);
      }),
      client.onDidReceiveStatus((status) => {
        this.#onStatus(status);
      }),
      client.onDidReceiveStats((row) => {
        this.#onStats(row);
      }),
      client.onDidReceiveServing(({ address }) => {
        otherTools.onAddress(address);
      }),
      provider.onRequest(({ document, position }) => {
        this.#requestDefinitions(document, position);
      }),
      provider.onShown((durationMs) => {
        times.add(durationMs);
        statusBar.update({ suggestionMs: times.medianMs });
      }),
      nextEdit.onDidChangeState((sentence) => {
        statusBar.update({ nextEdit: sentence });
      }),
      downloads.onDidChange((download) => {
        statusBar.update({ download });
        if (download === undefined) chats.listAgain();
      }),
    ];
  }

  #listenToEditor(): vscode.Disposable[] {
    const { configuration, definitions, ignoreFiles, statusBar } = this.parts;
    return [
      watchIgnoreFiles(() => {
        ignoreFiles.forget();
        definitions.rulesChanged();
        this.#applyRules();
      }),
      watchDeletions((uri) => {
        definitions.deleted(uri);
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => {
        configuration.reload();
      }),
      vscode.workspace.onDidChangeTextDocument((event) => {
        this.#onTextChange(event);
      }),
      vscode.window.onDidChangeActiveTextEditor(() => {
        this.#showActiveEditor();
      }),
      vscode.window.onDidChangeTextEditorSelection(({ selections }) => {
        const showsSeveral = statusBar.view.pause?.reason === 'multiCursor';
        if (selections.length > 1 !== showsSeveral) this.#showActiveEditor();
      }),
      vscode.commands.registerCommand(ACCEPTED_COMMAND, (offer: number, languageId: string) => {
        this.#onAccepted(offer, languageId);
      }),
    ];
  }

  #onSettings(): void {
    const { definitions, documents, remote } = this.parts;
    definitions.rulesChanged();
    this.#showActiveEditor();
    documents.forgetClosed();
    void remote.update().then(() => remote.offer());
  }

  #onConnection(connection: ConnectionState): void {
    const { definitions, otherTools, statusBar } = this.parts;
    statusBar.update(connection === 'running' ? { connection } : { connection, server: undefined });
    if (connection === 'running') {
      definitions.reset();
      this.#update();
    } else {
      this.#updateChats();
      otherTools.onAddress(undefined);
    }
  }

  #onStatus(server: StatusParams): void {
    const { pairSwitch, statusBar, times } = this.parts;
    if (server.model) times.useModel(server.model);
    statusBar.update({ server, suggestionMs: times.medianMs, speed: times.speed });
    this.#updateChats();
    void pairSwitch.onStatus(server);
  }

  #onStats(row: StatsRow): void {
    const { acceptance, panel, statusBar, times } = this.parts;
    const isByUser = isUserRequest(row);
    if (isByUser) void vscode.commands.executeCommand('setContext', 'flashline.hasRequest', true);
    panel.add(row);
    if (isByUser) times.addSpeed(row);
    const lastRow = row.kind === 'inline' ? row : statusBar.view.lastRow;
    statusBar.update({ lastRow, speed: times.speed, acceptance: acceptance.counter.counts });
  }

  #onTextChange(event: vscode.TextDocumentChangeEvent): void {
    const { acceptance, definitions, walkthrough } = this.parts;
    definitions.changed(event.document.uri);
    // Consoles and logs change without a key press.
    if (!SCHEMES.includes(event.document.uri.scheme)) return;
    if (acceptance.change(event)) walkthrough.tickFirstStep();
  }

  #onAccepted(offer: number, languageId: string): void {
    const { acceptance, configuration, imports, statusBar, walkthrough } = this.parts;
    const accepted = acceptance.accept(offer, languageId);
    if (accepted && configuration.settings.addMissingImports) imports.onAccepted(accepted);
    walkthrough.tickFirstStep();
    statusBar.update({ acceptance: acceptance.counter.counts });
  }

  #requestDefinitions(document: vscode.TextDocument, position: vscode.Position): void {
    const { configuration, definitions } = this.parts;
    if (configuration.settings.server.useOpenFiles) definitions.requested(document, position);
  }

  /** Applies a change of the rules by which documents are hidden from the server, a snooze among them. */
  #applyRules(): void {
    this.#update();
    this.parts.documents.forgetClosed();
  }

  /** Applies the settings in effect to the status bar, the server, next edits and the chat models. */
  #update(): void {
    const { client, documents, nextEdit } = this.parts;
    this.#showActiveEditor();
    client.sendSettings();
    documents.update();
    nextEdit.update();
    this.#updateChats();
  }

  /** Shows in the status bar whether suggestions appear in the active editor. */
  #showActiveEditor(): void {
    const { configuration, gate, statusBar } = this.parts;
    const { document } = vscode.window.activeTextEditor ?? {};
    const file = document && basename(document.uri.path);
    const { trigger } = configuration.settings;
    statusBar.update({ pause: gate.activeEditorPause(), trigger, file });
  }

  /** Makes VS Code list the chat models again if the settings, the model in use or the remote engine have changed. */
  #updateChats(): void {
    const { chats, configuration, remote, statusBar } = this.parts;
    const { target, drafter } = configuration.settings.server;
    const inUse = statusBar.view.server?.model?.target;
    chats.update([target, drafter, inUse, remote.settings.remote]);
  }
}

/** VS Code calls `activate` and `deactivate` as functions of this module, so the instance they share lives in it. */
let extension: Extension | undefined;

export function activate(context: vscode.ExtensionContext) {
  extension = new Extension(new Parts(context));
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
