// Asks for a model that the catalogue does not list: a folder on this machine, or a repository by name. The server
// decides whether it can be loaded.
import * as vscode from 'vscode';
import type { CatalogueEntry } from '../../server/protocol/modelCatalogue';
import { Method } from '../../server/protocol/messages';
import { homedir, hostname } from 'node:os';
import { type ModelParts, chooseModel } from './chooseModel';

const REPOSITORY = /^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*$/;

/** Asks for the folder of a target, and for its drafter: a folder, a drafter of the catalogue, or none. */
export async function askTargetFolder(
  { pairSwitch }: ModelParts,
  entries: readonly CatalogueEntry[],
): Promise<void> {
  const target = await askPath('Use as Target');
  if (target === undefined) return;
  const none = { label: 'No drafter', drafter: 'none' };
  const folder = { label: 'Choose a folder...', drafter: undefined };
  const catalogued = entries
    .filter(({ kind }) => kind === 'drafter')
    .map(({ name, drafter }) => ({ label: name, drafter }));
  const title = 'Choose the drafter for this target';
  const picked = await vscode.window.showQuickPick([folder, ...catalogued, none], { title });
  const drafter = picked === folder ? await askPath('Use as Drafter') : picked?.drafter;
  if (drafter !== undefined) await pairSwitch.to({ target, drafter });
}

/** Asks for a repository, looks it up on the Hub, and continues as if it had been picked from the list. */
export async function askRepository(parts: ModelParts, value = ''): Promise<void> {
  const text = await vscode.window.showInputBox({
    title: 'Flashline: another Hugging Face repository',
    value,
    prompt:
      'Target repository on Hugging Face, followed by a space and its drafter repository if there is one',
    placeHolder: 'mlx-community/Qwen3-4B-4bit z-lab/Qwen3-4B-DFlash-b16',
    ignoreFocusOut: true,
    validateInput: (typed) =>
      typed.trim() === '' || repositoryNames(typed)
        ? undefined
        : 'Enter one or two repository names such as Qwen/Qwen3-4B',
  });
  const repositories = repositoryNames(text ?? '');
  if (repositories === undefined) return;
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: 'Looking up the repository',
    cancellable: true,
  };
  const token = await parts.token.forRequest();
  const catalogue = await vscode.window.withProgress(options, (_, cancelled) =>
    parts.client.request(Method.models, { repositories, ...token }, cancelled),
  );
  const { lookedUp } = catalogue;
  if (lookedUp === undefined) return;
  if ('entry' in lookedUp) return await chooseModel({ ...parts, entry: lookedUp.entry, catalogue });
  const enter = 'Enter Token...';
  const { reason, message } = lookedUp.failure;
  const buttons = reason === 'refused' || reason === 'missing' ? [enter] : [];
  const answer = await vscode.window.showErrorMessage(message, ...buttons);
  if (answer === enter && (await parts.token.ask())) await askRepository(parts, text);
}

/** Parses the names or page addresses of a target and optionally its drafter; undefined for any other text. */
export function repositoryNames(text: string): readonly string[] | undefined {
  const words = text.trim().split(/[\s,+]+/);
  const names = words.map((word) => word.replace(/^https?:\/\/[^/]+\//, '').replace(/\/+$/, ''));
  return names.length <= 2 && names.every((name) => REPOSITORY.test(name)) ? names : undefined;
}

/**
 * Asks for a folder, or for a file of the given kinds, and returns its path; undefined if none was chosen. It must be
 * on the machine where the extension and the models run: in a remote window, shows an error for one on the remote
 * machine.
 */
export async function askPath(
  openLabel: string,
  filters?: Readonly<Record<string, string[]>>,
): Promise<string | undefined> {
  const uris = await vscode.window.showOpenDialog({
    openLabel,
    canSelectFiles: filters !== undefined,
    canSelectFolders: filters === undefined,
    ...(filters && { filters }),
    canSelectMany: false,
    // Without a local default, a remote window shows the folders of the remote machine.
    defaultUri: vscode.Uri.file(homedir()),
  });
  const chosen = uris?.[0];
  if (chosen === undefined || chosen.scheme === 'file') return chosen?.fsPath;
  const kind = filters === undefined ? 'folder' : 'file';
  void vscode.window.showErrorMessage(
    `The models run on ${hostname()}, but this ${kind} is on ${chosen.authority}. Choose one on ${hostname()}.`,
  );
  return undefined;
}
