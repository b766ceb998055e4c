// The gate: decides whether a request is sent to the server, and if not, why. Cheap enough for every keystroke: it
// follows links, looks at names, sizes and at most two lines, and never copies the text.
import * as vscode from 'vscode';
import { isEnabled } from '../../server/rules/enabledLanguages';
import {
  isBinaryName,
  isBroken,
  isMinifiedName,
  MAX_CODE_LINE_LENGTH,
  MAX_MEAN_CODE_LINE_LENGTH,
  MAX_TEXT_LENGTH,
} from '../../server/rules/notCode';
import { isSecretPath } from '../../server/rules/secretPaths';
import { isSecretText } from '../../server/rules/secretTexts';
import { pathsOfFile } from '../../server/machine/pathsOfFile';
import { suggestsIn, type Configuration } from '../configuration';
import type { IgnoreFileName, IgnoreFiles } from './ignoreFiles';
import type { Snooze } from './snooze';
import { switchedLanguage } from './documentLanguage';
import { type GateReason, reasonTexts } from './gateReasons';

/** Schemes of code. Other documents are outputs, inputs and views of VS Code: consoles, commit messages, comments. */
export const SCHEMES: readonly string[] = [
  'file',
  'untitled',
  'vscode-notebook-cell',
  'vscode-remote',
  'vscode-vfs',
];

/** Document selector for the same schemes. */
export const SELECTOR = SCHEMES.map((scheme) => ({ scheme }));

/** Length in characters below which the mean length of lines says nothing. */
const MIN_MINIFIED_LENGTH = 4000;
/** Characters of the first line that are checked for binary content. */
const PEEK_LENGTH = 1000;

export class EditorGate {
  constructor(
    private readonly configuration: Configuration,
    private readonly snooze: Snooze,
    private readonly ignoreFiles: IgnoreFiles,
  ) {}

  /** Returns why Flashline is off everywhere: the server then gets no text and keeps no model in memory. */
  whyOff(): GateReason | undefined {
    const { enable, inlineSuggest } = this.configuration.settings;
    if (!isEnabled(enable)) return 'disabled';
    if (!inlineSuggest) return 'editor';
    if (this.snooze.until !== undefined) return 'snoozed';
    return vscode.workspace.isTrusted ? undefined : 'untrusted';
  }

  /** Returns why ghost text is off at a position. `isExplicit`: the user runs a command, rather than types. */
  whyNoSuggestion(
    document: vscode.TextDocument,
    { line }: vscode.Position,
    isExplicit: boolean,
  ): GateReason | undefined {
    const { settings } = this.configuration;
    const reason = this.whyOff() ?? this.whyNoGeneration(document, line);
    if (reason !== undefined) return reason;
    const languageId = switchedLanguage(document, settings.enable);
    if (!suggestsIn(settings, languageId))
      return isEnabled(settings.enable, languageId) ? 'unknownLanguage' : 'language';
    if (settings.trigger === 'manual' && !isExplicit) return 'manual';
    const active = vscode.window.activeTextEditor;
    if (active?.document !== document) return undefined;
    if (active.selections.length > 1) return 'multiCursor';
    // VS Code requests suggestions even with a selection, after commands such as "Toggle Line Comment". Tab would then
    // indent rather than accept.
    return !isExplicit && !active.selection.isEmpty ? 'selection' : undefined;
  }

  /** Returns why the commands that write code are off at a line. They work even while suggestions are turned off. */
  whyNoGeneration(document: vscode.TextDocument, line: number): GateReason | undefined {
    if (!vscode.workspace.isTrusted) return 'untrusted';
    if (vscode.workspace.fs.isWritableFileSystem(document.uri.scheme) === false) return 'readOnly';
    return this.whyHidden(document) ?? (isMinified(document, line) ? 'minified' : undefined);
  }

