// Asks for models on this machine: a folder as target or drafter. Whether it can be loaded is for the server to say.
import * as vscode from 'vscode';
import type { CatalogueEntry } from '../../server/modelCatalogue';
import type { ModelPair } from './switchFailure';

/** Undefined when the person has thought better of it. */
export async function askTargetFolder(drafters: readonly CatalogueEntry[]): Promise<ModelPair | undefined> {
  const target = await askFolder(vscode.l10n.t('Use as target'));
  const drafter = target === undefined ? undefined : await askDrafter(drafters);
  return target === undefined || drafter === undefined ? undefined : { target, drafter };
}

export async function askDrafterFolder(): Promise<string | undefined> {
  return await askFolder(vscode.l10n.t('Use as drafter'));
}

async function askDrafter(drafters: readonly CatalogueEntry[]): Promise<string | undefined> {
  const t = vscode.l10n.t;
  const none = { label: t('No drafter'), drafter: 'none' };
  const folder = { label: t('Choose a drafter...'), drafter: undefined };
  const there = drafters.map(({ name, drafter }) => ({ label: name, drafter }));
  const title = t('Is there a drafter for this target?');
  const picked = await vscode.window.showQuickPick([folder, ...there, none], { title });
  return picked === folder ? await askDrafterFolder() : picked?.drafter;
}

async function askFolder(openLabel: string): Promise<string | undefined> {
  const folders = await vscode.window.showOpenDialog({
    openLabel,
    canSelectFiles: false,
    canSelectFolders: true,
    canSelectMany: false,
  });
  return folders?.[0]?.fsPath;
}
