// The edit command: sends the selected lines and an instruction to the server, and turns its answer into a pending
// edit. The document does not change before the answer is complete.
import * as vscode from 'vscode';
import {
  Method,
  type GenerateDelta,
  type GenerateParams,
  type GenerateResult,
} from '../../../server/protocol/messages';
import type { Configuration } from '../../configuration';
import { reasonTexts } from '../../ghostText/gateReasons';
import type { InstructParts } from '../instructParts';
import { goTo } from './editView';
import { moved, type Hunk } from './hunks';
import type { PendingEdits } from './pendingEdits';

/** Most lines that one edit can replace. */
const MAX_LINES = 1000;
const MESSAGE_MS = 8000;
/** Low estimate: code has three to four, but an answer can be longer than the code it replaces. */
const CHARACTERS_PER_TOKEN = 2;
/** Multiple of the selection's length above which an answer that reached the limit counts as never ending. */
const RUNAWAY_FACTOR = 1.5;

export interface EditParts extends InstructParts {
  readonly configuration: Pick<Configuration, 'settings'>;
  readonly pending: PendingEdits;
}

/** Whole lines of a document, from `from` up to `to`. */
export interface EditedLines {
  readonly document: vscode.TextDocument;
  readonly from: number;
  readonly to: number;
}

export class SelectionEdit {
  constructor(private readonly parts: EditParts) {}

  /** Edits the selected lines; asks for the instruction unless it is given. */
  async edit(given?: unknown): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) return void vscode.window.showInformationMessage('Open a file to edit code.');
    const instruct = typeof given === 'string' ? () => Promise.resolve(given) : askInstruction;
    // The selection is read again when the input box closes.
    await this.apply(() => selectedLines(editor), instruct);
  }

  /** Edits lines. Calls `place` before and again after `instruct`, since the user can take a while to answer. */
  async apply(place: () => EditedLines, instruct: () => Promise<string | undefined>): Promise<void> {
    if (!this.#canEdit(place())) return;
    if (!(await this.parts.mayInstruct('edit'))) return;
    const instruction = (await instruct())?.trim();
    if (!instruction) return;
    const lines = place();
    if (!this.#canEdit(lines)) return;
    const words = {
      title: 'Flashline: editing code (press Escape to cancel)',
      failed: (reason: string) => `Flashline could not edit the code: ${reason}`,
    };
    const { documents, run } = this.parts;
    await run.run(words, (source, report) =>
      documents.keepVisible(lines.document, () => this.#ask(lines, instruction, source, report)),
    );
  }

  /** Returns whether lines can be edited; shows the reason if not. */
  #canEdit({ document, from, to }: EditedLines): boolean {
    const { gate, run, pending } = this.parts;
    const reason = gate.whyNoGeneration(document, from);
    let words: string | undefined;
    if (reason !== undefined)
      words = `Flashline cannot edit code here: ${reasonTexts(document.languageId)[reason]}`;
    else if (pending.hunksOf(document).length > 0)
      words = `Accept or reject the changes in ${nameOf(document)} first.`;
    else if (to - from > MAX_LINES)
      words = `Flashline edits at most ${MAX_LINES} lines at a time. Select less.`;
    if (words === undefined) return run.isFree();
    void vscode.window.showInformationMessage(words);
    return false;
  }

  async #ask(
    { document, from, to }: EditedLines,
    instruction: string,
    source: vscode.CancellationTokenSource,
    report: (characters: number) => void,
  ): Promise<void> {
    const { client, configuration } = this.parts;
    const range = new vscode.Range(new vscode.Position(from, 0), document.lineAt(to - 1).range.end);
    const start = document.offsetAt(range.start);
    const end = document.offsetAt(range.end);
    const params: GenerateParams = {
      uri: document.uri.toString(),
      instruction,
      start,
      end,
      maxTokens: Math.max(
        configuration.settings.server.maxGenerateTokens,
        Math.ceil((end - start) / CHARACTERS_PER_TOKEN),
      ),
    };
    // The lines as a hunk, whose place is kept up to date; its text does not matter.
    const watched = watch(document, { id: 0, line: from, removed: [''], empty: to - from, added: 0 }, source);
    let count = 0;
    try {
      const result = await client.stream<GenerateResult, GenerateDelta>(
        Method.generate,
        params,
        ({ text }) => {
          report((count += text.length));
        },
        source.token,
      );
      if (watched.line === undefined)
        return void vscode.window.showInformationMessage(
          'The code was changed in the meantime, so Flashline changed nothing.',
        );
      if (canPropose(result, end - start))
        await this.#propose(document, watched.line, to - from, result.text);
    } finally {
      watched.dispose();
    }
  }

  async #propose(document: vscode.TextDocument, from: number, count: number, text: string): Promise<void> {
    const { pending } = this.parts;
    if (!(await pending.propose(document, from, from + count, text.split(/\r?\n/))))
      throw new Error(`VS Code refused to change ${nameOf(document)}.`);
    const [first] = pending.hunksOf(document);
    if (first === undefined)
      return void vscode.window.showInformationMessage('Flashline: the model suggested no changes.');
    const editor = vscode.window.visibleTextEditors.find((candidate) => candidate.document === document);
    if (editor) goTo(editor, first);
  }
}