  /** Returns why the server must not see the text of a document, not even as context for another one. */
  whyHidden(document: vscode.TextDocument): GateReason | undefined {
    const { scheme, path } = document.uri;
    if (!SCHEMES.includes(scheme)) return 'input';
    const firstLine = document.lineAt(0).text;
    const paths = pathsOf(document.uri);
    if (paths.some(isSecretPath) || isSecretText(document.languageId, firstLine)) return 'secret';
    const excluded = this.#whyExcluded(document.uri, paths);
    if (excluded !== undefined) return excluded;
    if (sizeOf(document) > MAX_TEXT_LENGTH) return 'tooLarge';
    return isBinaryName(path) || isBinary(firstLine) ? 'binary' : undefined;
  }

  /**
   * Returns whether prompts must not quote a file, open or not: it is outside the workspace, has the name of a secret
   * or binary file, or is excluded or ignored.
   */
  isUnquotable(uri: vscode.Uri): boolean {
    if (vscode.workspace.getWorkspaceFolder(uri) === undefined) return true;
    const paths = pathsOf(uri);
    return (
      paths.some((path) => isSecretPath(path) || isBinaryName(path)) ||
      this.#whyExcluded(uri, paths) !== undefined ||
      this.#isIgnored('.gitignore', uri)
    );
  }

  #whyExcluded(uri: vscode.Uri, paths: readonly string[]): GateReason | undefined {
    const { exclude } = this.configuration.settings;
    if (exclude.some((pattern) => paths.some((path) => pattern.test(path)))) return 'excluded';
    return this.#isIgnored('.flashlineignore', uri) ? 'ignored' : undefined;
  }

  /** Returns whether an ignore file in the workspace folder ignores a file. Does not read other file systems. */
  #isIgnored(name: IgnoreFileName, uri: vscode.Uri): boolean {
    const folder = vscode.workspace.getWorkspaceFolder(uri);
    return folder?.uri.scheme === 'file' && this.ignoreFiles.ignores(name, uri.fsPath, folder.uri.fsPath);
  }

  /** Returns why a requested suggestion would not appear in the active editor, for the status bar. */
  activeEditorPause() {
    const editor = vscode.window.activeTextEditor;
    const reason = editor
      ? this.whyNoSuggestion(editor.document, editor.selection.active, true)
      : this.whyOff();
    // Consoles and input boxes of VS Code need no explanation.
    if (reason === undefined || reason === 'input') return undefined;
    const { enable } = this.configuration.settings;
    const languageId = editor ? switchedLanguage(editor.document, enable) : '';
    return { reason, text: reasonTexts(languageId, this.snooze.until)[reason] };
  }
}

/** Returns the paths of a file or notebook cell, links resolved. Files of other schemes are not on this machine. */
function pathsOf({ scheme, authority, path, fsPath }: vscode.Uri): readonly string[] {
  const isHere = scheme === 'file' || (scheme === 'vscode-notebook-cell' && authority === '');
  return isHere ? [path, ...pathsOfFile(fsPath)] : [path];
}

function isMinified(document: vscode.TextDocument, line: number): boolean {
  const { uri, lineCount } = document;
  if (isMinifiedName(uri.path)) return true;
  const size = sizeOf(document);
  if (size > MIN_MINIFIED_LENGTH && size / lineCount > MAX_MEAN_CODE_LINE_LENGTH) return true;
  return line < lineCount && document.lineAt(line).text.length > MAX_CODE_LINE_LENGTH;
}

/** Returns the size in UTF-16 units; the extension host keeps the sums of line lengths. */
function sizeOf(document: vscode.TextDocument): number {
  return document.offsetAt(new vscode.Position(document.lineCount, 0));
}

/** Returns whether the first line looks binary. The server checks more of the text, and control characters too. */
function isBinary(line: string): boolean {
  const start = line.length > PEEK_LENGTH ? line.slice(0, PEEK_LENGTH) : line;
  return start.includes('\0') || isBroken(start);
}
