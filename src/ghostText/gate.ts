// The gate: whether a request may go to the server at all, and if not, why. Cheap enough for every keystroke: it looks
// at names, sizes and at most two lines, and never copies the text.
import * as vscode from 'vscode';
import { isEnabled } from '../../server/rules/serverSettings';
import {
  isBinaryName,
  isBroken,
  isMinifiedName,
  LONGEST_LINE,
  LONGEST_MEAN_LINE,
  LONGEST_TEXT,
} from '../../server/rules/notCode';
import { isSecretPath } from '../../server/rules/secretPaths';
import { isSecretText } from '../../server/rules/secretTexts';
import { pathsBehind } from '../../server/rules/pathsBehind';
import { suggestsIn, type Configuration } from '../configuration';
import type { IgnoreFiles } from '../connection/ignoreFiles';
import { followingText, type Acceptance } from './acceptance';

/** `manual` concerns a single request and is never shown; `battery` is up to the server. */
export type GateReason = keyof ReturnType<typeof reasonTexts>;

/** Documents of other schemes are outputs, inputs and views of VS Code: consoles, commit messages, comments. */
export const SCHEMES: readonly string[] = [
  'file',
  'untitled',
  'vscode-notebook-cell',
  'vscode-remote',
  'vscode-vfs',
];

/** The same for what VS Code and the library's client register. */
export const SELECTOR = SCHEMES.map((scheme) => ({ scheme }));

/** In smaller files, the mean length of lines says nothing. */
const MINIFIED_SIZE = 4000;
const PEEK = 1000;
const INPUT_LANGUAGES: readonly string[] = ['scminput', 'commentinput'];

export class EditorGate {
  constructor(
    private readonly configuration: Pick<Configuration, 'settings'>,
    private readonly snooze: Pick<Snooze, 'until'>,
    private readonly ignoreFiles: Pick<IgnoreFiles, 'ignores'>,
  ) {}

  /** Why nothing is suggested anywhere: the server then gets no text, and keeps no model in memory. */
  off(): GateReason | undefined {
    const { enable, inlineSuggest } = this.configuration.settings;
    if (!isEnabled(enable)) return 'disabled';
    if (!inlineSuggest) return 'editor';
    if (this.snooze.until !== undefined) return 'snoozed';
    return vscode.workspace.isTrusted ? undefined : 'untrusted';
  }

  /** For ghost text; `explicit` when the user requests it rather than types. */
  suggestion(
    document: vscode.TextDocument,
    { line }: vscode.Position,
    explicit: boolean,
  ): GateReason | undefined {
    const { settings } = this.configuration;
    const closed = this.off() ?? this.generation(document, line);
    if (closed !== undefined) return closed;
    const { languageId } = document;
    if (!suggestsIn(settings, languageId))
      return isEnabled(settings.enable, languageId) ? 'unknownLanguage' : 'language';
    if (settings.trigger === 'manual' && !explicit) return 'manual';
    const active = vscode.window.activeTextEditor;
    return active?.document === document && active.selections.length > 1 ? 'multiCursor' : undefined;
  }

  /** For the generate command, which the user always runs explicitly. */
  generation(document: vscode.TextDocument, line: number): GateReason | undefined {
    if (!vscode.workspace.isTrusted) return 'untrusted';
    if (vscode.workspace.fs.isWritableFileSystem(document.uri.scheme) === false) return 'readOnly';
    return this.hidden(document) ?? (isMinified(document, line) ? 'minified' : undefined);
  }

  /** Why the server must not see the text of a document at all, not even as context of another one. */
  hidden(document: vscode.TextDocument): GateReason | undefined {
    const { scheme, path } = document.uri;
    const { languageId } = document;
    if (!SCHEMES.includes(scheme) || INPUT_LANGUAGES.includes(languageId)) return 'input';
    const firstLine = document.lineAt(0).text;
    const paths = pathsOf(document.uri);
    if (paths.some(isSecretPath) || isSecretText(languageId, firstLine)) return 'secret';
    const excluded = this.#excluded(document.uri, paths);
    if (excluded !== undefined) return excluded;
    if (sizeOf(document) > LONGEST_TEXT) return 'tooLarge';
    return isBinaryName(path) || isBinary(firstLine) ? 'binary' : undefined;
  }

