// What each command does, in terms of the parts that do it.
// The list of commands is commandIds.ts; the manifest gives them titles, keys and places in menus.
import * as vscode from 'vscode';
import type { FlashlineClient } from './client';
import type { CommandHandlers } from './commands';
import type { Configuration } from './configuration';
import { toggleEnabled, toggleLanguage } from './toggleEnabled';
import type { GenerateCommand } from './generate';
import type { ModelParts } from './models/chooseModel';
import { pickModel } from './models/pickModel';
import { SNOOZE_MINUTES } from './menu';
import type { StatisticsPanel } from './panel/statisticsPanel';
import { showMenu } from './showMenu';
import type { Snooze } from './snooze';
import type { StatusBar } from './statusBar';
import { tryExample } from './tryExample';

export interface CommandParts {
  readonly extensionId: string;
  readonly configuration: Configuration;
  readonly client: FlashlineClient;
  readonly generate: GenerateCommand;
  readonly panel: StatisticsPanel;
  readonly statusBar: StatusBar;
  readonly snooze: Snooze;
  readonly models: ModelParts;
  readonly log: vscode.LogOutputChannel;
}

export function commandHandlers(parts: CommandParts): CommandHandlers {
  const { extensionId, configuration, client, generate, panel, statusBar, snooze, models, log } = parts;
  const languageId = (): string | undefined => vscode.window.activeTextEditor?.document.languageId;
  return {
    'flashline.generate': (instruction) => generate.generate(instruction),
    'flashline.cancelGenerate': () => {
      generate.cancel();
    },
    'flashline.showMenu': () => {
      const { state, reason } = statusBar.rendered;
      return showMenu({
        settings: configuration.settings,
        languageId: languageId(),
        snoozed: snooze.active,
        problem: state === 'error' ? reason : undefined,
      });
    },
    'flashline.toggle': () => toggleEnabled(configuration.settings),
    'flashline.toggleLanguage': () => {
      const language = languageId();
      return language === undefined ? undefined : toggleLanguage(configuration.settings, language);
    },
    'flashline.snooze': (minutes) => {
      snooze.start(typeof minutes === 'number' ? minutes : SNOOZE_MINUTES);
    },
    'flashline.endSnooze': () => {
      snooze.start(0);
    },
    'flashline.pickModel': () => pickModel(models),
    'flashline.setHubToken': () => models.token.ask(),
    'flashline.restart': () => client.restart(),
    'flashline.showLog': () => {
      log.show();
    },
    'flashline.showStatistics': () => {
      panel.show();
    },
    'flashline.compare': () => panel.compare(),
    'flashline.openSettings': () => openWith('workbench.action.openSettings', `@ext:${extensionId}`),
    'flashline.openWalkthrough': () => openWith('workbench.action.openWalkthrough', `${extensionId}#start`),
    'flashline.tryExample': tryExample,
  };
}

function openWith(command: string, argument: string): Thenable<unknown> {
  return vscode.commands.executeCommand(command, argument);
}
