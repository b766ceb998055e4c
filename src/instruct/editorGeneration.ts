// The generate command: asks for an instruction and streams code into the editor as one undo step. Cancelling keeps the
// text so far; so does an edit to the document, which also ends the run.
import * as vscode from 'vscode';
import { Method, type GenerateDelta, type GenerateResult } from '../../server/protocol/messages';
import type { InstructParts } from './instructParts';
import { StreamedText } from './streamedText';
import { reasonTexts } from '../gate/gateReasons';

const MESSAGE_MS = 5000;

/**
 * Generates code at the selection, or in a new file if no text editor is active, for example in the walkthrough.
 * `given` is the argument of the command: an instruction, or nothing to ask for one.
 */
export async function generateInEditor(parts: InstructParts, given?: unknown): Promise<void> {
  const { client, gate, documents, run, mayInstruct } = parts;
  const active = vscode.window.activeTextEditor;
  if ((active && isRefused(gate, active.document, active.selection.active.line)) || !run.isFree()) return;
  // A caller that passes the instruction gets no dialogs.
  if (typeof given !== 'string' && !(await mayInstruct('generate'))) return;
  const text = typeof given === 'string' ? given : await askInstruction(active?.selection.isEmpty === false);
  const instruction = text?.trim();
  if (!instruction) return;
  const editor = active ?? (await newEditor(gate));
  if (editor === undefined) return;
  const { document } = editor;
  const title = 'Flashline: generating code (press Escape to cancel)';
  await run.run(title, 'Flashline could not generate code', (source, report) =>
    documents.keepVisible(document, async () => {
      const span = selectedSpan(editor);
      const written = new StreamedText(document, span, source);
      const onDelta = (delta: GenerateDelta): void => {
        written.push(delta.text);
        report(written.length);
      };
      try {
        const params = { uri: document.uri.toString(), ...span, instruction };
        const answer = client.stream(Method.generate, params, onDelta, source.token);
        showResult(await answer.finally(() => written.finish()));
      } finally {
        written.dispose();
      }
    }),
  );
}

/** Returns whether code must not be generated at a line; if so, shows the reason. */
function isRefused(gate: InstructParts['gate'], document: vscode.TextDocument, line: number): boolean {
  const reason = gate.whyNoGeneration(document, line);
  if (reason === undefined) return false;
  const text = reasonTexts(document.languageId)[reason];
  void vscode.window.showInformationMessage(`Flashline cannot generate code here: ${text}`);
  return true;
}

/** Opens and shows a new document; undefined if code must not be generated in it. */
async function newEditor(gate: InstructParts['gate']): Promise<vscode.TextEditor | undefined> {
  const document = await vscode.workspace.openTextDocument();
  return isRefused(gate, document, 0) ? undefined : await vscode.window.showTextDocument(document);
}

/** Returns the current selection in offsets: it can have changed while the input box was open. */
function selectedSpan({ document, selection }: vscode.TextEditor) {
  return { start: document.offsetAt(selection.start), end: document.offsetAt(selection.end) };
}

async function askInstruction(hasSelection: boolean): Promise<string | undefined> {
  return await vscode.window.showInputBox({
    title: hasSelection ? 'Rewrite the selection' : 'Generate code at the cursor',
    prompt: 'Describe the code you want.',
    placeHolder: hasSelection ? 'make it handle an empty list' : 'a function that parses an ISO date',
    ignoreFocusOut: true,
  });
}

function showResult({ text, finishReason }: GenerateResult): void {
  if (text === '' && !['cancelled', 'superseded', 'abandoned'].includes(finishReason))
    return void vscode.window.showInformationMessage(
      'The model wrote no code. Describe it in other words, or choose a model that follows instructions.',
    );
  const message = {
    stop: `Flashline: generated ${text.length} characters`,
    length: 'Flashline: stopped at the token limit (flashline.maxGenerateTokens)',
    repetition: 'Flashline: stopped because the output kept repeating itself',
    cancelled: 'Flashline: cancelled; the text so far is kept',
    superseded: 'Flashline: stopped, as the model was unloaded; the text so far is kept',
    abandoned: 'Flashline: cancelled; the text so far is kept',
  }[finishReason];
  vscode.window.setStatusBarMessage(message, MESSAGE_MS);
}
