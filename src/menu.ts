// What the menu of the status bar offers in a given situation: a pure list of commands with their words.
// showMenu.ts shows it.
import type { CommandId } from './commandIds';
import { isEnabled, isEnabledFor, type Settings } from './settings';
import type { Translate } from './translate';

export interface MenuItem {
  readonly label: string;
  readonly description?: string;
  readonly command: CommandId;
  readonly arguments?: readonly unknown[];
}

export interface MenuView {
  readonly settings: Settings;
  /** Of the active editor; undefined without one. */
  readonly languageId: string | undefined;
  readonly snoozed: boolean;
  /** The reason of the status bar, shown with the restart. */
  readonly problem: string | undefined;
}

export const SNOOZE_MINUTES = 10;

export function menu({ settings, languageId, snoozed, problem }: MenuView, t: Translate): MenuItem[] {
  const enabled = isEnabled(settings);
  const restart: MenuItem = {
    label: `$(debug-restart) ${t('Restart the server')}`,
    ...(problem === undefined ? {} : { description: problem }),
    command: 'flashline.restart',
  };
  const language: MenuItem[] =
    languageId === undefined || !enabled
      ? []
      : [
          {
            label: isEnabledFor(settings, languageId)
              ? `$(circle-slash) ${t('Switch off for {0}', languageId)}`
              : `$(check) ${t('Switch on for {0}', languageId)}`,
            command: 'flashline.toggleLanguage',
          },
        ];
  const snooze: MenuItem[] = snoozed
    ? [{ label: `$(bell) ${t('End the snooze')}`, command: 'flashline.endSnooze' }]
    : [
        {
          label: `$(bell-slash) ${t('Snooze for {0} minutes', SNOOZE_MINUTES)}`,
          command: 'flashline.snooze',
          arguments: [SNOOZE_MINUTES],
        },
        {
          label: `$(bell-slash) ${t('Snooze until VS Code restarts')}`,
          command: 'flashline.snooze',
          arguments: [Infinity],
        },
      ];
  return [
    ...(problem === undefined ? [] : [restart]),
    {
      label: enabled ? `$(circle-slash) ${t('Switch off')}` : `$(check) ${t('Switch on')}`,
      command: 'flashline.toggle',
    },
    ...language,
    ...(enabled ? snooze : []),
    { label: `$(sparkle) ${t('Generate code...')}`, command: 'flashline.generate' },
    { label: `$(graph) ${t('Show statistics')}`, command: 'flashline.showStatistics' },
    {
      label: `$(package) ${t('Models...')}`,
      ...(settings.server.target === '' ? {} : { description: settings.server.target }),
      command: 'flashline.pickModel',
    },
    ...(problem === undefined ? [restart] : []),
    { label: `$(output) ${t('Show the log')}`, command: 'flashline.showLog' },
    { label: `$(gear) ${t('Settings')}`, command: 'flashline.openSettings' },
  ];
}
