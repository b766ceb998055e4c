// Shows the menu of the status bar and runs what the person picks.
// What is in it is decided in menu.ts.
import * as vscode from 'vscode';
import { menu, type MenuItem, type MenuView } from './menu';

export async function showMenu(view: MenuView): Promise<void> {
  const items: readonly (MenuItem & vscode.QuickPickItem)[] = menu(view, vscode.l10n.t);
  const picked = await vscode.window.showQuickPick(items, { title: 'Flashline' });
  if (picked === undefined) return;
  await vscode.commands.executeCommand(picked.command, ...(picked.arguments ?? []));
}
