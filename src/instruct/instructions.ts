// What people ask for in words: generated code, edits of a selection, quick fixes, commit messages. They share the
// request that runs, the edits that are not decided yet, and the question that is asked before a base model is instructed.
import type * as vscode from 'vscode';
import { acceptsBaseModel, type MayInstruct } from './baseModel';
import type { FlashlineClient } from '../connection/client';
import { CommitMessage } from './commitMessage';
import type { Configuration } from '../configuration';
import { EditView } from './edit/editView';
import { fixAction } from './edit/fixAction';
import { PendingEdits } from './edit/pendingEdits';
import { SelectionEdit } from './edit/selectionEdit';
import { EditorGeneration } from './editorGeneration';
import type { EditorGate } from '../ghostText/gate';
import { GenerationRun } from './generationRun';
import type { ServerDocuments } from '../connection/serverDocuments';

interface Surroundings {
  readonly client: FlashlineClient;
  readonly configuration: Configuration;
  readonly gate: EditorGate;
  readonly documents: ServerDocuments;
  readonly state: vscode.Memento;
  /** Of the workspace. */
  readonly workspace: vscode.Memento;
  readonly log: vscode.LogOutputChannel;
}

/** `baseModel` is what would answer, if that only continues text. */
export function instructions(
  { client, configuration, gate, documents, state, workspace, log }: Surroundings,
  baseModel: () => string | undefined,
) {
  const mayInstruct: MayInstruct = async (purpose) => {
    const base = baseModel();
    return base === undefined || (await acceptsBaseModel(base, state, purpose));
  };
  const run = new GenerationRun(log);
  const generate = new EditorGeneration(client, gate, documents, run, mayInstruct);
  const pending = new PendingEdits(workspace);
  const edit = new SelectionEdit({ client, configuration, gate, documents, run, pending, mayInstruct });
  const commitMessage = new CommitMessage({ client, gate, run, mayInstruct });
  return {
    run,
    generate,
    pending,
    edit,
    commitMessage,
    disposables: [pending, new EditView(pending), fixAction(gate, edit)],
  };
}
