// Saves a request where the user says, and shows what was written.
import * as vscode from 'vscode';
import type { StatsRow } from '../../server/protocol';
import { t } from '../translate';
import { exportedRow } from './exportedRow';

export async function saveRow(row: StatsRow | undefined, log: vscode.LogOutputChannel): Promise<void> {
  if (row === undefined) return;
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const name = `flashline-request-${row.id}.json`;
  const uri = await vscode.window.showSaveDialog({
    ...(folder && { defaultUri: vscode.Uri.joinPath(folder, name) }),
    filters: { JSON: ['json'] },
  });
  if (uri === undefined) return;
  try {
    await vscode.workspace.fs.writeFile(uri, Buffer.from(exportedRow(row)));
    await vscode.window.showTextDocument(uri);
  } catch (error) {
    log.error('Exporting a request failed.', error);
    const text = error instanceof Error ? error.message : String(error);
    void vscode.window.showErrorMessage(t('The request could not be exported: {0}', text));
  }
}
