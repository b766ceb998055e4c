// Handlers of the commands in package.json, which defines their titles, keys and places in menus; a test compares the
// lists.
import * as vscode from 'vscode';
import { switchedLanguage } from './gate/documentLanguage';
import { SCHEMES } from './gate/gate';
import { decideAll, decideHunk } from './instruct/edit/decideHunks';
import { generateInEditor } from './instruct/editorGeneration';
import { pickModel } from './models/pickModel';
import type { Parts } from './parts';
import { menu, SNOOZE_MINUTES } from './status/menu';
import { tryExample } from './status/tryExample';

/** Returns the handlers of the commands by id. */
// eslint-disable-next-line max-lines-per-function -- a table with one entry per command
export function commands(parts: Parts): Readonly<Record<string, (argument?: unknown) => unknown>> {
  const { documentation, configuration, client, instruct, edit, pending } = parts;
  const { panel, statusBar, snooze, remote, otherTools, machineCheck, dismissals, nextEdit, log } = parts;
  const languageId = (): string | undefined => {
    const document = vscode.window.activeTextEditor?.document;
    // An output channel can be the active editor, too.
    if (document === undefined || !SCHEMES.includes(document.uri.scheme)) return undefined;
    return switchedLanguage(document, configuration.settings.enable);
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
