// The edit command: sends the selected lines and an instruction to the server, and turns its answer into a pending
// edit. The document does not change before the answer is complete.
import * as vscode from 'vscode';
import { Method, type GenerateParams, type GenerateResult } from '../../../server/protocol/messages';
import type { Configuration } from '../../configuration';
import { reasonTexts } from '../../gate/gateReasons';
import type { InstructParts } from '../instructParts';
import { goTo } from './decideHunks';
import { FollowedLines, type EditedLines } from './followedLines';
import type { PendingEdits } from './pendingEdits';

/** Maximum number of lines that one edit can replace. */
const MAX_LINES = 1000;
const MESSAGE_MS = 8000;
/** Low on purpose: code has three to four, but an answer can be longer than the code that it replaces. */
const CHARACTERS_PER_TOKEN = 2;
/** An answer that reached the token limit counts as endless if it is longer than this multiple of the selection. */
const RUNAWAY_FACTOR = 1.5;

export interface EditParts extends InstructParts {
  readonly configuration: Configuration;
  readonly pending: PendingEdits;
}

export class SelectionEdit {
  constructor(private readonly parts: EditParts) {}

  /** Edits the selected lines. `given` is the argument of the command: an instruction, or nothing to ask for one. */
  async edit(given?: unknown): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) return void vscode.window.showInformationMessage('Open a file to edit code.');
    const instruct = typeof given === 'string' ? () => Promise.resolve(given) : askInstruction;
    // The selection is read again when the input box closes.
    await this.apply(() => selectedLines(editor), instruct);
  }

  /** Edits lines. Calls `linesNow` before and again after `instruct`, since the user can take a while to answer. */
  async apply(linesNow: () => EditedLines, instruct: () => Promise<string | undefined>): Promise<void> {
    if (!this.#canEdit(linesNow())) return;
    if (!(await this.parts.mayInstruct('edit'))) return;
    const instruction = (await instruct())?.trim();
    if (!instruction) return;
    const lines = linesNow();
    if (!this.#canEdit(lines)) return;
    const { documents, run } = this.parts;
    const title = 'Flashline: editing code (press Escape to cancel)';
    await run.run(title, 'Flashline could not edit the code', (source, report) =>
      documents.keepVisible(lines.document, () => this.#ask(lines, instruction, source, report)),
    );
  }

  /** Returns whether lines can be edited; shows the reason if not. */
  #canEdit({ document, from, to }: EditedLines): boolean {
    const { gate, run, pending } = this.parts;
    const reason = gate.whyNoGeneration(document, from);
    let objection: string | undefined;
    if (reason !== undefined)
      objection = `Flashline cannot edit code here: ${reasonTexts(document.languageId)[reason]}`;
    else if (pending.hunksOf(document).length > 0)
      objection = `Accept or reject the changes in ${nameOf(document)} first.`;
    else if (to - from > MAX_LINES)
      objection = `Flashline edits at most ${MAX_LINES} lines at a time. Select less.`;
    if (objection === undefined) return run.isFree();
    void vscode.window.showInformationMessage(objection);
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
    const followed = new FollowedLines({ document, from, to }, source);
    let count = 0;
    try {
      const result = await client.stream(
        Method.generate,
        params,
        ({ text }) => {
          count += text.length;
          report(count);
        },
        source.token,
      );
      if (followed.from === undefined)
        return void vscode.window.showInformationMessage(
          'The code was changed in the meantime, so Flashline changed nothing.',
        );
      if (canPropose(result, end - start))
        await this.#propose(document, followed.from, to - from, result.text);
    } finally {
      followed.dispose();
    }
  }

  async #propose(document: vscode.TextDocument, from: number, count: number, text: string): Promise<void> {
    const { pending } = this.parts;
    if (!(await pending.propose(document, from, from + count, text.split(/\r?\n/))))
      throw new Error(`VS Code refused to change ${nameOf(document)}. Make sure that it can be edited.`);
    const [first] = pending.hunksOf(document);
    if (first === undefined)
      return void vscode.window.showInformationMessage('Flashline: the model suggested no changes.');
    const editor = vscode.window.visibleTextEditors.find((candidate) => candidate.document === document);
    if (editor) goTo(editor, first);
  }
}

/** Returns whether an answer can be proposed; shows the reason if not. */
function canPropose({ text, finishReason }: GenerateResult, selectedLength: number): boolean {
  if (finishReason === 'cancelled' || finishReason === 'abandoned') {
    vscode.window.setStatusBarMessage('Flashline: cancelled; nothing was changed', MESSAGE_MS);
    return false;
  }
  const length =
    text.length > RUNAWAY_FACTOR * selectedLength
      ? 'The answer never finished, so Flashline changed nothing. Describe the change more precisely.'
      : 'The answer reached the token limit, so Flashline changed nothing. Select less.';
  const objection = {
    stop: text === '' ? 'The model returned no code, so Flashline changed nothing.' : undefined,
    length,
    repetition: 'The output kept repeating itself, so Flashline changed nothing.',
    superseded: 'The model was unloaded in the meantime, so Flashline changed nothing.',
  }[finishReason];
  if (objection !== undefined) void vscode.window.showInformationMessage(objection);
  return objection === undefined;
}

/** Returns the selected lines without blank lines around them; the line of the cursor if nothing is selected. */
function selectedLines({ document, selection }: vscode.TextEditor): EditedLines {
  let from = selection.start.line;
  let to = selection.end.line + 1;
  // A selection of whole lines ends at the start of the following line.
  if (!selection.isEmpty && selection.end.character === 0) to -= 1;
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
