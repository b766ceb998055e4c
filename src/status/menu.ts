// The menu of the status bar: what it offers in a given situation, each item with its command.
import type { QuickPickItem } from 'vscode';
import { isEnabled } from '../../server/rules/enabledLanguages';
import { suggestsIn, type Settings } from '../configuration';
import { languageName } from './languageNames';
import { t } from '../translate';

export interface MenuItem extends QuickPickItem {
  readonly command: `flashline.${string}`;
  readonly arguments?: readonly unknown[];
}

export interface MenuView {
  readonly settings: Settings;
  /** Of the active editor; undefined without one. */
  readonly languageId: string | undefined;
  readonly snoozed: boolean;
  /** The problem that the status bar shows, repeated with the restart item. */
  readonly problem: string | undefined;
  /** How long suggestions take, in milliseconds, if that is too long and a smaller model would help. */
  readonly slowMs?: number | undefined;
  readonly remote?: {
    /** Host that text may be sent to once the user agrees. */
    readonly awaitsConsent: string | undefined;
    readonly isInUse: boolean;
  };
  /** The address of the server for other tools; undefined while it is off. */
  readonly serving: string | undefined;
}

export const SNOOZE_MINUTES = 10;

export function menu({
  settings,
  languageId,
  snoozed,
  problem,
  slowMs,
  serving,
  remote,
}: MenuView): MenuItem[] {
  const enabled = isEnabled(settings.enable);
  const restart: MenuItem = {
    label: `$(debug-restart) ${t('Restart server')}`,
    ...(problem === undefined ? {} : { description: problem }),
    command: 'flashline.restart',
  };
  const toggle: MenuItem = {
    label: enabled ? `$(circle-slash) ${t('Turn off suggestions')}` : `$(check) ${t('Turn on suggestions')}`,
    command: 'flashline.toggle',
  };
  return [
    ...(problem === undefined ? [] : [restart]),
    ...(slowMs === undefined ? [] : [fasterItem(slowMs)]),
    // What is in focus when the menu opens changes nothing.
    { label: `$(graph) ${t('Show statistics')}`, command: 'flashline.showStatistics' },
    ...(enabled ? snoozeItems(snoozed) : []),
    ...(enabled && languageId !== undefined ? [languageItem(settings, languageId)] : []),
    toggle,
    { label: `$(sparkle) ${t('Generate code...')}`, command: 'flashline.generate' },
    {
      label: `$(package) ${t('Models...')}`,
      ...(settings.server.target === '' ? {} : { description: settings.server.target }),
      command: 'flashline.pickModel',
    },
    ...(remote ? remoteItems(remote) : []),
    servingItem(serving),
    ...(problem === undefined ? [restart] : []),
    { label: `$(output) ${t('Show log')}`, command: 'flashline.showLog' },
    { label: `$(gear) ${t('Open settings')}`, command: 'flashline.openSettings' },
    { label: `$(question) ${t('Open documentation')}`, command: 'flashline.openDocumentation' },
  ];
}

function fasterItem(milliseconds: number): MenuItem {
  return {
    label: `$(dashboard) ${t('Choose a faster model...')}`,
    description: t('suggestions take {0} s', (milliseconds / 1000).toFixed(1)),
    command: 'flashline.pickModel',
  };
}

function servingItem(address: string | undefined): MenuItem {
  if (address === undefined)
    return {
      label: `$(broadcast) ${t('Start the server for other tools')}`,
      command: 'flashline.startServing',
    };
  return {
    label: `$(debug-stop) ${t('Stop the server for other tools')}`,
    description: address,
    command: 'flashline.stopServing',
  };
}

function languageItem(settings: Settings, languageId: string): MenuItem {
  const name = languageName(languageId);
  const label = suggestsIn(settings, languageId)
    ? `$(circle-slash) ${t('Turn off suggestions for {0}', name)}`
    : `$(check) ${t('Turn on suggestions for {0}', name)}`;
  return { label, command: 'flashline.toggleLanguage' };
}

function remoteItems({ awaitsConsent, isInUse }: NonNullable<MenuView['remote']>): MenuItem[] {
  if (isInUse)
    return [
      { label: `$(cloud-upload) ${t('Stop using the remote engine')}`, command: 'flashline.stopRemote' },
    ];
  if (awaitsConsent === undefined) return [];
  return [{ label: `$(cloud-upload) ${t('Use {0}...', awaitsConsent)}`, command: 'flashline.useRemote' }];
}

function snoozeItems(snoozed: boolean): MenuItem[] {
  if (snoozed) return [{ label: `$(bell) ${t('End snooze')}`, command: 'flashline.endSnooze' }];
  const item = (label: string, minutes: number): MenuItem => {
    return { label: `$(bell-slash) ${label}`, command: 'flashline.snooze', arguments: [minutes] };
  };
  return [
    item(t('Snooze for {0} minutes', SNOOZE_MINUTES), SNOOZE_MINUTES),
    item(t('Snooze until VS Code restarts'), Infinity),
  ];
}
