// Handles the choice of a model: switches to it, after a question and a download where needed, and offers a next step
// after each failure.
import * as vscode from 'vscode';
import type { CatalogueEntry, ModelCatalogue, ModelFailure } from '../../server/protocol/modelCatalogue';
import { Method } from '../../server/protocol/messages';
import { formatSize } from '../../server/rules/formatNumber';
import type { FlashlineClient } from '../connection/client';
import type { Configuration } from '../configuration';
import type { RemoteConsent } from '../connection/remoteConsent';
import type { Downloads } from './downloads';
import type { StoredToken } from './storedToken';
import { entryName, questionLines } from './modelWords';
import { type PairSwitch, isSamePair } from './pairSwitch';

export interface ModelParts {
  readonly client: FlashlineClient;
  readonly configuration: Configuration;
  readonly downloads: Downloads;
  readonly pairSwitch: PairSwitch;
  readonly token: StoredToken;
  readonly remote: RemoteConsent;
}

/** A chosen model, its catalogue, and the parts that act on it. */
export interface ModelChoice extends ModelParts {
  readonly entry: CatalogueEntry;
  readonly catalogue: ModelCatalogue;
}

/**
 * Switches to the chosen model; if it is not on this machine, asks whether to download it first. Shows the problem of
 * a model that cannot be downloaded.
 */
export async function chooseModel(choice: ModelChoice): Promise<void> {
  const { entry, catalogue } = choice;
  if (entry.isDownloaded) return await use(choice);
  if (entry.repositories.length === 0 && entry.problem !== undefined) {
    void vscode.window.showErrorMessage(entry.problem);
    return;
  }
  const isForced = entry.problem !== undefined;
  const yes = isForced ? 'Download Anyway' : 'Download';
  const detail = questionLines(entry, catalogue.machine).join('\n');
  const ask = isForced ? vscode.window.showWarningMessage : vscode.window.showInformationMessage;
  const answer = await ask(`Download ${entryName(entry)}?`, { modal: true, detail }, yes);
  if (answer === yes) await downloadAndUse(choice, isForced);
}

async function use({ pairSwitch, configuration, entry }: ModelChoice): Promise<void> {
  const { kind, target, drafter, isNextEdit } = entry;
  if (isNextEdit) await configuration.setNextEditModel(target);
  else await pairSwitch.to(kind === 'drafter' ? { drafter } : { target, drafter });
}

async function downloadAndUse(choice: ModelChoice, isForced: boolean): Promise<void> {
  const { downloads, configuration, entry } = choice;
  const before = configuration.settings.server;
  const runningName = downloads.otherRunning(entry);
  if (runningName !== undefined) {
    const pauseIt = 'Pause It';
    const question = `${runningName} is still downloading, and only one download can run at a time. Pause it?`;
    if ((await vscode.window.showWarningMessage(question, pauseIt)) !== pauseIt) return;
    await downloads.pause();
  }
  const outcome = await downloads.start(entry, isForced);
  if (outcome.finished === 'done') {
    // Asks before switching away from a model that was chosen during the download.
    const isUnchanged = isSamePair(before, configuration.settings.server);
    const message = `${entryName(entry)} has been downloaded.`;
    const yes = 'Use It';
    if (isUnchanged || (await vscode.window.showInformationMessage(message, yes)) === yes) await use(choice);
    return;
  }
  const retry = (force = isForced): Promise<void> => downloadAndUse(choice, force);
  if (outcome.finished === 'paused') await afterPause(choice, retry);
  else await afterFailure(choice, outcome, retry);
}

async function afterPause(choice: ModelChoice, resume: () => Promise<void>): Promise<void> {
  const answer = await vscode.window.showInformationMessage(
    `The download of ${entryName(choice.entry)} is paused. You can resume it later from where it stopped.`,
    { title: 'Resume', choose: resume },
    { title: 'Delete Partial Download', choose: () => removeModel(choice) },
  );
  await answer?.choose();
}

async function afterFailure(
  choice: ModelChoice,
  { reason, message }: ModelFailure,
  retry: (force?: boolean) => Promise<void>,
): Promise<void> {
  const enter = {
    title: 'Enter Token...',
    choose: async () => ((await choice.token.ask()) ? await retry() : undefined),
  };
  const open = { title: 'Open Model Page', choose: () => openPage(choice) };
  const force = { title: 'Download Anyway', choose: () => retry(true) };
  const tryAgain = { title: 'Try Again', choose: () => retry() };
  const log = {
    title: 'Show Log',
    choose: () => vscode.commands.executeCommand<undefined>('flashline.showLog'),
  };
  const buttons = { refused: [enter, open], missing: [enter], problem: [force], other: [tryAgain, log] };
  const answer = await vscode.window.showErrorMessage(message, ...buttons[reason]);
  await answer?.choose();
}

/** Opens the page of the first repository on the Hub. */
export async function openPage({ entry, catalogue }: ModelChoice): Promise<void> {
  await vscode.env.openExternal(vscode.Uri.parse(`${catalogue.endpoint}/${entry.repositories[0] ?? ''}`));
}

/** Removes a model. Switches away from one in use first, so that the settings never name a missing model. */
export async function removeModel(choice: ModelChoice): Promise<void> {
  const { client, configuration, downloads, pairSwitch, entry } = choice;
  // Stops the download of this model, if it is running, but not one of another model.
  if (downloads.otherRunning(entry) === undefined) await downloads.pause();
  if (entry.isInUse && entry.isNextEdit) await configuration.setNextEditModel('');
  else if (entry.isInUse) await pairSwitch.to({ target: '', drafter: '' });
  const { bytes } = await client.request(Method.removeModel, { repositories: entry.repositories });
  void vscode.window.showInformationMessage(`${entryName(entry)} was removed, freeing ${formatSize(bytes)}.`);
}
