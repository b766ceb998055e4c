// A base model only continues text. Whoever gives one an instruction is told so, once for each model, and offered others.
import * as vscode from 'vscode';
import type { StatusParams } from '../server/protocol';
import { usesBuiltIn, type Settings } from './configuration';
import { t } from './translate';

const STORED = 'flashline.baseModelsAccepted';

/** The base model that would be given an instruction now, by its name; undefined if it is none, or nobody knows yet. */
export function baseModel(status: StatusParams | undefined, settings: Settings): string | undefined {
  if (status?.model) return status.model.isBase && status.model.target;
  return usesBuiltIn(settings) ? 'embedded' : undefined;
}

/** What it would be asked for. */
export type Purpose = 'generate' | 'edit' | 'commit';

/** Whether it is to be used all the same. */
export async function acceptsBaseModel(
  name: string,
  memory: vscode.Memento,
  purpose: Purpose,
): Promise<boolean> {
  const accepted = memory.get<readonly string[]>(STORED, []);
  if (accepted.includes(name)) return true;
  const choose = t('Choose a Model');
  const goOn = {
    generate: t('Generate Anyway'),
    edit: t('Edit Anyway'),
    commit: t('Write Anyway'),
  }[purpose];
  const model = name === 'embedded' ? t('The built-in model') : name;
  const words =
    purpose === 'commit'
      ? t(
          '{0} completes code and does not follow instructions: it continues the changes, with one line at best.',
          model,
        )
      : t(
          '{0} completes code and does not follow instructions: yours will be a comment that it continues.',
          model,
        );
  const answer = await vscode.window.showInformationMessage(words, choose, goOn);
  if (answer === choose) await vscode.commands.executeCommand('flashline.pickModel');
  if (answer !== goOn) return false;
  await memory.update(STORED, [...accepted, name]);
  return true;
}
