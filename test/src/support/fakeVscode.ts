// Replaces `vscode` in unit tests of src/ (test/build.mjs links it): the classes and enums that src/ uses, and a
// window that a test can change. Everything else is missing, so code that uses more of the API fails its test.
import { join } from 'node:path/posix';
import type { Memento } from 'vscode';

export class EventEmitter<T> {
  readonly #listeners = new Set<(value: T) => void>();
  readonly event = (listener: (value: T) => void) => {
    this.#listeners.add(listener);
    return { dispose: () => void this.#listeners.delete(listener) };
  };

  fire(value: T): void {
    for (const listener of this.#listeners) listener(value);
  }

  dispose(): void {
    this.#listeners.clear();
  }
}

/** Values of VS Code's enum. */
export const FileType = { Unknown: 0, File: 1, Directory: 2, SymbolicLink: 64 } as const;

/** Events of documents, which a test fires; the workspace passes them on. */
export const documents = {
  changed: new EventEmitter<object>(),
  opened: new EventEmitter<object>(),
  closed: new EventEmitter<object>(),
  willBeSaved: new EventEmitter<object>(),
  saved: new EventEmitter<object>(),
  renamed: new EventEmitter<object>(),
  deleted: new EventEmitter<object>(),
};

/** Fires when settings have changed; `affectsConfiguration` returns whether one of them is in a section. */
export const settingsChanged = new EventEmitter<{
  readonly affectsConfiguration: (section: string) => boolean;
}>();

export const ConfigurationTarget = { Global: 1, Workspace: 2 };

/** The workspace; `isWritable` applies to all its files. */
export const workspace = {
  isTrusted: true,
  textDocuments: [] as readonly object[],
  workspaceFolders: undefined as readonly { readonly uri: { readonly scheme: string } }[] | undefined,
  onDidGrantWorkspaceTrust: (listener: () => void) => {
    workspace.trusted = listener;
    return { dispose: () => undefined };
  },
  /** Reports that the workspace is trusted now. */
  trusted: (): void => undefined,
  /** Settings by full name. */
  settings: {} as Readonly<Record<string, unknown>>,
  /** Settings of the user, as `inspect` reports them beside those of the workspace. */
  userSettings: {} as Readonly<Record<string, unknown>>,
  /** Settings of the workspace alone. */
  workspaceSettings: {} as Readonly<Record<string, unknown>>,
  /** Settings that were written: the full name, the value and its target. */
  written: [] as (readonly [name: string, value: unknown, target: number])[],
  getConfiguration: (section?: string) => {
    const full = (name: string): string => (section === undefined ? name : `${section}.${name}`);
    return {
      get: (name: string): unknown => workspace.settings[full(name)],
      inspect: (name: string) => ({
        globalValue: workspace.userSettings[full(name)],
        workspaceValue: workspace.workspaceSettings[full(name)],
      }),
      update: (name: string, value: unknown, target: number): Promise<void> => {
        const changed = full(name);
        workspace.written.push([changed, value, target]);
        workspace.settings = { ...workspace.settings, [changed]: value };
        settingsChanged.fire({ affectsConfiguration: (part) => `${changed}.`.startsWith(`${part}.`) });
        return Promise.resolve();
      },
    };
  },
  onDidChangeConfiguration: settingsChanged.event,
  asRelativePath: ({ path }: Uri): string => path.replace(/^\/project\//, ''),
  isWritable: true,
  onDidChangeTextDocument: documents.changed.event,
  onDidOpenTextDocument: documents.opened.event,
  onDidCloseTextDocument: documents.closed.event,
  onWillSaveTextDocument: documents.willBeSaved.event,
  onDidSaveTextDocument: documents.saved.event,
  createFileSystemWatcher: (): object => ({}),
  onDidRenameFiles: documents.renamed.event,
  onDidDeleteFiles: documents.deleted.event,
  /** Applies edits to documents that can be edited. */
  applyEdit: ({ edits }: WorkspaceEdit): Promise<boolean> => {
    for (const [uri, changes] of edits) {
      const document = workspace.textDocuments.find((open) => String((open as { uri: Uri }).uri) === uri);
      (document as { apply: (changes: readonly TextEdit[]) => void }).apply(changes);
    }
    return Promise.resolve(true);
  },
  /** Open folder, if any. */
  folder: undefined as { readonly uri: { readonly scheme: string; readonly fsPath: string } } | undefined,
  getWorkspaceFolder: () => workspace.folder,
  /** Sizes of files by path. */
  sizes: {} as Readonly<Record<string, number>>,
  fs: {
    isWritableFileSystem: (): boolean => workspace.isWritable,
    stat: ({ path }: Uri) => Promise.resolve({ size: workspace.sizes[path] ?? 1, type: FileType.File }),
    /** Returns the path of a file as its text. */
    readFile: ({ path }: Uri) => Promise.resolve(new TextEncoder().encode(path)),
  },
  notebookDocuments: [] as readonly object[],
  openTextDocument: (options: { readonly language: string; readonly content: string }) =>
    Promise.resolve(options),
};

/** Creates the storage of an extension. */
export function memento(values = new Map<string, unknown>()): Memento {
  return {
    get: (key: string, byDefault?: unknown) => values.get(key) ?? byDefault,
    update: (key: string, value: unknown) => Promise.resolve(void values.set(key, value)),
  } as unknown as Memento;
}

export const env = {
  language: 'en',
  /** Pages that were opened in a browser. */
  opened: [] as string[],
  openExternal: (uri: Uri) => Promise.resolve(env.opened.push(String(uri)) > 0),
  /** Text in the clipboard. */
  copied: '',
  clipboard: { writeText: (text: string) => Promise.resolve(void (env.copied = text)) },
};

export const ProgressLocation = { Notification: 15 };

export class Uri {
  readonly authority: string = '';
  readonly path: string;

  constructor(
    readonly scheme: string,
    readonly fsPath: string,
  ) {
    this.path = fsPath;
  }

  toString(): string {
    return `${this.scheme}://${this.path}`;
  }

  static file(fsPath: string): Uri {
    return new Uri('file', fsPath);
  }

  static parse(text: string): Uri {
    const [scheme = '', path = ''] = text.split(/:(?:\/\/)?(.*)/s);
    return new Uri(scheme, path);
  }

  static joinPath({ scheme, path }: Uri, ...parts: readonly string[]): Uri {
    return new Uri(scheme, join(path, ...parts));
  }
}

export const Disposable = {
  from: (...disposables: readonly { dispose: () => void }[]) => ({
    dispose: () => {
      for (const disposable of disposables) disposable.dispose();
    },
  }),
};

export const extensions = {
  all: [] as readonly { readonly packageJSON: object }[],
};

type Listen = (listener: (event: never) => void) => { dispose: () => void };
type Ask = (message: string, ...rest: readonly unknown[]) => Promise<string | undefined>;

const listen: Listen = () => ({ dispose: () => undefined });
/** Closes the message; a test replaces this function to press a button. */
const close: Ask = () => Promise.resolve(undefined);
/** Closes a dialog or a list without a choice. */
const answer = () => Promise.resolve(undefined);

export const window = {
  activeTextEditor: undefined as object | undefined,
  visibleTextEditors: [] as readonly object[],
  state: { focused: true },
  onDidChangeActiveTextEditor: listen,
  onDidChangeTextEditorSelection: listen,
  onDidChangeTextEditorVisibleRanges: listen,
  onDidChangeVisibleTextEditors: listen,
  onDidChangeWindowState: listen,
  showWarningMessage: close,
  showInformationMessage: close,
  showErrorMessage: close,
  showTextDocument: answer as (document: unknown) => Promise<unknown>,
  /** Returns a type with its looks; the fake editor records what is drawn with it. */
  createTextEditorDecorationType: (looks: object): object => ({ looks, dispose: () => undefined }),
  createQuickPick: (): object => ({}),
  showQuickPick: answer as (
    items: readonly { readonly label: string }[],
    options?: object,
  ) => Promise<object | undefined>,
  /** Temporary messages of the status bar. */
  statusBarMessages: [] as string[],
  setStatusBarMessage: (message: string): void => void window.statusBarMessages.push(message),
  createOutputChannel: (): object => ({
    info: () => undefined,
    warn: () => undefined,
    error: () => undefined,
    show: () => undefined,
    dispose: () => undefined,
  }),
  createStatusBarItem: (): object => ({ show: () => undefined, dispose: () => undefined }),
  createWebviewPanel: (): object => ({}),
  showOpenDialog: answer as (options: {
    readonly defaultUri?: Uri;
    readonly filters?: object;
  }) => Promise<readonly Uri[] | undefined>,
  showInputBox: answer as (options: { readonly prompt?: string }) => Promise<string | undefined>,
  withProgress: <T>(
    _: { readonly title: string },
    work: (
      progress: { readonly report: (progress: { readonly message: string }) => void },
      token: { readonly onCancellationRequested: (listener: () => void) => void },
    ) => Promise<T>,
  ): Promise<T> => work({ report: () => undefined }, { onCancellationRequested: () => undefined }),
};

export const commands = {
  /** Last command that was run, with its arguments. */
  ran: [] as readonly unknown[],
  /** Values of context keys. */
  context: {} as Record<string, unknown>,
  registered: {} as Record<string, (...words: unknown[]) => unknown>,
  registerCommand: (id: string, run: (...words: unknown[]) => unknown) => {
    commands.registered[id] = run;
    return { dispose: () => undefined };
  },
  executeCommand: (...words: readonly unknown[]): Promise<void> => {
    const [command, key, value] = words;
    if (command === 'setContext') commands.context[String(key)] = value;
    else commands.ran = words;
    return Promise.resolve();
  },
};

/** Providers of code lenses and code actions that were registered. */
export const languages = {
  lensProviders: [] as unknown[],
  actionProviders: [] as unknown[],
  registerCodeLensProvider: (_: unknown, provider: unknown) => {
    languages.lensProviders.push(provider);
    return { dispose: () => undefined };
  },
  registerCodeActionsProvider: (_: unknown, provider: unknown) => {
    languages.actionProviders.push(provider);
    return { dispose: () => undefined };
  },
  diagnosticsChanged: new EventEmitter<{ readonly uris: readonly unknown[] }>(),
  onDidChangeDiagnostics: (listener: (event: { readonly uris: readonly unknown[] }) => void) =>
    languages.diagnosticsChanged.event(listener),
  getDiagnostics: (): readonly object[] => [],
};

/** Providers of chat models that were registered. */
export const lm = {
  providers: [] as unknown[],
  registerLanguageModelChatProvider: (_: string, provider: unknown) => {
    lm.providers.push(provider);
    return { dispose: () => undefined };
  },
};

export class CodeLens {
  constructor(
    readonly range: Range,
    readonly command: object,
  ) {}
}

export const CodeActionKind = { QuickFix: { value: 'quickfix' } };

export class CodeAction {
  constructor(
    readonly title: string,
    readonly kind: object,
  ) {}
}

export const NotebookCellKind = { Markup: 1, Code: 2 };
export const QuickPickItemKind = { Separator: -1, Default: 0 };

export class ThemeIcon {
  constructor(readonly id: string) {}
}

export class CancellationTokenSource {
  /** Sources that were not disposed of. */
  static readonly open = new Set<CancellationTokenSource>();
  readonly #listeners: (() => void)[] = [];
  readonly token = {
    isCancellationRequested: false,
    onCancellationRequested: (listener: () => void) => {
      this.#listeners.push(listener);
      return { dispose: () => undefined };
    },
  };

  constructor() {
    CancellationTokenSource.open.add(this);
  }

  cancel(): void {
    this.token.isCancellationRequested = true;
    for (const listener of this.#listeners) listener();
  }

  dispose(): void {
    CancellationTokenSource.open.delete(this);
    this.#listeners.length = 0;
  }
}

export class Selection {
  readonly anchor: Position;
  readonly active: Position;

  constructor(
    ...ends: readonly [anchor: Position, active: Position] | readonly [number, number, number, number]
  ) {
    ({ start: this.anchor, end: this.active } = new Range(...ends));
  }

  get start(): Position {
    return this.#isForward ? this.anchor : this.active;
  }

  get end(): Position {
    return this.#isForward ? this.active : this.anchor;
  }

  get #isForward(): boolean {
    const [{ anchor, active }] = [this];
    return anchor.line < active.line || (anchor.line === active.line && anchor.character <= active.character);
  }

  get isEmpty(): boolean {
    return this.active.isEqual(this.anchor);
  }

  get isSingleLine(): boolean {
    return this.active.line === this.anchor.line;
  }
}

export class Position {
  constructor(
    readonly line: number,
    readonly character: number,
  ) {}

  isEqual({ line, character }: Position): boolean {
    return line === this.line && character === this.character;
  }
}

export class Range {
  readonly start: Position;
  readonly end: Position;

  constructor(
    ...ends: readonly [start: Position, end: Position] | readonly [number, number, number, number]
  ) {
    const [start, second, line, character] = ends;
    this.start = typeof start === 'number' ? new Position(start, second as number) : start;
    this.end =
      line === undefined || character === undefined ? (second as Position) : new Position(line, character);
  }

  isEqual({ start, end }: Range): boolean {
    return start.isEqual(this.start) && end.isEqual(this.end);
  }

  /** Converts to an array as VS Code does; LSP has an object. */
  toJSON(): readonly Position[] {
    return [this.start, this.end];
  }
}

export class MarkdownString {
  constructor(public value = '') {}

  appendCodeblock(text: string): this {
    this.value += text;
    return this;
  }

  appendMarkdown(text: string): this {
    this.value += text;
    return this;
  }
}

export class ThemeColor {
  constructor(readonly id: string) {}
}

export const StatusBarAlignment = { Right: 2 };
export const ViewColumn = { Beside: -2 };
export const OverviewRulerLane = { Center: 2 };
export const DecorationRangeBehavior = { ClosedClosed: 1 };
export const TextEditorRevealType = { InCenterIfOutsideViewport: 2 };
export const EndOfLine = { LF: 1, CRLF: 2 };
export const TextDocumentSaveReason = { Manual: 1, AfterDelay: 2, FocusOut: 3 };

export class TextEdit {
  constructor(
    readonly range: Range,
    readonly newText: string,
  ) {}

  static insert(at: Position, text: string): TextEdit {
    return new TextEdit(new Range(at, at), text);
  }

  static replace(range: Range, text: string): TextEdit {
    return new TextEdit(range, text);
  }

  static delete(range: Range): TextEdit {
    return new TextEdit(range, '');
  }
}

export class WorkspaceEdit {
  /** Edits by URI. */
  readonly edits = new Map<string, readonly TextEdit[]>();

  set(uri: Uri, edits: readonly TextEdit[]): void {
    this.edits.set(uri.toString(), edits);
  }
}

export const InlineCompletionTriggerKind = { Invoke: 0, Automatic: 1 };

export class InlineCompletionItem {
  constructor(
    readonly insertText: string,
    readonly range?: Range,
  ) {}
}

export const LanguageModelChatMessageRole = { User: 1, Assistant: 2 };
export const LanguageModelChatToolMode = { Auto: 1, Required: 2 };

export class LanguageModelTextPart {
  constructor(readonly value: string) {}
}

export class LanguageModelPromptTsxPart {
  constructor(readonly value: unknown) {}
}

export class LanguageModelToolCallPart {
  constructor(
    readonly callId: string,
    readonly name: string,
    readonly input: object,
  ) {}
}

export class LanguageModelToolResultPart {
  constructor(
    readonly callId: string,
    readonly content: readonly unknown[],
  ) {}
}
