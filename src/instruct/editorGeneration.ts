// The generate command: asks for an instruction and streams code into the editor as one undo step. Cancelling keeps the
// text so far; so does an edit to the document, which also ends the run.
import * as vscode from 'vscode';
import { Method, type GenerateDelta, type GenerateResult } from '../../server/protocol/messages';
import type { InstructParts } from './instructParts';
import { DeltaWriter } from './deltaWriter';
import { StreamTarget } from './streamTarget';
import { reasonTexts } from '../gate/gateReasons';

const MESSAGE_MS = 5000;

type StreamCode = (
  place: { readonly uri: string; readonly start: number; readonly end: number },
  onDelta: (delta: GenerateDelta) => void,
) => Promise<GenerateResult>;

/** Generates code at the selection. `given` is the argument of the command: an instruction, or nothing to ask for one. */
export async function generateInEditor(parts: InstructParts, given?: unknown): Promise<void> {
  const { gate, documents, run, mayInstruct } = parts;
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) return void vscode.window.showInformationMessage('Open a file to generate code.');
  const reason = gate.whyNoGeneration(editor.document, editor.selection.active.line);
  if (reason !== undefined) {
    const text = reasonTexts(editor.document.languageId)[reason];
    return void vscode.window.showInformationMessage(`Flashline cannot generate code here: ${text}`);
  }
  if (!run.isFree()) return;
  // A caller that passes the instruction gets no dialogs.
  if (typeof given !== 'string' && !(await mayInstruct('generate'))) return;
  const text = typeof given === 'string' ? given : await askInstruction(!editor.selection.isEmpty);
  const instruction = text?.trim();
  if (!instruction) return;
  const title = 'Flashline: generating code (press Escape to cancel)';
  await run.run(title, 'Flashline could not generate code', (source, report) => {
    const stream: StreamCode = (place, onDelta) =>
      parts.client.stream(Method.generate, { ...place, instruction }, onDelta, source.token);
    return documents.keepVisible(editor.document, () => streamInto(editor, stream, source, report));
  });
}

/** Writes the answer at the current selection, which can have changed while the input box was open. */
async function streamInto(
  { document, selection }: vscode.TextEditor,
  stream: StreamCode,
  source: vscode.CancellationTokenSource,
  report: (characters: number) => void,
): Promise<void> {
  const span = { start: document.offsetAt(selection.start), end: document.offsetAt(selection.end) };
  const target = new StreamTarget(document, span, source);
  const writer = new DeltaWriter(target.write);
  const onDelta = ({ text }: GenerateDelta): void => {
    writer.push(text);
    report(writer.text.length);
  };
  try {
    const answer = stream({ uri: document.uri.toString(), ...span }, onDelta);
    showResult(await answer.finally(() => writer.finish()));
  } finally {
    target.dispose();
  }
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
