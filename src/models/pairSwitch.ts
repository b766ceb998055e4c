// Switches to another pair by its settings, and back when it cannot be loaded. The server takes it from there: no
// restart of the editor.
import * as vscode from 'vscode';
import type { StatusParams } from '../../server/protocol';
import type { Configuration } from '../configuration';
import { t } from '../translate';

/** As the settings of these names have it. */
export interface ModelPair {
  readonly target: string;
  readonly drafter: string;
}

export class PairSwitch {
  #change: { readonly previous: ModelPair; readonly chosen: ModelPair } | undefined;

  constructor(private readonly configuration: Configuration) {}

  async to(chosen: ModelPair): Promise<void> {
    const previous = this.configuration.settings.server;
    if (isSamePair(previous, chosen)) return;
    this.#change = { previous, chosen };
    await this.#write(chosen);
  }

  /** For each status of the server. Says once why the pair that was chosen is not used. */
  async heard(status: StatusParams): Promise<void> {
    const reason = switchFailure(this.#change?.chosen, this.configuration.settings.server, status);
    if (reason === undefined || this.#change === undefined) return;
    const { previous } = this.#change;
    this.#change = undefined;
    await this.#write(previous);
    const showLog = t('Show the log');
    const answer = await vscode.window.showWarningMessage(
      t('Flashline went back to the model before: {0}', reason),
      showLog,
    );
    if (answer === showLog) await vscode.commands.executeCommand('flashline.showLog');
  }

  /** Only the settings of the user can have them, as no workspace may name a path. */
  async #write(pair: ModelPair): Promise<void> {
    const settings = vscode.workspace.getConfiguration('flashline');
    await this.configuration.atOnce(async () => {
      for (const name of ['target', 'drafter'] as const)
        await settings.update(name, pair[name] || undefined, vscode.ConfigurationTarget.Global);
    });
  }
}

/** Why the chosen pair is not the one in use; undefined while it is, or once something else is chosen. */
export function switchFailure(
  chosen: ModelPair | undefined,
  current: ModelPair,
  { state, fallback, message }: StatusParams,
): string | undefined {
  if (chosen === undefined || !isSamePair(chosen, current)) return undefined;
  return fallback ?? (state === 'error' ? message : undefined);
}

export function isSamePair(a: ModelPair, b: ModelPair): boolean {
  return a.target === b.target && a.drafter === b.drafter;
}
