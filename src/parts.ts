// Creates the parts of the extension. Each part gets the parts that it uses, and reports to others by events, which
// extension.ts connects.
import * as vscode from 'vscode';
import { ALL_OFF } from '../server/rules/enabledLanguages';
import { Configuration } from './configuration';
import { FlashlineClient } from './connection/client';
import { OtherTools } from './connection/otherTools';
import { RemoteConsent } from './connection/remoteConsent';
import { ServerDocuments } from './connection/serverDocuments';
import { EditorGate } from './gate/gate';
import { IgnoreFiles } from './gate/ignoreFiles';
import { Snooze } from './gate/snooze';
import { Acceptance } from './ghostText/acceptance';
import { Dismissals } from './ghostText/dismissals';
import { GrowingSuggestions } from './ghostText/growingSuggestions';
import { InlineCompletionProvider } from './ghostText/inlineCompletionProvider';
import { MissingImports } from './ghostText/missingImports';
import { NeededDefinitions } from './ghostText/neededDefinitions';
import { acceptsBaseModel, baseModel } from './instruct/baseModel';
import { ChatModels } from './instruct/chatModels';
import { PendingEdits } from './instruct/edit/pendingEdits';
import { SelectionEdit } from './instruct/edit/selectionEdit';
import { GenerationRun } from './instruct/generationRun';
import type { InstructParts } from './instruct/instructParts';
import { Downloads } from './models/downloads';
import { MachineCheck } from './models/machineCheck';
import { PairSwitch } from './models/pairSwitch';
import { StoredToken } from './models/storedToken';
import { NextEdit } from './nextEdit/nextEdit';
import { StatisticsPanel } from './panel/statisticsPanel';
import { StatusBar } from './status/statusBar';
import { SuggestionTimes } from './status/suggestionTimes';
import { Walkthrough } from './status/walkthrough';

export class Parts implements vscode.Disposable {
  readonly log = vscode.window.createOutputChannel('Flashline', { log: true });
  readonly configuration = new Configuration();
  readonly statusBar = new StatusBar();
  readonly ignoreFiles = new IgnoreFiles();
  readonly snooze = new Snooze();
  readonly gate = new EditorGate(this.configuration, this.snooze, this.ignoreFiles);
  readonly times = new SuggestionTimes();
  readonly imports = new MissingImports(this.log);
  readonly pairSwitch = new PairSwitch(this.configuration);
  readonly walkthrough: Walkthrough;
  readonly remote: RemoteConsent;
  readonly client: FlashlineClient;
  readonly documents: ServerDocuments;
  readonly definitions: NeededDefinitions;
  readonly acceptance: Acceptance;
  readonly suggestions: GrowingSuggestions;
  readonly dismissals: Dismissals;
  readonly nextEdit: NextEdit;
  readonly provider: InlineCompletionProvider;
  readonly instruct: InstructParts;
  readonly pending: PendingEdits;
  readonly edit: SelectionEdit;
  readonly chats: ChatModels;
  readonly token: StoredToken;
  readonly downloads: Downloads;
  readonly machineCheck: MachineCheck;
  readonly otherTools: OtherTools;
  readonly panel: StatisticsPanel;

  constructor(private readonly context: vscode.ExtensionContext) {
    const { globalState, workspaceState, secrets, extension, extensionUri } = context;
    this.walkthrough = new Walkthrough(`${extension.id}#start`, globalState);
    this.remote = new RemoteConsent(this.configuration, globalState, secrets);
    this.client = this.#newClient();
    this.documents = new ServerDocuments(this.gate, this.client);
    this.definitions = new NeededDefinitions(this.gate, this.client, this.log);
    this.acceptance = new Acceptance(globalState);
    this.suggestions = new GrowingSuggestions(this.client, this.acceptance, this.log);
    this.dismissals = new Dismissals(this.acceptance);
    this.nextEdit = this.#newNextEdit();
    const { gate, suggestions, acceptance, dismissals, nextEdit } = this;
    this.provider = new InlineCompletionProvider({ gate, suggestions, acceptance, dismissals, nextEdit });
    this.instruct = this.#newInstructParts();
    this.pending = new PendingEdits(workspaceState);
    const { configuration, pending } = this;
    this.edit = new SelectionEdit({ ...this.instruct, configuration, pending });
    this.chats = new ChatModels(
      this.client,
      () => this.configuration.settings.offerChatModels && vscode.workspace.isTrusted,
    );
    this.token = new StoredToken(secrets);
    this.downloads = new Downloads(this.client, this.token);
    this.machineCheck = new MachineCheck(context.asAbsolutePath('dist/cli.js'));
    this.otherTools = new OtherTools(this.client);
    this.panel = new StatisticsPanel(extensionUri, this.client, this.log, this.acceptance.counter);
  }

  /** First page of the documentation. */
  get documentation(): vscode.Uri {
    return vscode.Uri.joinPath(this.context.extensionUri, 'docs/README.md');
  }

  /** Folder of the walkthrough's examples. */
  get examples(): vscode.Uri {
    return vscode.Uri.joinPath(this.context.extensionUri, 'media/walkthrough');
  }

  dispose(): void {
    vscode.Disposable.from(
      this.configuration,
      this.statusBar,
      this.snooze,
      this.imports,
      this.acceptance,
      this.remote,
      this.client,
      this.nextEdit,
      this.provider,
      this.pending,
      this.chats,
      this.downloads,
      this.machineCheck,
      this.panel,
      this.log,
    ).dispose();
  }

  #newClient(): FlashlineClient {
    const { extension } = this.context;
    return new FlashlineClient({
      program: {
        module: this.context.asAbsolutePath('dist/server.js'),
        version: String((extension.packageJSON as { version?: unknown }).version),
        environment: process.env,
      },
      log: this.log,
      sharesServer: () => this.configuration.settings.shareServer,
      serverSettings: () => {
        const { enable } = this.configuration.settings;
        return { ...this.remote.settings, enable: this.gate.whyOff() === undefined ? enable : ALL_OFF };
      },
    });
  }

  #newNextEdit(): NextEdit {
    const { configuration, client, gate, log } = this;
    return new NextEdit({
      configuration,
      client,
      gate,
      log,
      status: () => this.statusBar.view.server?.nextEdit,
      ghostText: {
        isRequesting: () => this.suggestions.isRequesting,
        isOffered: (document, position) => this.acceptance.isOffered(document, position),
      },
    });
  }

  #newInstructParts(): InstructParts {
    const { client, gate, documents, log } = this;
    return {
      client,
      gate,
      documents,
      run: new GenerationRun(log),
      mayInstruct: async (purpose) => {
        const base = baseModel(this.statusBar.view.server, this.configuration.settings);
        return base === undefined || (await acceptsBaseModel(base, this.context.globalState, purpose));
      },
    };
  }
}
