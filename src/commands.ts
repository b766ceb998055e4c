// Handlers of the commands in package.json, which defines their titles, keys and places in menus; a test compares the
// lists.
import * as vscode from 'vscode';
import { decideAll, decideHunk } from './instruct/edit/editView';
import type { SelectionEdit } from './instruct/edit/selectionEdit';
import type { PendingEdits } from './instruct/edit/pendingEdits';
import type { Dismissals } from './ghostText/dismissals';
import { switchedLanguage } from './gate/documentLanguage';
import type { Snooze } from './gate/snooze';
import { generateInEditor } from './instruct/editorGeneration';
import type { InstructParts } from './instruct/instructParts';
import type { MachineCheck } from './models/machineCheck';
import { menu, SNOOZE_MINUTES } from './status/menu';
import type { ModelParts } from './models/chooseModel';
import { pickModel } from './models/pickModel';
import type { NextEdit } from './nextEdit/nextEdit';
import type { StatisticsPanel } from './panel/statisticsPanel';
import type { RemoteConsent } from './connection/remoteConsent';
import type { StatusBar } from './status/statusBar';
import { tryExample } from './status/tryExample';
import type { Walkthrough } from './status/walkthrough';
import type { OtherTools } from './connection/otherTools';

export interface CommandParts extends ModelParts {
  readonly walkthrough: Walkthrough;
  /** First page of the documentation. */
  readonly documentation: vscode.Uri;
  /** Folder of the walkthrough's examples. */
  readonly examples: vscode.Uri;
  readonly instruct: InstructParts;
  readonly edit: SelectionEdit;
  readonly pending: PendingEdits;
  readonly panel: StatisticsPanel;
  readonly statusBar: StatusBar;
  readonly snooze: Snooze;
  readonly remote: RemoteConsent;
  readonly otherTools: OtherTools;
  readonly machineCheck: MachineCheck;
  readonly dismissals: Dismissals;
  readonly nextEdit: NextEdit;
  readonly log: vscode.LogOutputChannel;
}

/** Returns the handlers of the commands by id. */
// eslint-disable-next-line max-lines-per-function -- a table with one entry per command
export function commands(parts: CommandParts): Readonly<Record<string, (argument?: unknown) => unknown>> {
  const { documentation, configuration, client, instruct, edit, pending } = parts;
  const { panel, statusBar, snooze, remote, otherTools, machineCheck, dismissals, nextEdit, log } = parts;
  const languageId = (): string | undefined => {
    const editor = vscode.window.activeTextEditor;
    return editor && switchedLanguage(editor.document, configuration.settings.enable);
  };
  return {
    'flashline.generate': (instruction) => generateInEditor(instruct, instruction),
    'flashline.cancelGenerate': () => {
      instruct.run.cancel();
    },
    'flashline.edit': (instruction) => edit.edit(instruction),
    'flashline.acceptHunk': (hunk) => decideHunk(pending, true, hunk),
    'flashline.rejectHunk': (hunk) => decideHunk(pending, false, hunk),
    'flashline.acceptEdit': (hunk) => decideAll(pending, true, hunk),
    'flashline.rejectEdit': (hunk) => decideAll(pending, false, hunk),
    'flashline.dismiss': () => {
      nextEdit.dismiss();
      return dismissals.dismiss();
    },
    'flashline.nextEdit.accept': (key) => nextEdit.accept(key),
    'flashline.nextEdit.dismiss': () => {
      nextEdit.dismiss();
    },
    'flashline.nextEdit.request': () => nextEdit.request(),
    'flashline.showMenu': async () => {
      const { state, reason } = statusBar.rendered;
      const { pause } = statusBar.view;
      const problem = state === 'error' ? reason : undefined;
      const items = menu({
        settings: configuration.settings,
        languageId: languageId(),
        isSnoozed: snooze.until !== undefined,
        problem,
        pause,
        serving: otherTools.address,
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
      const toggled = snooze.until === undefined ? SNOOZE_MINUTES : 0;
      snooze.start(typeof minutes === 'number' ? minutes : toggled);
    },
    'flashline.pickModel': () => pickModel(parts),
    'flashline.remoteEngine': () => remote.choose(),
    'flashline.toggleServing': () =>
      otherTools.address === undefined ? otherTools.start() : otherTools.stop(),
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
    'flashline.openWalkthrough': () => parts.walkthrough.open(),
    'flashline.openDocumentation': () =>
      vscode.commands.executeCommand('markdown.showPreview', documentation),
    'flashline.tryExample': () => tryExample(parts.examples),
  };
}
