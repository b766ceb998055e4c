// The commands that the manifest declares. Apart from commands.ts, so that tests can read them without vscode.

export const commandIds = [
  'flashline.generate',
  'flashline.cancelGenerate',
  'flashline.showMenu',
  'flashline.toggle',
  'flashline.toggleLanguage',
  'flashline.snooze',
  'flashline.endSnooze',
  'flashline.pickModel',
  'flashline.setHubToken',
  'flashline.restart',
  'flashline.showLog',
  'flashline.showStatistics',
  'flashline.compare',
  'flashline.openSettings',
  'flashline.openWalkthrough',
  'flashline.tryExample',
] as const;

export type CommandId = (typeof commandIds)[number];
