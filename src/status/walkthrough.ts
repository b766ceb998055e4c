// The walkthrough: opens once after installation, and has its first step ticked by the first accepted suggestion. VS
// Code opens a walkthrough by itself only in a window that is open during the installation, and never after
// `code --install-extension`.
import * as vscode from 'vscode';

const STORAGE_KEY = 'flashline.walkthroughShown';
/** Schemes of files on the disk of this machine or, in a remote window, of the other machine. */
const DISK_SCHEMES: readonly string[] = ['file', 'vscode-remote'];

/**
 * Opens the walkthrough once, in the first trusted window with the focus whose folders are not all virtual, unless the
 * settings of VS Code turn off walkthroughs after an installation.
 */
export function openWalkthroughOnce(memory: vscode.Memento, open: () => void): vscode.Disposable {
  const openIfDue = (): void => {
    // Checked again at each event: another window can have opened the walkthrough.
    if (memory.get(STORAGE_KEY) === true || !vscode.workspace.isTrusted || isVirtual()) return;
    if (!vscode.window.state.focused) return;
    void memory.update(STORAGE_KEY, true);
    const opensOnInstall = vscode.workspace
      .getConfiguration()
      .get('workbench.welcomePage.walkthroughs.openOnInstall');
    if (opensOnInstall !== false) open();
  };
  openIfDue();
  return vscode.Disposable.from(
    vscode.workspace.onDidGrantWorkspaceTrust(openIfDue),
    vscode.window.onDidChangeWindowState(openIfDue),
  );
}

/** Sets the context key that ticks the first step; VS Code remembers the tick. */
export function tickFirstStep(): void {
  void vscode.commands.executeCommand('setContext', 'flashline.hasAccepted', true);
}

function isVirtual(): boolean {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders.length > 0 && folders.every(({ uri }) => !DISK_SCHEMES.includes(uri.scheme));
}
