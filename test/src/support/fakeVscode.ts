// What units of src/ get as `vscode` outside of VS Code (test/build.mjs puts it in place): texts in English, the values
// that they create, and a window that a test can change. Everything else is missing, so that a test that uses it fails.

export const l10n = {
  /** Puts values into a message. */
  t: (message: string, ...values: (string | number | boolean)[]): string =>
    message.replace(/\{(\d+)\}/g, (part, index) => String(values[Number(index)] ?? part)),
};

/** The window; `isWritable` applies to all its files. */
export const workspace = {
  isTrusted: true,
  textDocuments: [] as readonly object[],
  workspaceFolders: undefined as readonly { readonly uri: { readonly scheme: string } }[] | undefined,
  onDidGrantWorkspaceTrust: (listener: () => void) => {
    workspace.trusted = listener;
    return { dispose: () => undefined };
  },
  /** Tells that the workspace is trusted now. */
  trusted: (): void => undefined,
  /** By full name. */
  settings: {} as Readonly<Record<string, unknown>>,
  /** The user's own, where a workspace has others. */
  userSettings: {} as Readonly<Record<string, unknown>>,
  getConfiguration: () => ({
    get: (name: string): unknown => workspace.settings[name],
    inspect: (name: string) => ({ globalValue: workspace.userSettings[name] }),
  }),
  isWritable: true,
  onDidChangeTextDocument: () => ({ dispose: () => undefined }),
  onDidCloseTextDocument: () => ({ dispose: () => undefined }),
  /** The folder that is open, if any. */
  folder: undefined as { readonly uri: { readonly scheme: string; readonly fsPath: string } } | undefined,
  getWorkspaceFolder: () => workspace.folder,
  /** Of files, by path. */
  sizes: {} as Readonly<Record<string, number>>,
  fs: {
    isWritableFileSystem: (): boolean => workspace.isWritable,
    stat: ({ path }: Uri) => Promise.resolve({ size: workspace.sizes[path] ?? 1 }),
    /** Every file has its path in it. */
    readFile: ({ path }: Uri) => Promise.resolve(new TextEncoder().encode(path)),
  },
  openTextDocument: (options: { readonly language: string; readonly content: string }) =>
    Promise.resolve(options),
};

export const env = {
  remoteName: undefined as string | undefined,
  /** What is in the clipboard. */
  copied: '',
  clipboard: { writeText: (text: string) => Promise.resolve(void (env.copied = text)) },
};

export const ProgressLocation = { Notification: 15 };

interface FakeProgress {
  readonly report: (progress: { readonly message: string }) => void;
}

interface FakeToken {
  readonly onCancellationRequested: (listener: () => void) => void;
}

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

  static joinPath({ scheme, path }: Uri, ...parts: readonly string[]): Uri {
    return new Uri(scheme, [path, ...parts].join('/'));
  }
}

export const Disposable = {
  from: (...disposables: readonly { dispose: () => void }[]) => ({
    dispose: () => {
      for (const each of disposables) each.dispose();
    },
  }),
};

export const extensions = {
  all: [] as readonly { readonly packageJSON: object }[],
  /** What VS Code's own Git extension exports. */
  git: undefined as object | undefined,
  getExtension: () => ({ activate: () => Promise.resolve(extensions.git) }),
};

export const ExtensionKind = { UI: 1, Workspace: 2 };

type FakeListen = (listener: (event: never) => void) => { dispose: () => void };

interface FakeWindow {
  activeTextEditor: object | undefined;
  visibleTextEditors: readonly object[];
  onDidChangeActiveTextEditor: FakeListen;
  onDidChangeTextEditorSelection: FakeListen;
  onDidChangeVisibleTextEditors: FakeListen;
  /** Answers with the button that a test chooses. */
  showWarningMessage: (message: string, ...rest: readonly unknown[]) => Promise<string | undefined>;
  showInformationMessage: (message: string, ...rest: readonly unknown[]) => Promise<string | undefined>;
  showTextDocument: (document: unknown) => Promise<unknown>;
  createQuickPick: () => object;
  showQuickPick: (items: readonly { readonly label: string }[]) => Promise<object | undefined>;
  setStatusBarMessage: (message: string) => void;
  showErrorMessage: (message: string) => Promise<string | undefined>;
  showOpenDialog: (options: {
    readonly defaultUri?: Uri;
    readonly filters?: object;
  }) => Promise<readonly Uri[] | undefined>;
  showInputBox: (options: { readonly prompt?: string }) => Promise<string | undefined>;
  withProgress: <T>(
    options: { readonly title: string },
    work: (progress: FakeProgress, token: FakeToken) => Promise<T>,
  ) => Promise<T>;
  state: { focused: boolean };
  onDidChangeWindowState: FakeListen;
}

export const window: FakeWindow = {
  activeTextEditor: undefined,
  visibleTextEditors: [],
  onDidChangeActiveTextEditor: () => ({ dispose: () => undefined }),
  onDidChangeTextEditorSelection: () => ({ dispose: () => undefined }),
  onDidChangeVisibleTextEditors: () => ({ dispose: () => undefined }),
  showWarningMessage: () => Promise.resolve(undefined),
  showInformationMessage: () => Promise.resolve(undefined),
  showTextDocument: () => Promise.resolve(),
  createQuickPick: () => ({}),
  showQuickPick: () => Promise.resolve(undefined),
  setStatusBarMessage: () => undefined,
  showErrorMessage: () => Promise.resolve(undefined),
  showOpenDialog: () => Promise.resolve(undefined),
  showInputBox: () => Promise.resolve(undefined),
  withProgress: (_, work) => work({ report: () => undefined }, { onCancellationRequested: () => undefined }),
  state: { focused: true },
  onDidChangeWindowState: () => ({ dispose: () => undefined }),
};

export const commands = {
  /** The last command that was run, with its arguments. */
  ran: [] as readonly unknown[],
  executeCommand: (...words: readonly unknown[]): Promise<void> => {
    commands.ran = words;
    return Promise.resolve();
  },
};

export const QuickPickItemKind = { Separator: -1, Default: 0 };

export class ThemeIcon {
  constructor(readonly id: string) {}
}

export class CancellationTokenSource {
  /** Those that nobody has disposed of. */
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
  constructor(
    readonly anchor: unknown,
    readonly active: unknown,
  ) {}
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
  constructor(
    readonly start: Position,
    readonly end: Position,
  ) {}

  /** As VS Code's own: an array, which LSP does not know. */
  toJSON(): readonly Position[] {
    return [this.start, this.end];
  }
}

export const InlineCompletionTriggerKind = { Invoke: 0, Automatic: 1 };

export const CompletionItemKind = {
  ...{
    Text: 0,
    Method: 1,
    Function: 2,
    Field: 4,
    Variable: 5,
    Class: 6,
    Interface: 7,
    Module: 8,
    Property: 9,
  },
  ...{ Enum: 12, EnumMember: 19, Constant: 20 },
};

export class InlineCompletionItem {
  constructor(
    readonly insertText: string,
    readonly range?: Range,
  ) {}
}

/** Without listeners that leave. */
export class EventEmitter<T> {
  readonly #listeners: ((value: T) => void)[] = [];
  readonly event = (listener: (value: T) => void) => {
    this.#listeners.push(listener);
    return { dispose: () => undefined };
  };

  fire(value: T): void {
    for (const each of this.#listeners) each(value);
  }
}

/** Without providers, as in the least version. */
export const lm: { registerLanguageModelChatProvider?: (vendor: string, provider: object) => object } = {};

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
