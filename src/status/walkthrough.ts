// The walkthrough: opens by command and once after installation, and has its first step ticked by the first accepted
// suggestion. VS Code opens a walkthrough by itself only in a window that is open during the installation, and never
// after `code --install-extension`.
import * as vscode from 'vscode';

const STORAGE_KEY = 'flashline.walkthroughShown';
/** Schemes of files on the disk of this machine or, in a remote window, of the other machine. */
const DISK_SCHEMES: readonly string[] = ['file', 'vscode-remote'];
/** Time that VS Code takes to read the walkthroughs: it waits up to 5 s for its experiments. */
const READING_MS = 6_000;

export class Walkthrough {
  /** Resolves once VS Code has had the time to read the walkthroughs. */
  readonly #reading: Promise<void>;

  /**
   * `id` is the full id of the walkthrough: extension, `#`, walkthrough. VS Code 1.104 reads the walkthroughs of
   * extensions only after the first command that concerns a walkthrough. Until then, it opens its own instead.
   */
  constructor(
    private readonly id: string,
    private readonly memory: vscode.Memento,
  ) {
    this.#reading = new Promise((resolve) => setTimeout(resolve, READING_MS).unref());
    // Rejects, as there is no such step, but makes VS Code read the walkthroughs.
    const marking = vscode.commands.executeCommand('welcome.markStepIncomplete', `${id}#none`);
    marking.then(undefined, () => undefined);
  }

  async open(): Promise<void> {
    await this.#reading;
    await vscode.commands.executeCommand('workbench.action.openWalkthrough', this.id);
  }

  /**
   * Opens the walkthrough once, in the first trusted window with the focus whose folders are not all virtual, unless
   * the settings of VS Code turn off walkthroughs after an installation.
   */
  openOnce(): vscode.Disposable {
    const openIfDue = (): void => {
      // Checked again at each event: another window can have opened the walkthrough.
      if (this.memory.get(STORAGE_KEY) === true || !vscode.workspace.isTrusted || isVirtual()) return;
      if (!vscode.window.state.focused) return;
      void this.memory.update(STORAGE_KEY, true);
      const opensOnInstall = vscode.workspace
        .getConfiguration()
        .get('workbench.welcomePage.walkthroughs.openOnInstall');
      if (opensOnInstall !== false) void this.open();
    };
    openIfDue();
    return vscode.Disposable.from(
      vscode.workspace.onDidGrantWorkspaceTrust(openIfDue),
      vscode.window.onDidChangeWindowState(openIfDue),
    );
  }

  /** Sets the context key that ticks the first step; VS Code remembers the tick. */
  tickFirstStep(): void {
    void vscode.commands.executeCommand('setContext', 'flashline.hasAccepted', true);
  }
}

function isVirtual(): boolean {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders.length > 0 && folders.every(({ uri }) => !DISK_SCHEMES.includes(uri.scheme));
}
