// Replaces `vscode` in unit tests of src/ (test/build.mjs links it): the classes and enums that src/ uses, and a
// window that a test can change. Everything else is missing, so code that uses more of the API fails its test.
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
  deleted: new EventEmitter<object>(),
};

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
  getConfiguration: () => ({
    get: (name: string): unknown => workspace.settings[name],
    inspect: (name: string) => ({ globalValue: workspace.userSettings[name] }),
  }),
  isWritable: true,
  onDidChangeTextDocument: documents.changed.event,
  onDidOpenTextDocument: documents.opened.event,
  onDidCloseTextDocument: documents.closed.event,
  onWillSaveTextDocument: documents.willBeSaved.event,
  onDidSaveTextDocument: documents.saved.event,
  onDidRenameFiles: new EventEmitter<object>().event,
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
    return new Uri(scheme, [path, ...parts].join('/'));
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
const answer = () => Promise.resolve(undefined);

export const window = {
  activeTextEditor: undefined as object | undefined,
  visibleTextEditors: [] as readonly object[],
  state: { focused: true },
  onDidChangeActiveTextEditor: listen,
  onDidChangeTextEditorSelection: listen,
  onDidChangeVisibleTextEditors: listen,
  onDidChangeWindowState: listen,
  showWarningMessage: close,
  showInformationMessage: close,
  showErrorMessage: close,
  showTextDocument: answer as (document: unknown) => Promise<unknown>,
  /** Returns a type with its looks; the fake editor records what is drawn with it. */
  createTextEditorDecorationType: (looks: object): object => ({ looks, dispose: () => undefined }),
  createQuickPick: (): object => ({}),
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
  executeCommand: (...words: readonly unknown[]): Promise<void> => {
    const [command, key, value] = words;
    if (command === 'setContext') commands.context[String(key)] = value;
    else commands.ran = words;
    return Promise.resolve();
  },
};

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
  constructor(
    readonly anchor: Position,
    readonly active: Position,
  ) {}

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
  value = '';

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
