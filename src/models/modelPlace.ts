// Where the models run: on the machine of the extension, which need not be the one that a remote window works on.
import { homedir, hostname } from 'node:os';
import * as vscode from 'vscode';
import { t } from '../translate';

export interface ModelPlace {
  /** The name of the machine. */
  readonly host: string;
  /** How it relates to the window, in a sentence. */
  readonly relation: string;
}

/** `kind` is where VS Code runs the extension. */
export function modelPlace(kind: vscode.ExtensionKind, remoteName = vscode.env.remoteName): ModelPlace {
  const host = hostname();
  if (remoteName === undefined) return { host, relation: t('The machine that VS Code runs on') };
  const relation =
    kind === vscode.ExtensionKind.UI
      ? t('Your own machine; the files of this window are on another one ({0})', remoteName)
      : t('The machine that the files of this window are on ({0})', remoteName);
  return { host, relation };
}

/**
 * Asks for a folder there, or for a file of some kind. Undefined if the user cancels, or has gone to another machine,
 * which is then explained.
 */
export async function askFolder(
  openLabel: string,
  { host }: ModelPlace,
  filters?: Readonly<Record<string, string[]>>,
): Promise<string | undefined> {
  const folders = await vscode.window.showOpenDialog({
    openLabel,
    canSelectFiles: filters !== undefined,
    canSelectFolders: filters === undefined,
    ...(filters && { filters }),
    canSelectMany: false,
    // Without it, a remote window asks for a folder of the remote machine.
    defaultUri: vscode.Uri.file(homedir()),
  });
  const folder = folders?.[0];
  if (folder === undefined || folder.scheme === 'file') return folder?.fsPath;
  void vscode.window.showErrorMessage(
    t(
      'Expected a folder on {0}, where the models run, got one on {1}; choose one there.',
      host,
      folder.authority,
    ),
  );
  return undefined;
}
