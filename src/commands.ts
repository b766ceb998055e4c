// What each command of the manifest does, in terms of the parts that do it; a test compares the list with package.json,
// which defines their titles, keys and places in menus.
import * as vscode from 'vscode';
import type { CommitMessage } from './instruct/commitMessage';
import { decideAll, decideHunk } from './instruct/edit/decideHunks';
import type { SelectionEdit } from './instruct/edit/selectionEdit';
import type { PendingEdits } from './instruct/edit/pendingEdits';
import type { Dismissals } from './ghostText/dismissals';
import type { EditorGeneration } from './instruct/editorGeneration';
import type { GenerationRun } from './instruct/generationRun';
import type { MachineCheck } from './models/machineCheck';
import { menu, SNOOZE_MINUTES } from './status/menu';
import type { ModelParts } from './models/chooseModel';
import { pickModel } from './models/pickModel';
import type { StatisticsPanel } from './panel/statisticsPanel';
import type { RemoteUse } from './connection/remoteUse';
import type { Snooze } from './status/snooze';
import type { StatusBar } from './status/statusBar';
import { hasFaster } from './status/statusTooltip';
import { tryExample } from './status/tryExample';
import type { OtherTools } from './connection/otherTools';

export interface CommandParts extends ModelParts {
  readonly extensionId: string;
  /** Its full id. */
  readonly walkthrough: string;
  /** The first page of the documentation. */
  readonly documentation: vscode.Uri;
  readonly generate: EditorGeneration;
  readonly edit: SelectionEdit;
  readonly pending: PendingEdits;
  readonly commitMessage: CommitMessage;
  readonly run: GenerationRun;
  readonly panel: StatisticsPanel;
  readonly statusBar: StatusBar;
  readonly snooze: Snooze;
  readonly remote: RemoteUse;
  readonly otherTools: OtherTools;
  readonly machineCheck: MachineCheck;
  readonly dismissals: Dismissals;
  readonly log: vscode.LogOutputChannel;
}

/** Not in the palette: the menu runs them, and key bindings of earlier versions may. */
export const UNLISTED: readonly string[] = [
  ...['endSnooze', 'setHubToken', 'useRemote', 'stopRemote', 'setRemoteKey', 'startServing', 'stopServing'],
  'openSettings',
].map((name) => `flashline.${name}`);

export function commands(parts: CommandParts): Readonly<Record<string, (argument?: unknown) => unknown>> {
  const { extensionId, documentation, configuration, client, generate, edit, pending, run } = parts;
  const { panel, statusBar, snooze, remote, otherTools, machineCheck, token, log } = parts;
  const { dismissals, commitMessage } = parts;
  const languageId = (): string | undefined => vscode.window.activeTextEditor?.document.languageId;
  return {
    'flashline.generate': (instruction) => generate.generate(instruction),
    'flashline.cancelGenerate': () => {
      run.cancel();
    },
    'flashline.edit': (instruction) => edit.edit(instruction),
    'flashline.acceptHunk': (hunk) => decideHunk(pending, true, hunk),
    'flashline.rejectHunk': (hunk) => decideHunk(pending, false, hunk),
    'flashline.acceptEdit': (hunk) => decideAll(pending, true, hunk),
    'flashline.rejectEdit': (hunk) => decideAll(pending, false, hunk),
    'flashline.commitMessage': (sourceControl) => commitMessage.write(sourceControl),
    'flashline.dismiss': () => dismissals.dismiss(),
    'flashline.showMenu': async () => {
      const { state, reason } = statusBar.rendered;
      const problem = state === 'error' ? reason : undefined;
      const { settings } = configuration;
      const { slowMs, server } = statusBar.view;
      const snoozed = snooze.until !== undefined;
      const remoteMenu = { awaitsConsent: remote.awaitsConsent, isInUse: remote.settings.remote.url !== '' };
      const serving = otherTools.address;
      const items = menu({
        settings,
        languageId: languageId(),
        snoozed,
        problem,
        slowMs: hasFaster(server?.model) ? slowMs : undefined,
        serving,
        remote: remoteMenu,
      });
      const picked = await vscode.window.showQuickPick(items, { title: 'Flashline' });
      if (picked) await vscode.commands.executeCommand(picked.command, ...(picked.arguments ?? []));
    },
    'flashline.toggle': () => configuration.toggle(),
    'flashline.toggleLanguage': () => {
      const language = languageId();
      return language === undefined ? undefined : configuration.toggle(language);
    },
    'flashline.snooze': (minutes) => {
      const usual = snooze.until === undefined ? SNOOZE_MINUTES : 0;
      snooze.start(typeof minutes === 'number' ? minutes : usual);
    },
    'flashline.endSnooze': () => {
      snooze.start(0);
    },
    'flashline.pickModel': () => pickModel(parts),
    'flashline.setHubToken': () => token.ask(),
    'flashline.remoteEngine': () => remote.choose(),
    'flashline.useRemote': () => remote.ask(),
    'flashline.stopRemote': () => remote.revoke(),
    'flashline.setRemoteKey': () => remote.askKey(),
    'flashline.toggleServing': () =>
      otherTools.address === undefined ? otherTools.start() : otherTools.stop(),
    'flashline.startServing': () => otherTools.start(),
    'flashline.stopServing': () => otherTools.stop(),
    'flashline.restart': () => client.restart(),
    'flashline.showLog': () => {
      log.show();
    },
    'flashline.checkMachine': () => machineCheck.run(),
    'flashline.showStatistics': () => {
      panel.show();
    },
    'flashline.whySuggestion': () => {
      panel.show('why');
    },
    'flashline.compare': () => panel.compare(),
    'flashline.openSettings': () => openWith('workbench.action.openSettings', `@ext:${extensionId}`),
    'flashline.openWalkthrough': () => openWith('workbench.action.openWalkthrough', parts.walkthrough),
    'flashline.openDocumentation': () =>
      vscode.commands.executeCommand('markdown.showPreview', documentation),
    'flashline.tryExample': tryExample,
  };
}

function openWith(command: string, argument: string): Thenable<unknown> {
  return vscode.commands.executeCommand(command, argument);
}