  /** Whether prompts must not quote a file that need not be open: one outside of the workspace, ignored or hidden. */
  unquotable(uri: vscode.Uri): boolean {
    const folder = vscode.workspace.getWorkspaceFolder(uri);
    if (folder === undefined) return true;
    const paths = pathsOf(uri);
    return (
      paths.some((each) => isSecretPath(each) || isBinaryName(each)) ||
      this.#excluded(uri, paths) !== undefined ||
      this.ignoreFiles.ignores('.gitignore', uri.fsPath, folder.uri.fsPath)
    );
  }

  #excluded(uri: vscode.Uri, paths: readonly string[]): GateReason | undefined {
    const { exclude } = this.configuration.settings;
    if (exclude.some((pattern) => paths.some((each) => pattern.test(each)))) return 'excluded';
    const folder = vscode.workspace.getWorkspaceFolder(uri);
    if (folder?.uri.scheme !== 'file') return undefined;
    const isIgnored = this.ignoreFiles.ignores('.flashlineignore', uri.fsPath, folder.uri.fsPath);
    return isIgnored ? 'ignored' : undefined;
  }

  /** For the status bar, as if a suggestion were requested in the active editor. */
  activeEditor() {
    const editor = vscode.window.activeTextEditor;
    const reason = editor ? this.suggestion(editor.document, editor.selection.active, true) : this.off();
    // An output needs no suggestions.
    if (reason === undefined || reason === 'input') return undefined;
    return { reason, text: reasonTexts(editor?.document.languageId ?? '', this.snooze.until)[reason] };
  }
}

/** What a file or a notebook is called, also behind links. Those of other schemes are on another machine, or nowhere. */
function pathsOf({ scheme, authority, path, fsPath }: vscode.Uri): readonly string[] {
  const isHere = scheme === 'file' || (scheme === 'vscode-notebook-cell' && authority === '');
  return isHere ? [path, ...pathsBehind(fsPath)] : [path];
}

function isMinified(document: vscode.TextDocument, line: number): boolean {
  const { uri, lineCount } = document;
  if (isMinifiedName(uri.path)) return true;
  const size = sizeOf(document);
  if (size > MINIFIED_SIZE && size / lineCount > LONGEST_MEAN_LINE) return true;
  return line < lineCount && document.lineAt(line).text.length > LONGEST_LINE;
}

/** In UTF-16 units; from the sums of line lengths that the extension host keeps anyway. */
function sizeOf(document: vscode.TextDocument): number {
  return document.offsetAt(new vscode.Position(document.lineCount, 0));
}

/** As the server judges the whole file. */
function isBinary(line: string): boolean {
  const start = line.length > PEEK ? line.slice(0, PEEK) : line;
  return start.includes('\0') || isBroken(start);
}

/** Why Flashline is silent, in words: for the status bar, the menu and the generate command. */
export function reasonTexts(languageId: string, snoozedUntil?: number) {
  const language = languageName(languageId);
  return {
    disabled: 'Suggestions are turned off.',
    editor: 'Inline suggestions are turned off in VS Code (editor.inlineSuggest.enabled).',
    snoozed: snoozeText(snoozedUntil),
    untrusted: 'This workspace is not trusted.',
    input: 'Flashline does not work in this kind of editor.',
    readOnly: 'This file is read-only.',
    secret: 'This file may contain secrets, so Flashline does not read it.',
    excluded: 'This file is excluded by the flashline.exclude setting.',
    ignored: 'This file is excluded by a .flashlineignore file.',
    tooLarge: 'This file is longer than 2 million characters.',
    binary: 'This is not a text file.',
    minified: 'This file is minified or has very long lines.',
    language: `Suggestions are turned off for ${language}.`,
    unknownLanguage: `The built-in model does not support ${language}. Choose another model in the menu.`,
    manual: 'Suggestions appear only on demand.',
    multiCursor: 'There are several cursors.',
    battery: 'Suggestions appear only on demand while the machine runs on battery.',
  };
}

