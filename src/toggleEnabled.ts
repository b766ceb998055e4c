// Switches Flashline on and off in the settings: everywhere, or for a language.
// Writes where the value in force comes from, so that the switch has an effect.
import * as vscode from 'vscode';
import { isEnabled, isEnabledFor, type Settings } from './settings';

export async function toggleEnabled(settings: Settings): Promise<void> {
  await write('*', !isEnabled(settings));
}

export async function toggleLanguage(settings: Settings, languageId: string): Promise<void> {
  await write(languageId, !isEnabledFor(settings, languageId));
}

async function write(key: string, value: boolean): Promise<void> {
  const configuration = vscode.workspace.getConfiguration('flashline');
  const { globalValue, workspaceValue } = configuration.inspect<Record<string, boolean>>('enable') ?? {};
  const inWorkspace = typeof workspaceValue === 'object' && key in workspaceValue;
  const own = inWorkspace ? workspaceValue : globalValue;
  await configuration.update(
    'enable',
    { ...(typeof own === 'object' ? own : {}), [key]: value },
    inWorkspace ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global,
  );
}
