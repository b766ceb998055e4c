// The menu of the status bar: the items for a given state, each with its command.
import type { QuickPickItem } from 'vscode';
import { isEnabled } from '../../server/rules/enabledLanguages';
import { suggestsIn, type Settings } from '../configuration';
import { languageName } from '../gate/documentLanguage';

export interface MenuItem extends QuickPickItem {
  readonly command: string;
  readonly arguments?: readonly unknown[];
}

export interface MenuView {
  readonly settings: Settings;
  /** Language of the active editor; undefined without one. */
  readonly languageId: string | undefined;
  readonly isSnoozed: boolean;
  /** Problem shown in the status bar, repeated with the restart item. */
  readonly problem: string | undefined;
  /** Address of the server for other tools; undefined while it is off. */
  readonly serving: string | undefined;
}

export const SNOOZE_MINUTES = 10;

export function menu({ settings, languageId, isSnoozed, problem, serving }: MenuView): MenuItem[] {
  const enabled = isEnabled(settings.enable);
  const { target, remote } = settings.server;
  const restart: MenuItem = {
    label: '$(debug-restart) Restart server',
    ...(problem === undefined ? {} : { description: problem }),
    command: 'flashline.restart',
  };
  const toggle: MenuItem = {
    label: enabled ? '$(circle-slash) Turn off suggestions' : '$(check) Turn on suggestions',
    command: 'flashline.toggle',
  };
  return [
    ...(problem === undefined ? [] : [restart]),
    // The item focused when the menu opens must be harmless.
    { label: '$(graph) Show statistics', command: 'flashline.showStatistics' },
    ...(enabled ? snoozeItems(isSnoozed) : []),
    ...(enabled && languageId !== undefined ? [languageItem(settings, languageId)] : []),
    toggle,
    { label: '$(sparkle) Generate code...', command: 'flashline.generate' },
    {
      label: '$(package) Models...',
      ...(target === '' ? {} : { description: target }),
      command: 'flashline.pickModel',
    },
    ...(remote.url === ''
      ? []
      : [
          {
            label: '$(cloud-upload) Remote engine...',
            description: remote.url,
            command: 'flashline.remoteEngine',
          },
        ]),
    servingItem(serving),
    ...(problem === undefined ? [restart] : []),
    { label: '$(output) Show log', command: 'flashline.showLog' },
    {
      label: '$(gear) Open settings',
      command: 'workbench.action.openSettings',
      arguments: ['@ext:flashline.flashline'],
    },
    { label: '$(question) Open documentation', command: 'flashline.openDocumentation' },
  ];
}

function servingItem(address: string | undefined): MenuItem {
  if (address === undefined)
    return {
      label: '$(broadcast) Start the server for other tools',
      command: 'flashline.toggleServing',
    };
  return {
    label: '$(debug-stop) Stop the server for other tools',
    description: address,
    command: 'flashline.toggleServing',
  };
}

function languageItem(settings: Settings, languageId: string): MenuItem {
  const name = languageName(languageId);
  const label = suggestsIn(settings, languageId)
    ? `$(circle-slash) Turn off suggestions for ${name}`
    : `$(check) Turn on suggestions for ${name}`;
  return { label, command: 'flashline.toggleLanguage' };
}

function snoozeItems(isSnoozed: boolean): MenuItem[] {
  const item = (label: string, minutes: number): MenuItem => {
    return { label, command: 'flashline.snooze', arguments: [minutes] };
  };
  if (isSnoozed) return [item('$(bell) End snooze', 0)];
  return [
    item(`$(bell-slash) Snooze for ${SNOOZE_MINUTES} minutes`, SNOOZE_MINUTES),
    item('$(bell-slash) Snooze until this window is closed or reloaded', Infinity),
  ];
}
