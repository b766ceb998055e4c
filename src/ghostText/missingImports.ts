// Imports for the names of an accepted suggestion, from the language's own quick fixes: only those that VS Code would
// apply without a question, and in the undo step of the suggestion. Later keys are never held up.
import * as vscode from 'vscode';
import { isRecord } from '../../server/rules/json';

const LANGUAGES = ['typescript', 'typescriptreact', 'javascript', 'javascriptreact'];
/** "Cannot find name", with and without a proposal. */
const UNKNOWN_NAMES: readonly unknown[] = [2304, 2552];
const NAMES = /[\p{L}_$][\p{L}\p{N}_$]*/gu;
/** Language support has looked at the text by then. */
const LONGEST_MS = 5000;
/** Statements and names in their braces are all that an import adds. */
const IMPORTS = /\bimport\b|\brequire\s*\(/;

export interface AcceptedText {
  readonly uri: string;
  readonly text: string;
}

export class MissingImports implements vscode.Disposable {
  #stop: (() => void) | undefined;

  constructor(private readonly log: Pick<vscode.LogOutputChannel, 'warn'>) {}

  /** A suggestion was accepted in the active editor. */
  accepted({ uri, text }: AcceptedText): void {
    this.#stop?.();
    const editor = vscode.window.activeTextEditor;
    const names = new Set(text.match(NAMES));
    if (String(editor?.document.uri) !== uri || !editor || names.size === 0) return;
    if (!LANGUAGES.includes(editor.document.languageId)) return;
    const told = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
      if (!uris.some((each) => String(each) === uri)) return;
      this.#add(editor, names).catch((error: unknown) => {
        this.log.warn(`Imports could not be added: ${String(error)}`);
      });
    });
    const timer = setTimeout(() => this.#stop?.(), LONGEST_MS);
    this.#stop = () => {
      told.dispose();
      clearTimeout(timer);
    };
  }

  dispose(): void {
    this.#stop?.();
  }

  /** Each name is tried once. */
  async #add(editor: vscode.TextEditor, names: Set<string>): Promise<void> {
    const { document } = editor;
    for (const diagnostic of vscode.languages.getDiagnostics(document.uri)) {
      const name = document.getText(diagnostic.range);
      if (!UNKNOWN_NAMES.includes(codeOf(diagnostic)) || !names.delete(name)) continue;
      const { version } = document;
      const edits = await importOf(document, diagnostic.range);
      if (edits === undefined || document.version !== version) continue;
      // Other changes to the file since would stand between the two.
      await editor.edit(
        (builder) => {
          for (const { range, newText } of edits) builder.replace(range, newText);
        },
        { undoStopBefore: false, undoStopAfter: false },
      );
    }
  }
}

/** The edits of the only import that would do. */
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
    return isPreferred === true && isHere && edits.every((each) => addsImport(document, each)) ? [edits] : [];
  });
  return imports.length === 1 ? imports[0] : undefined;
}

/** A new statement, or one more name in the line of another. */
function addsImport(document: vscode.TextDocument, { range, newText }: vscode.TextEdit): boolean {
  return IMPORTS.test(newText) || IMPORTS.test(document.lineAt(range.start.line).text);
}

function codeOf({ code }: vscode.Diagnostic): unknown {
  return isRecord(code) ? code.value : code;
}
