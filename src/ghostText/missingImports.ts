// Adds missing imports for the names of an accepted suggestion, by the quick fixes of language support: only those that
// VS Code would apply without a question, in the undo step of the suggestion. Typing is never delayed.
import * as vscode from 'vscode';
import { isRecord } from '../../server/rules/json';
import { OneAtATime } from '../../server/rules/oneAtATime';
import type { Insertion } from './acceptance';

const LANGUAGES = ['typescript', 'typescriptreact', 'javascript', 'javascriptreact'];

/** TypeScript's codes for "Cannot find name", without and with a proposal. */
const UNKNOWN_NAMES: readonly unknown[] = [2304, 2552];

const NAMES = /[\p{L}_$][\p{L}\p{N}_$]*/gu;

/** Time limit for language support to report the unknown names. */
const TIMEOUT_MS = 5000;

/** Matches import statements: an import fix adds one, or a name to one. */
const IMPORTS = /\bimport\b|\brequire\s*\(/;
/** Matches the first line of an import statement of several lines, and one of its lines with names. */
const IMPORT_START = /^import\b[^'"]*\{[^'"}]*$/;
const IMPORT_LINE = /^\s+[\p{ID_Continue}$][\p{ID_Continue}$\s,]*$/u;

export class MissingImports implements vscode.Disposable {
  #stop: (() => void) | undefined;
  /** Queue of reports, one at a time: an import added for another report would count as a change by the user. */
  readonly #turns = new OneAtATime();

  constructor(private readonly log: vscode.LogOutputChannel) {}

  /** Called with the text of a suggestion that was accepted in the active editor. */
  onAccepted({ uri, text }: Insertion): void {
    this.#stop?.();
    const editor = vscode.window.activeTextEditor;
    const names = new Set(text.match(NAMES));
    if (String(editor?.document.uri) !== uri || !editor || names.size === 0) return;
    if (!LANGUAGES.includes(editor.document.languageId)) return;
    const listener = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
      if (!uris.some((changed) => String(changed) === uri)) return;
      this.#turns
        .run(() => this.#add(editor, names))
        .catch((error: unknown) => {
          this.log.warn(`Imports could not be added: ${String(error)}`);
        });
    });
    const timer = setTimeout(() => this.#stop?.(), TIMEOUT_MS);
    this.#stop = () => {
      listener.dispose();
      clearTimeout(timer);
    };
  }

  dispose(): void {
    this.#stop?.();
  }

  /** Adds imports for those of `names` that are reported as unknown, and removes these names from the set. */
  async #add(editor: vscode.TextEditor, names: Set<string>): Promise<void> {
    const { document } = editor;
    for (const diagnostic of vscode.languages.getDiagnostics(document.uri)) {
      const name = document.getText(diagnostic.range);
      if (!UNKNOWN_NAMES.includes(codeOf(diagnostic)) || !names.delete(name)) continue;
      const { version } = document;
      const edits = await importOf(document, diagnostic.range);
      if (edits === undefined || document.version !== version) continue;
      // A change in between would separate the import from the undo step of the suggestion.
      await editor.edit(
        (builder) => {
          for (const { range, newText } of edits) builder.replace(range, newText);
        },
        { undoStopBefore: false, undoStopAfter: false },
      );
    }
  }
}

/** Returns the edits of the import, if exactly one quick fix adds it. */
async function importOf(
  document: vscode.TextDocument,
  range: vscode.Range,
): Promise<readonly vscode.TextEdit[] | undefined> {
  const actions = await vscode.commands.executeCommand<readonly vscode.CodeAction[]>(
    'vscode.executeCodeActionProvider',
    document.uri,
    range,
    vscode.CodeActionKind.QuickFix.value,
  );
  const imports = actions.flatMap(({ edit, isPreferred }) => {
    const [[uri, edits = []] = []] = edit?.entries() ?? [];
    const isHere = edit?.size === 1 && String(uri) === String(document.uri);
    const isImport = isPreferred === true && isHere && edits.every((change) => addsImport(document, change));
    return isImport ? [edits] : [];
  });
  return imports.length === 1 ? imports[0] : undefined;
}

/** Returns whether an edit adds an import statement, or a name to one, which can have several lines. */
function addsImport(document: vscode.TextDocument, { range, newText }: vscode.TextEdit): boolean {
  if (IMPORTS.test(newText) || IMPORTS.test(document.lineAt(range.start.line).text)) return true;
  for (let line = range.start.line; line >= 0; line -= 1) {
    const { text } = document.lineAt(line);
    if (/^import\b/.test(text)) return IMPORT_START.test(text);
    if (!IMPORT_LINE.test(text)) return false;
  }
  return false;
}

function codeOf({ code }: vscode.Diagnostic): unknown {
  return isRecord(code) ? code.value : code;
}
