// Opens the walkthrough by its id. VS Code 1.104 reads the walkthroughs of extensions only after the first command
// about one, and opens its own in place of one that it has not read yet.
import * as vscode from 'vscode';

/** Time that VS Code takes to read the walkthroughs: it waits up to 5 s for its experiments. */
const READING_MS = 6_000;

export class WalkthroughPage {
  /** Resolves once VS Code has had the time to read the walkthroughs. */
  readonly #reading: Promise<void>;

  /** `id` is the full id of the walkthrough: extension, `#`, walkthrough. */
  constructor(readonly id: string) {
    this.#reading = new Promise((resolve) => setTimeout(resolve, READING_MS).unref());
    // Rejects, as there is no such step, but makes VS Code read the walkthroughs.
    const marking = vscode.commands.executeCommand('welcome.markStepIncomplete', `${id}#none`);
    marking.then(undefined, () => undefined);
  }

  async open(): Promise<void> {
    await this.#reading;
    await vscode.commands.executeCommand('workbench.action.openWalkthrough', this.id);
  }
}