/** Returns whether an answer can be proposed; shows the reason if not. */
function canPropose({ text, finishReason }: GenerateResult, selected: number): boolean {
  const length =
    text.length > RUNAWAY_FACTOR * selected
      ? 'The answer never finished, so Flashline changed nothing. Describe the change more precisely.'
      : 'The answer reached the token limit, so Flashline changed nothing. Select less.';
  const words = {
    stop: text === '' ? 'The model returned no code, so Flashline changed nothing.' : undefined,
    length,
    repetition: 'The output kept repeating itself, so Flashline changed nothing.',
    superseded: 'Another request stopped this one, so Flashline changed nothing.',
    cancelled: '',
    abandoned: '',
  }[finishReason];
  if (words === undefined) return true;
  if (words === '')
    vscode.window.setStatusBarMessage('Flashline: cancelled; nothing was changed', MESSAGE_MS);
  else void vscode.window.showInformationMessage(words);
  return false;
}

/**
 * Tracks lines while the document is edited around them; cancels `source` if they are edited or the document closes.
 */
function watch(document: vscode.TextDocument, lines: Hunk, source: vscode.CancellationTokenSource) {
  let [now]: readonly Hunk[] = [lines];
  const lose = (): void => {
    now = undefined;
    source.cancel();
  };
  const listeners = [
    vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document !== document || now === undefined) return;
      [now] = event.contentChanges.reduce(moved, [now]);
      if (now === undefined) lose();
    }),
    vscode.workspace.onDidCloseTextDocument((closed) => {
      // A change of language closes and reopens a document.
      if (closed === document && closed.isClosed) lose();
    }),
  ];
  return {
    get line() {
      return now?.line;
    },
    dispose: () => {
      for (const listener of listeners) listener.dispose();
    },
  };
}

/** Returns the selected lines without blank lines around them; the line of the cursor if nothing is selected. */
function selectedLines({ document, selection }: vscode.TextEditor): EditedLines {
  let [from, to] = [selection.start.line, selection.end.line + 1];
  // A selection of whole lines ends at the start of the following line.
  if (!selection.isEmpty && selection.end.character === 0 && to > from + 1) to -= 1;
  while (to > from + 1 && document.lineAt(from).isEmptyOrWhitespace) from += 1;
  while (to > from + 1 && document.lineAt(to - 1).isEmptyOrWhitespace) to -= 1;
  return { document, from, to };
}

function nameOf({ uri }: vscode.TextDocument): string {
  return vscode.workspace.asRelativePath(uri);
}

async function askInstruction(): Promise<string | undefined> {
  return await vscode.window.showInputBox({
    title: 'Edit the selected code',
    prompt: 'Describe the change.',
    placeHolder: 'make it handle an empty list',
    ignoreFocusOut: true,
  });
}
