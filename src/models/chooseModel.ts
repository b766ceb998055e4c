// What happens once a model is chosen: a switch to it, at once or after a question and a download, and a way to go on
// from whatever goes wrong.
import * as vscode from 'vscode';
import type {
  CatalogueEntry,
  ModelCatalogue,
  ModelFailure,
  RemoveResult,
} from '../../server/protocol/modelCatalogue';
import { Method, type StatusParams } from '../../server/protocol/messages';
import { formatSize } from '../../server/rules/format';
import type { FlashlineClient } from '../connection/client';
import type { Configuration, ModelPair } from '../configuration';
import type { RemoteUse } from '../connection/remoteUse';
import { t } from '../translate';
import type { Downloads, StoredToken } from './downloads';
import { entryName, questionLines } from './modelWords';

export interface ModelParts {
  readonly client: FlashlineClient;
  readonly configuration: Configuration;
  readonly downloads: Downloads;
  readonly pairSwitch: PairSwitch;
  readonly token: StoredToken;
  readonly remote: Pick<RemoteUse, 'use'>;
}

/** A model, the catalogue that it comes from, and the parts that act on it. */
export interface ModelChoice extends ModelParts {
  readonly entry: CatalogueEntry;
  readonly catalogue: ModelCatalogue;
}

export async function chooseModel(choice: ModelChoice): Promise<void> {
  const { entry, catalogue } = choice;
  if (entry.isDownloaded) return await use(choice);
  const isForced = entry.problem !== undefined;
  const yes = isForced ? t('Download Anyway') : t('Download');
  const detail = questionLines(entry, catalogue.machine).join('\n');
  const ask = isForced ? vscode.window.showWarningMessage : vscode.window.showInformationMessage;
  const answer = await ask(t('Download {0}?', entryName(entry)), { modal: true, detail }, yes);
  if (answer === yes) await downloadAndUse(choice, isForced);
}

async function use({ pairSwitch, entry: { kind, target, drafter } }: ModelChoice): Promise<void> {
  await pairSwitch.to(kind === 'drafter' ? { drafter } : { target, drafter });
}

async function downloadAndUse(choice: ModelChoice, isForced: boolean): Promise<void> {
  const { downloads, configuration, entry } = choice;
  const before = configuration.settings.server;
  const other = downloads.busyWith(entry);
  if (other !== undefined) {
    const instead = t('Pause It');
    const question = t('{0} is still downloading, and only one download can run at a time. Pause it?', other);
    if ((await vscode.window.showWarningMessage(question, instead)) !== instead) return;
    await downloads.pause();
  }
  const outcome = await downloads.start(entry, isForced);
  if (outcome.finished === 'done') {
    // If another one was chosen in the meantime, do not switch away from it without asking.
    const isWaitedFor = isSamePair(before, configuration.settings.server);
    const message = t('{0} has been downloaded.', entryName(entry));
    const yes = t('Use It');
    if (isWaitedFor || (await vscode.window.showInformationMessage(message, yes)) === yes) await use(choice);
    return;
  }
  const again = (force = isForced): Promise<void> => downloadAndUse(choice, force);
  if (outcome.finished === 'paused') await afterPause(choice, again);
  else await afterFailure(choice, outcome, again);
}

async function afterPause(choice: ModelChoice, again: () => Promise<void>): Promise<void> {
  const answer = await vscode.window.showInformationMessage(
    t(
      'The download of {0} is paused. You can resume it later from where it stopped.',
      entryName(choice.entry),
    ),
    { title: t('Resume'), choose: again },
    { title: t('Delete Partial Download'), choose: () => removeModel(choice) },
  );
  await answer?.choose();
}

async function afterFailure(
  choice: ModelChoice,
  { reason, message }: ModelFailure,
  again: (force?: boolean) => Promise<void>,
): Promise<void> {
  const enter = {
    title: t('Enter Token...'),
    choose: async () => ((await choice.token.ask()) ? await again() : undefined),
  };
  const open = { title: t('Open Model Page'), choose: () => openPage(choice) };
  const force = { title: t('Download Anyway'), choose: () => again(true) };
  const retry = { title: t('Try Again'), choose: () => again() };
  const log = {
    title: t('Show Log'),
    choose: () => vscode.commands.executeCommand<undefined>('flashline.showLog'),
  };
  const ways = { refused: [enter, open], missing: [enter], problem: [force], other: [retry, log] };
  const answer = await vscode.window.showErrorMessage(message, ...ways[reason]);
  await answer?.choose();
}

/** The page of its first repository on the Hub. */
export async function openPage({ entry, catalogue }: ModelChoice): Promise<void> {
  await vscode.env.openExternal(vscode.Uri.parse(`${catalogue.endpoint}/${entry.repositories[0] ?? ''}`));
}

/** Switches away from it first if it is in use, so that the settings never name a missing model. */
export async function removeModel({ client, downloads, pairSwitch, entry }: ModelChoice): Promise<void> {
  if (downloads.busyWith(entry) === undefined) await downloads.pause();
  if (entry.isInUse) await pairSwitch.to({ target: '', drafter: '' });
  const { bytes } = await client.request<RemoveResult>(Method.removeModel, {
    repositories: entry.repositories,
  });
  void vscode.window.showInformationMessage(
    t('{0} was removed, freeing {1}.', entryName(entry), formatSize(bytes)),
  );
}

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
    const showLog = t('Show Log');
    const answer = await vscode.window.showWarningMessage(
      t('Flashline went back to the previous model: {0}', reason),
      showLog,
    );
    if (answer === showLog) await vscode.commands.executeCommand('flashline.showLog');
  }
}

function isSamePair(a: ModelPair, b: ModelPair): boolean {
  return a.target === b.target && a.drafter === b.drafter;
}
