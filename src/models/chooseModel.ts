// What follows when a person has picked a model: switching to it at once, or after a question and a download, with a
// way on from whatever comes in between.
import * as vscode from 'vscode';
import type {
  CatalogueEntry,
  DownloadOutcome,
  MachineFacts,
  RemoveResult,
} from '../../server/modelCatalogue';
import { Method } from '../../server/protocol';
import type { FlashlineClient } from '../client';
import type { Configuration } from '../configuration';
import { formatSize } from '../../server/rules/format';
import { questionLines } from './progressText';
import type { Downloads } from './downloads';
import { entryName } from './entryName';
import type { HubToken } from './hubToken';
import type { PairSwitch } from './pairSwitch';
import { isSamePair } from './switchFailure';

export interface ModelParts {
  readonly client: FlashlineClient;
  readonly configuration: Configuration;
  readonly downloads: Downloads;
  readonly pairSwitch: PairSwitch;
  readonly token: HubToken;
}

/** Where an entry comes from. */
export interface Market {
  readonly machine: MachineFacts;
  readonly endpoint: string;
}

export async function chooseModel(parts: ModelParts, entry: CatalogueEntry, market: Market): Promise<void> {
  if (entry.isDownloaded) return await use(parts, entry);
  const answer = await mayDownload(entry, market.machine);
  if (answer !== undefined) await downloadAndUse(parts, entry, market, answer);
}

/** A drafter alone is one for the target in use. */
async function use({ pairSwitch, configuration }: ModelParts, entry: CatalogueEntry): Promise<void> {
  const { target } = configuration.settings.server;
  await pairSwitch.to({ target: entry.kind === 'drafter' ? target : entry.target, drafter: entry.drafter });
}

/** Undefined: no. */
async function mayDownload(
  entry: CatalogueEntry,
  machine: MachineFacts,
): Promise<'check' | 'force' | undefined> {
  const t = vscode.l10n.t;
  const yes = entry.problem === undefined ? t('Download') : t('Download anyway');
  const detail = questionLines(entry, machine, t).join('\n');
  const ask =
    entry.problem === undefined ? vscode.window.showInformationMessage : vscode.window.showWarningMessage;
  const answer = await ask(t('Download {0}?', entryName(entry, t)), { modal: true, detail }, yes);
  if (answer !== yes) return undefined;
  return entry.problem === undefined ? 'check' : 'force';
}

async function downloadAndUse(
  parts: ModelParts,
  entry: CatalogueEntry,
  market: Market,
  force: 'check' | 'force',
): Promise<void> {
  const { downloads, configuration } = parts;
  const t = vscode.l10n.t;
  const { target, drafter } = configuration.settings.server;
  const other = downloads.busyWith(entry);
  if (other !== undefined) {
    const instead = t('Pause it');
    const answer = await vscode.window.showWarningMessage(
      t('{0} is being downloaded, and one at a time can be.', other),
      instead,
    );
    if (answer !== instead) return;
    await downloads.pause();
  }
  const outcome = await downloads.start(entry, force);
  if (outcome.finished === 'done') {
    // Whoever has chosen another one meanwhile does not want to be taken away from it.
    const isWaitedFor = isSamePair({ target, drafter }, configuration.settings.server);
    return isWaitedFor || (await wantsToSwitch(entry)) ? await use(parts, entry) : undefined;
  }
  const next =
    outcome.finished === 'paused'
      ? await afterPause(parts, entry)
      : await afterFailure(parts, entry, outcome, market);
  if (next !== undefined) await downloadAndUse(parts, entry, market, next === 'again' ? force : 'force');
}

async function wantsToSwitch(entry: CatalogueEntry): Promise<boolean> {
  const t = vscode.l10n.t;
  const yes = t('Use it');
  return (
    (await vscode.window.showInformationMessage(t('{0} is downloaded.', entryName(entry, t)), yes)) === yes
  );
}

async function afterPause(parts: ModelParts, entry: CatalogueEntry): Promise<'again' | undefined> {
  const t = vscode.l10n.t;
  const [resume, remove] = [t('Resume'), t('Delete what has arrived')];
  const answer = await vscode.window.showInformationMessage(
    t(
      'The download of {0} is paused. What has arrived is kept, and the next one goes on there.',
      entryName(entry, t),
    ),
    resume,
    remove,
  );
  if (answer === remove) await removeModel(parts, entry);
  return answer === resume ? 'again' : undefined;
}

async function afterFailure(
  { token }: ModelParts,
  { repositories }: CatalogueEntry,
  { reason, message }: Extract<DownloadOutcome, { finished: 'failed' }>,
  { endpoint }: Market,
): Promise<'again' | 'force' | undefined> {
  const t = vscode.l10n.t;
  const show = vscode.window.showErrorMessage;
  const [enter, open, force, again, log] = [
    t('Enter a token...'),
    t('Open its page'),
    t('Download anyway'),
    t('Try again'),
    t('Show the log'),
  ];
  const ways = {
    refused: [enter, open],
    missing: [enter],
    problem: [force],
    other: [again, log],
  };
  const answer = await show(message, ...ways[reason]);
  if (answer === enter) return (await token.ask()) ? 'again' : undefined;
  if (answer === open)
    await vscode.env.openExternal(vscode.Uri.parse(`${endpoint}/${repositories[0] ?? ''}`));
  if (answer === log) await vscode.commands.executeCommand('flashline.showLog');
  if (answer === force) return 'force';
  return answer === again ? 'again' : undefined;
}

/** What is in use is left first, so that nothing in the settings is missing afterwards. */
export async function removeModel(
  { client, downloads, pairSwitch }: ModelParts,
  entry: CatalogueEntry,
): Promise<void> {
  const t = vscode.l10n.t;
  if (downloads.busyWith(entry) === undefined) await downloads.pause();
  if (entry.isInUse) await pairSwitch.to({ target: '', drafter: '' });
  const { bytes } = await client.request<RemoveResult>(Method.removeModel, {
    repositories: entry.repositories,
  });
  void vscode.window.showInformationMessage(
    t('{0} is removed: {1} are free again.', entryName(entry, t), formatSize(bytes)),
  );
}
