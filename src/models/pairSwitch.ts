// Switches to another pair by changing the settings, and back if it cannot be loaded.
import * as vscode from 'vscode';
import type { ModelPair, Configuration } from '../configuration';
import type { StatusParams } from '../../server/protocol/messages';

/**
 * Switches to another pair by changing the settings, and back if it cannot be loaded. The server does the rest, so the
 * editor need not restart.
 */
export class PairSwitch {
  /** Until the chosen pair works. */
  #change: { readonly previous: ModelPair; readonly chosen: ModelPair } | undefined;

  constructor(private readonly configuration: Pick<Configuration, 'settings' | 'setPair'>) {}

  /** A drafter on its own is for the target in use. */
  async to({ target, drafter }: { readonly target?: string; readonly drafter: string }): Promise<void> {
    const previous = this.configuration.settings.server;
    const chosen = { target: target ?? previous.target, drafter };
    if (isSamePair(previous, chosen)) return;
    this.#change = { previous, chosen };
    await this.configuration.setPair(chosen);
  }

  /** Called with each status of the server. Goes back, and says why, if the chosen pair is not used. */
  async heard({ state, fallback, message, chosen: told }: StatusParams): Promise<void> {
    if (this.#change === undefined) return;
    const { previous, chosen } = this.#change;
    // From before the server knew of the choice.
    if (told !== undefined && !isSamePair(told, chosen)) return;
    const reason = fallback ?? (state === 'error' ? message : undefined);
    if (reason === undefined) {
      if (state === 'ready' || state === 'generating') this.#change = undefined;
      return;
    }
    // Something else was chosen in the meantime.
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
