// Switches to another pair by changing the settings, and back if it cannot be loaded.
import * as vscode from 'vscode';
import type { ModelPair, Configuration } from '../configuration';
import type { StatusParams } from '../../server/protocol/messages';

export class PairSwitch {
  /** Change in progress, until the chosen pair works. */
  #change: { readonly previous: ModelPair; readonly chosen: ModelPair } | undefined;

  constructor(private readonly configuration: Configuration) {}

  /** Switches to a pair; without a target, changes the drafter of the target in use. */
  async to({ target, drafter }: { readonly target?: string; readonly drafter: string }): Promise<void> {
    const previous = this.configuration.settings.server;
    const chosen = { target: target ?? previous.target, drafter };
    if (isSamePair(previous, chosen)) return;
    this.#change = { previous, chosen };
    await this.configuration.setPair(chosen);
  }

  /** Called with each status of the server. Switches back, and shows the reason, if the chosen pair cannot be used. */
  async onStatus({ state, fallback, message, chosen: reported }: StatusParams): Promise<void> {
    if (this.#change === undefined) return;
    const { previous, chosen } = this.#change;
    // The server sent this status before it applied the new settings.
    if (reported !== undefined && !isSamePair(reported, chosen)) return;
    const reason = fallback ?? (state === 'error' ? message : undefined);
    if (reason === undefined) {
      // The status `generating` has no fallback: a request can be running with the previous pair.
      if (state === 'ready') this.#change = undefined;
      return;
    }
    // The user has chosen another pair in the meantime.
    if (!isSamePair(chosen, this.configuration.settings.server)) return;
    this.#change = undefined;
    await this.configuration.setPair(previous);
    const showLog = 'Show Log';
    const answer = await vscode.window.showWarningMessage(
      `Flashline went back to the previous model: ${reason}`,
      showLog,
    );
    if (answer === showLog) await vscode.commands.executeCommand('flashline.showLog');
  }
}

export function isSamePair(a: ModelPair, b: ModelPair): boolean {
  return a.target === b.target && a.drafter === b.drafter;
}
