// Opens the walkthrough by its id. VS Code 1.104 reads the walkthroughs of extensions only after the first command
// about one, and opens its own in place of one that it has not read yet.
import * as vscode from 'vscode';

/** Time that VS Code takes to read the walkthroughs: it waits up to 5 s for its experiments. */
const READING_MS = 6_000;

export class WalkthroughPage {
  readonly #isRead: Promise<void>;

  /** `id` is the full id of the walkthrough: extension, `#`, walkthrough. */
  constructor(readonly id: string) {
    this.#isRead = new Promise((resolve) => setTimeout(resolve, READING_MS).unref());
    // Rejects, as there is no such step, but makes VS Code read the walkthroughs.
    const reading = vscode.commands.executeCommand('welcome.markStepIncomplete', `${id}#none`);
    reading.then(undefined, () => undefined);
  }

  async open(): Promise<void> {
    await this.#isRead;
    await vscode.commands.executeCommand('workbench.action.openWalkthrough', this.id);
  }
}
