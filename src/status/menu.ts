// The menu of the status bar: the items for a given state, each with its command.
import type { QuickPickItem } from 'vscode';
import { isEnabled } from '../../server/rules/enabledLanguages';
import { suggestsIn, type Settings } from '../configuration';
import { languageName } from '../gate/documentLanguage';
import type { EditorGate } from '../gate/gate';
import type { GateReason } from '../gate/gateReasons';

export interface MenuItem extends QuickPickItem {
  readonly command: string;
  readonly arguments?: readonly unknown[];
}

export interface MenuView {
  readonly settings: Settings;
  /** Language of the active editor; undefined without one, or if suggestions never appear in it. */
  readonly languageId: string | undefined;
  readonly isSnoozed: boolean;
  /** Problem shown in the status bar, repeated with the restart item. */
  readonly problem: string | undefined;
  /** Reason why nothing is suggested in the active editor. */
  readonly pause: ReturnType<EditorGate['activeEditorPause']>;
  /** Address of the server for other tools; undefined while it is off. */
  readonly serving: string | undefined;
}

export const SNOOZE_MINUTES = 10;

/** Items that lead to the end of a pause, for the reasons that no other item of the menu covers. */
const REMEDIES: Partial<Readonly<Record<GateReason, MenuItem>>> = {
  editor: setting('editor.inlineSuggest.enabled'),
  excluded: setting('flashline.exclude'),
  untrusted: { label: '$(shield) Manage workspace trust...', command: 'workbench.trust.manage' },
};
/** Reasons of pauses during which switching suggestions for the language has an effect. */
const LANGUAGE_REASONS: readonly GateReason[] = ['language', 'unknownLanguage', 'multiCursor', 'snoozed'];

export function menu(view: MenuView): MenuItem[] {
  const { settings, languageId, isSnoozed, problem, pause, serving } = view;
  const isOn = isEnabled(settings.enable);
  const { target, remote } = settings.server;
  const restart: MenuItem = {
    label: '$(debug-restart) Restart server',
    ...(problem === undefined ? {} : { description: problem }),
    command: 'flashline.restart',
  };
  const models: MenuItem = {
    label: '$(package) Models...',
    ...(target === '' ? {} : { description: target }),
    command: 'flashline.pickModel',
  };
  const toggle: MenuItem = {
    label: isOn ? '$(circle-slash) Turn off suggestions' : '$(check) Turn on suggestions',
    command: 'flashline.toggle',
  };
  return [
    ...(problem === undefined ? [] : [restart, models]),
    // The item focused when the menu opens must be harmless.
    ...remedyItems(pause),
    { label: '$(graph) Show statistics', command: 'flashline.showStatistics' },
    ...(isOn ? snoozeItems(isSnoozed) : []),
    ...(isOn && languageId !== undefined ? languageItems(settings, languageId, pause) : []),
    toggle,
    { label: '$(sparkle) Generate code...', command: 'flashline.generate' },
    ...(problem === undefined ? [models] : []),
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

function setting(name: string): MenuItem {
  return { label: `$(gear) Change ${name}`, command: 'workbench.action.openSettings', arguments: [name] };
}

function remedyItems(pause: MenuView['pause']): MenuItem[] {
  const item = pause && REMEDIES[pause.reason];
  return item ? [{ ...item, description: pause.text }] : [];
}

function languageItems(settings: Settings, languageId: string, pause: MenuView['pause']): MenuItem[] {
  if (pause && !LANGUAGE_REASONS.includes(pause.reason)) return [];
  const name = languageName(languageId);
  const label = suggestsIn(settings, languageId)
    ? `$(circle-slash) Turn off suggestions for ${name}`
    : `$(check) Turn on suggestions for ${name}`;
  return [{ label, command: 'flashline.toggleLanguage' }];
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