function snoozeText(until: number | undefined): string {
  if (until === undefined) return 'Flashline is snoozed.';
  if (until === Infinity) return 'Flashline is snoozed until VS Code restarts.';
  return `Flashline is snoozed until ${new Date(until).toTimeString().slice(0, 5)}.`;
}

interface Manifest {
  readonly contributes?: { readonly languages?: unknown };
}

interface Language {
  readonly id?: unknown;
  readonly aliases?: readonly unknown[];
}

/**
 * A language as VS Code shows it, from what its extensions contribute: "Go" for the id go. The id itself for a language
 * that nobody has named.
 */
export function languageName(id: string): string {
  // Part of VS Code itself.
  if (id === 'plaintext') return 'Plain Text';
  for (const { packageJSON } of vscode.extensions.all) {
    const { languages } = (packageJSON as Manifest).contributes ?? {};
    if (!Array.isArray(languages)) continue;
    const [name] = (languages as Language[]).find((each) => each.id === id)?.aliases ?? [];
    if (typeof name === 'string') return name;
  }
  return id;
}

// Dismissals: what Escape has hidden is not shown again where the text is the same, unless the person asks for it. In
// memory only.

interface Dismissed {
  readonly uri: string;
  /** The text around the cursor. */
  readonly around: string;
  readonly lines: readonly string[];
}

const KEPT = 64;
/** Characters before the cursor that tell a place from others. */
const BEFORE = 256;

export class Dismissals {
  /** Oldest first. */
  #dismissed: readonly Dismissed[] = [];

  constructor(private readonly acceptance: Pick<Acceptance, 'dismiss'>) {}

  /** Hides what is shown in the active editor and takes note of it, if it is ours. */
  async dismiss(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor) {
      const { document, selection } = editor;
      const texts = this.acceptance.dismiss(document, selection.active);
      if (texts.length > 0) {
        const dismissed = { ...placeOf(document, selection.active), lines: texts.map(firstLine) };
        this.#dismissed = [...this.#dismissed, dismissed].slice(-KEPT);
      }
    }
    await vscode.commands.executeCommand('editor.action.inlineSuggest.hide');
  }

  /** Whether a suggestion that begins with the same line was dismissed there. */
  has(document: vscode.TextDocument, position: vscode.Position, item: vscode.InlineCompletionItem): boolean {
    if (this.#dismissed.length === 0) return false;
    const { uri, around } = placeOf(document, position);
    const line = firstLine(followingText(item, position));
    return this.#dismissed.some(
      (each) => each.uri === uri && each.around === around && each.lines.includes(line),
    );
  }
}

function placeOf(document: vscode.TextDocument, position: vscode.Position): Omit<Dismissed, 'lines'> {
  const from = document.positionAt(Math.max(0, document.offsetAt(position) - BEFORE));
  const before = document.getText(new vscode.Range(from, position));
  const after = document.lineAt(position.line).text.slice(position.character);
  return { uri: document.uri.toString(), around: `${before}\0${after}` };
}

/** That is not blank. */
function firstLine(text: string): string {
  return text.split('\n').find((line) => line.trim() !== '') ?? '';
}

// A pause for a while, or until the window is reloaded; it is not stored.
// Reports when it begins and when it ends, on its own or manually.

export class Snooze {
  #until = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly changed: () => void) {}

  /** Milliseconds since 1970; Infinity until restart, undefined when not snoozed. */
  get until(): number | undefined {
    return Date.now() < this.#until ? this.#until : undefined;
  }

  /** Infinity snoozes until restart, 0 ends a snooze. */
  start(minutes: number): void {
    clearTimeout(this.#timer);
    const ms = minutes * 60_000;
    this.#until = ms > 0 ? Date.now() + ms : 0;
    // Timers take no longer delays.
    if (ms > 0 && ms < 2 ** 31) this.#timer = setTimeout(this.changed, ms + 10);
    this.changed();
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }
}
