// Warns before a base model gets an instruction, since it can only continue text, and offers to choose another model.
// The user can generate with it anyway, and is then not asked again for that model, but cannot edit with it.
import * as vscode from 'vscode';
import type { StatusParams } from '../../server/protocol/messages';
import { usesBuiltIn, type Settings } from '../configuration';

const STORAGE_KEY = 'flashline.baseModelsAccepted';

/** Returns the name of the model in use if it is a base model; before a model is loaded, only of the built-in one. */
export function baseModel(status: StatusParams | undefined, settings: Settings): string | undefined {
  if (status?.model) return status.model.isBase && status.model.target;
  return usesBuiltIn(settings) ? 'embedded' : undefined;
}

/** Command that gives a model an instruction. */
export type Purpose = 'generate' | 'edit';

/**
 * Returns whether to give a base model the instruction. Asks the user, who can choose another model instead. An edit is
 * always refused: a continuation would not be the changed code.
 */
export async function acceptsBaseModel(
  name: string,
  memory: vscode.Memento,
  purpose: Purpose,
): Promise<boolean> {
  const accepted = memory.get<readonly string[]>(STORAGE_KEY, []);
  const key = `${purpose}:${name}`;
  if (accepted.includes(key)) return true;
  const model = name === 'embedded' ? 'The built-in model' : name;
  const task = { generate: 'Generating from a description', edit: 'Editing' }[purpose];
  const message = `${model} can only complete code. ${task} needs a model that follows instructions.`;
  const detail = {
    generate: 'Otherwise it gets your instruction as a comment to continue, which often fails.',
    edit: '',
  }[purpose];
  const choose = 'Choose a Model';
  const useAnyway = 'Generate Anyway';
  const buttons = purpose === 'edit' ? [choose] : [choose, useAnyway];
  // Modal, since a notification would disappear and the command would never end.
  const answer = await vscode.window.showInformationMessage(message, { modal: true, detail }, ...buttons);
  if (answer === choose) await vscode.commands.executeCommand('flashline.pickModel');
  if (purpose === 'edit' || answer !== useAnyway) return false;
  await memory.update(STORAGE_KEY, [...accepted, key]);
  return true;
}
