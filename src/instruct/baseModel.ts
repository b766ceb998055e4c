// A base model only continues text. Whoever gives one an instruction is told so, once for each model and command, and
// offered others.
import * as vscode from 'vscode';
import type { StatusParams } from '../../server/protocol/messages';
import type { FlashlineClient } from '../connection/client';
import type { ServerDocuments } from '../connection/serverDocuments';
import { usesBuiltIn, type Settings } from '../configuration';
import type { EditorGate } from '../ghostText/gate';

const STORED = 'flashline.baseModelsAccepted';

/** The base model that would be given an instruction now, by its name; undefined if it is none, or nobody knows yet. */
export function baseModel(status: StatusParams | undefined, settings: Settings): string | undefined {
  if (status?.model) return status.model.isBase && status.model.target;
  return usesBuiltIn(settings) ? 'embedded' : undefined;
}

/** What it would be asked for. */
export type Purpose = 'generate' | 'edit';

/** Whether it is to be used all the same. None edits: its continuation would not be the changed code. */
export async function acceptsBaseModel(
  name: string,
  memory: vscode.Memento,
  purpose: Purpose,
): Promise<boolean> {
  const accepted = memory.get<readonly string[]>(STORED, []);
  const key = `${purpose}:${name}`;
  if (purpose !== 'edit' && accepted.includes(key)) return true;
  const choose = 'Choose a Model';
  const goOn = { generate: 'Generate Anyway', edit: undefined }[purpose];
  const model = name === 'embedded' ? 'The built-in model' : name;
  const words = {
    generate: `${model} can only complete code. Generating from a description needs a model that follows instructions.`,
    edit: `${model} can only complete code. Editing needs a model that follows instructions.`,
  }[purpose];
  const detail = {
    generate: 'Otherwise it gets your instruction as a comment to continue, which often fails.',
    edit: '',
  }[purpose];
  const buttons = goOn === undefined ? [choose] : [choose, goOn];
  // A notification would go away before it is read, and the command with it.
  const answer = await vscode.window.showInformationMessage(words, { modal: true, detail }, ...buttons);
  if (answer === choose) await vscode.commands.executeCommand('flashline.pickModel');
  if (answer === undefined || answer !== goOn) return false;
  await memory.update(STORED, [...accepted, key]);
  return true;
}

/** What the commands need that ask a model in words. */
export interface InstructParts {
  readonly client: Pick<FlashlineClient, 'stream'>;
  readonly gate: EditorGate;
  readonly documents: ServerDocuments;
  readonly run: GenerationRun;
  /** Whether a person wants it of the model in use; says so where that cannot do it. */
  readonly mayInstruct: (purpose: Purpose) => Promise<boolean>;
}

// The run of a request that generates text for a person: one at a time, with progress, until it ends or is cancelled.

const CONTEXT_KEY = 'flashline.generating';

export interface RunWords {
  readonly title: string;
  readonly failed: (reason: string) => string;
}

export class GenerationRun {
  #running: vscode.CancellationTokenSource | undefined;

  constructor(private readonly log: vscode.LogOutputChannel) {}

  /** Says so if one runs. */
  isFree(): boolean {
    if (this.#running === undefined) return true;
    void vscode.window.showInformationMessage('Flashline is already generating code. Cancel that first.');
    return false;
  }

  cancel(): void {
    this.#running?.cancel();
  }

  /** What `work` throws is told to the person, unless it was cancelled. */
  async run(
    { title, failed }: RunWords,
    work: (source: vscode.CancellationTokenSource, report: (characters: number) => void) => Promise<void>,
  ): Promise<void> {
    if (!this.isFree()) return;
    const source = new vscode.CancellationTokenSource();
    this.#running = source;
    void vscode.commands.executeCommand('setContext', CONTEXT_KEY, true);
    const progress = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
    try {
      await vscode.window.withProgress(progress, async (report, token) => {
        token.onCancellationRequested(() => {
          source.cancel();
        });
        await work(source, (count) => {
          report.report({ message: `${count} characters` });
        });
      });
    } catch (error) {
      if (source.token.isCancellationRequested) return;
      this.log.error('Generating failed.', error);
      void vscode.window.showErrorMessage(failed(error instanceof Error ? error.message : String(error)));
    } finally {
      this.#running = undefined;
      source.dispose();
      void vscode.commands.executeCommand('setContext', CONTEXT_KEY, false);
    }
  }
}
