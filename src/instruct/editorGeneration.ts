// The generate command: an instruction, then text that streams into the editor as one undo step.
// Cancelling keeps the text so far; so does an edit to the document, which also ends the run.
import * as vscode from 'vscode';
import { Method, type GenerateDelta, type GenerateResult } from '../../server/protocol/messages';
import type { MayInstruct, GenerationRun } from './baseModel';
import type { FlashlineClient } from '../connection/client';
import { DeltaWriter, StreamTarget } from './deltaWriter';
import { reasonTexts, type EditorGate } from '../ghostText/gate';
import type { ServerDocuments } from '../connection/serverDocuments';
import { t } from '../translate';

const MESSAGE_MS = 5000;

export class EditorGeneration {
  constructor(
    private readonly client: FlashlineClient,
    private readonly gate: EditorGate,
    private readonly documents: ServerDocuments,
    private readonly run: GenerationRun,
    private readonly mayInstruct: MayInstruct,
  ) {}

  /** Prompts for the instruction unless it is given. */
  async generate(given?: unknown): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined)
      return void vscode.window.showInformationMessage(t('Open a file to generate code.'));
    const reason = this.gate.generation(editor.document, editor.selection.active.line);
    if (reason !== undefined) {
      const text = reasonTexts(editor.document.languageId)[reason];
      return void vscode.window.showInformationMessage(t('Flashline cannot generate code here: {0}', text));
    }
    if (!this.run.isFree()) return;
    if (typeof given !== 'string' && !(await this.mayInstruct('generate'))) return;
    const instruction = typeof given === 'string' ? given : await askInstruction(!editor.selection.isEmpty);
    // The selection as it is now: the input box may have been open for a while.
    if (instruction?.trim()) await this.#generate(editor, instruction.trim());
  }

  async #generate(editor: vscode.TextEditor, instruction: string): Promise<void> {
    const words = {
      title: t('Flashline: generating code (press Escape to cancel)'),
      failed: (reason: string) => t('Flashline could not generate code: {0}', reason),
    };
    await this.run.run(words, (source, report) =>
      this.documents.during(editor.document, () =>
        this.#stream(editor, instruction, source, report),
      ),
    );
  }

  async #stream(
    { document, selection }: vscode.TextEditor,
    instruction: string,
    source: vscode.CancellationTokenSource,
    report: (characters: number) => void,
  ): Promise<void> {
    const span = { start: document.offsetAt(selection.start), end: document.offsetAt(selection.end) };
    const target = new StreamTarget(document, span, source);
    const writer = new DeltaWriter(target.write);
    try {
      const result = await this.client.stream<GenerateResult, GenerateDelta>(
        Method.generate,
        { uri: document.uri.toString(), instruction, ...span },
        ({ text }) => {
          writer.push(text);
          report(writer.text.length);
        },
        source.token,
      );
      // For a server that sends no deltas, or whose last one comes late.
      if (result.text.startsWith(writer.text)) writer.push(result.text.slice(writer.text.length));
      await writer.finish();
      tell(result);
    } catch (error) {
      await writer.finish();
      if (!source.token.isCancellationRequested) throw error;
    } finally {
      target.dispose();
    }
  }
}

async function askInstruction(hasSelection: boolean): Promise<string | undefined> {
  return await vscode.window.showInputBox({
    title: hasSelection ? t('Rewrite the selection') : t('Generate code at the cursor'),
    prompt: t('Describe the code you want.'),
    placeHolder: hasSelection ? t('make it handle an empty list') : t('a function that parses an ISO date'),
    ignoreFocusOut: true,
  });
}

function tell({ text, finishReason }: GenerateResult): void {
  if (text === '' && finishReason !== 'cancelled')
    return void vscode.window.showInformationMessage(t('Flashline: the model had nothing to add.'));
  const message = {
    stop: t('Flashline: generated {0} characters', text.length),
    length: t('Flashline: stopped at the token limit (flashline.maxGenerateTokens)'),
    repetition: t('Flashline: stopped because the output kept repeating itself'),
    cancelled: t('Flashline: cancelled; the text so far is kept'),
    superseded: t('Flashline: stopped by another request; the text so far is kept'),
    abandoned: t('Flashline: cancelled; the text so far is kept'),
  }[finishReason];
  vscode.window.setStatusBarMessage(message, MESSAGE_MS);
}
