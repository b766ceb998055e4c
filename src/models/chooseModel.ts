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
import { formatSize } from '../../server/rules/numbers';
import type { FlashlineClient } from '../connection/client';
import type { Configuration, ModelPair } from '../configuration';
import type { RemoteUse } from '../connection/remoteUse';
import type { Downloads, StoredToken } from './downloads';
import { entryName, questionLines } from './modelWords';
import { homedir, hostname } from 'node:os';

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
  const other = downloads.busyWith(entry);
  if (other !== undefined) {
    const instead = 'Pause It';
    const question = `${other} is still downloading, and only one download can run at a time. Pause it?`;
    if ((await vscode.window.showWarningMessage(question, instead)) !== instead) return;
    await downloads.pause();
  }
  const outcome = await downloads.start(entry, isForced);
  if (outcome.finished === 'done') {
    // If another one was chosen in the meantime, do not switch away from it without asking.
    const isWaitedFor = isSamePair(before, configuration.settings.server);
    const message = `${entryName(entry)} has been downloaded.`;
    const yes = 'Use It';
    if (isWaitedFor || (await vscode.window.showInformationMessage(message, yes)) === yes) await use(choice);
    return;
  }
  const again = (force = isForced): Promise<void> => downloadAndUse(choice, force);
  if (outcome.finished === 'paused') await afterPause(choice, again);
  else await afterFailure(choice, outcome, again);
}

async function afterPause(choice: ModelChoice, again: () => Promise<void>): Promise<void> {
  const answer = await vscode.window.showInformationMessage(
    `The download of ${entryName(choice.entry)} is paused. You can resume it later from where it stopped.`,
    { title: 'Resume', choose: again },
    { title: 'Delete Partial Download', choose: () => removeModel(choice) },
  );
  await answer?.choose();
}

async function afterFailure(
  choice: ModelChoice,
  { reason, message }: ModelFailure,
  again: (force?: boolean) => Promise<void>,
): Promise<void> {
  const enter = {
    title: 'Enter Token...',
    choose: async () => ((await choice.token.ask()) ? await again() : undefined),
  };
  const open = { title: 'Open Model Page', choose: () => openPage(choice) };
  const force = { title: 'Download Anyway', choose: () => again(true) };
  const retry = { title: 'Try Again', choose: () => again() };
  const log = {
    title: 'Show Log',
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
export async function removeModel(choice: ModelChoice): Promise<void> {
  const { client, configuration, downloads, pairSwitch, entry } = choice;
  if (downloads.busyWith(entry) === undefined) await downloads.pause();
  if (entry.isInUse && entry.isNextEdit) await configuration.setNextEditModel('');
  else if (entry.isInUse) await pairSwitch.to({ target: '', drafter: '' });
  const { bytes } = await client.request<RemoveResult>(Method.removeModel, {
    repositories: entry.repositories,
  });
  void vscode.window.showInformationMessage(`${entryName(entry)} was removed, freeing ${formatSize(bytes)}.`);
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
    const showLog = 'Show Log';
    const answer = await vscode.window.showWarningMessage(
      `Flashline went back to the previous model: ${reason}`,
      showLog,
    );
    if (answer === showLog) await vscode.commands.executeCommand('flashline.showLog');
  }
}

function isSamePair(a: ModelPair, b: ModelPair): boolean {
  return a.target === b.target && a.drafter === b.drafter;
}

// Asks for a model that the catalogue does not list: a folder on this machine, or a repository by its name. Whether it
// can be loaded is up to the server.

const REPOSITORY = /^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*$/;

/** Asks for its drafter too, which may come from the catalogue. */
export async function askTargetFolder(
  { pairSwitch }: ModelParts,
  entries: readonly CatalogueEntry[],
): Promise<void> {
  const target = await askFolder('Use as Target');
  if (target === undefined) return;
  const none = { label: 'No drafter', drafter: 'none' };
  const folder = { label: 'Choose a folder...', drafter: undefined };
  const drafters = entries.filter(({ kind }) => kind === 'drafter');
  const there = drafters.map(({ name, drafter }) => ({ label: name, drafter }));
  const title = 'Choose the drafter for this target';
  const picked = await vscode.window.showQuickPick([folder, ...there, none], { title });
  const drafter = picked === folder ? await askFolder('Use as Drafter') : picked?.drafter;
  if (drafter !== undefined) await pairSwitch.to({ target, drafter });
}

/** Looks it up on the Hub, and continues as if it had been picked from the list. */
export async function askRepository(parts: ModelParts, value = ''): Promise<void> {
  const text = await vscode.window.showInputBox({
    title: 'Flashline: another Hugging Face repository',
    value,
    prompt:
      'Target repository on Hugging Face, followed by a space and its drafter repository if there is one',
    placeHolder: 'mlx-community/Qwen3-4B-4bit z-lab/Qwen3-4B-DFlash-b16',
    ignoreFocusOut: true,
    validateInput: (typed) =>
      typed.trim() === '' || repositoryNames(typed)
        ? undefined
        : 'Enter one or two repository names such as Qwen/Qwen3-4B',
  });
  const repositories = repositoryNames(text ?? '');
  if (repositories === undefined) return;
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: 'Looking up the repository',
    cancellable: true,
  };
  const token = await parts.token.forRequest();
  const catalogue = await vscode.window.withProgress(options, (_, cancelled) =>
    parts.client.request<ModelCatalogue>(Method.models, { repositories, ...token }, cancelled),
  );
  const { lookedUp } = catalogue;
  if (lookedUp === undefined) return;
  if ('entry' in lookedUp) return await chooseModel({ ...parts, entry: lookedUp.entry, catalogue });
  const enter = 'Enter Token...';
  const { reason, message } = lookedUp.failure;
  const ways = reason === 'refused' || reason === 'missing' ? [enter] : [];
  const answer = await vscode.window.showErrorMessage(message, ...ways);
  if (answer === enter && (await parts.token.ask())) await askRepository(parts, text);
}

/** A target and possibly its drafter, by name or by the address of its page. Undefined for anything else. */
export function repositoryNames(text: string): readonly string[] | undefined {
  const words = text.trim().split(/[\s,+]+/);
  const names = words.map((word) => word.replace(/^https?:\/\/[^/]+\//, '').replace(/\/+$/, ''));
  return names.length <= 2 && names.every((name) => REPOSITORY.test(name)) ? names : undefined;
}

/**
 * Asks for a folder where the models run, on the machine of the extension, which need not be the one that a remote window
 * works on; or for a file of some kind. Undefined if the user cancels, or has gone to another machine, which is then
 * explained.
 */
export async function askFolder(
  openLabel: string,
  filters?: Readonly<Record<string, string[]>>,
): Promise<string | undefined> {
  const folders = await vscode.window.showOpenDialog({
    openLabel,
    canSelectFiles: filters !== undefined,
    canSelectFolders: filters === undefined,
    ...(filters && { filters }),
    canSelectMany: false,
    // Without it, a remote window asks for a folder of the remote machine.
    defaultUri: vscode.Uri.file(homedir()),
  });
  const folder = folders?.[0];
  if (folder === undefined || folder.scheme === 'file') return folder?.fsPath;
  void vscode.window.showErrorMessage(
    `Expected a folder on ${hostname()}, where the models run, got one on ${folder.authority}; choose one there.`,
  );
  return undefined;
}
