// Chooses the model pair: the embedded one, or folders on this machine. Only writes settings; whether a folder
// holds a model that can be loaded is for the server to say.
import * as vscode from 'vscode';

export async function pickModel(): Promise<void> {
  const t = vscode.l10n.t;
  const items = [
    {
      label: `$(package) ${t('The embedded pair')}`,
      detail: t('A small target and its drafter, inside the extension.'),
      pick: async () => {
        await save({ target: '', drafter: '' });
      },
    },
    {
      label: `$(folder) ${t('Choose the folder of a target...')}`,
      detail: t('A Qwen3 model in the format of Hugging Face or mlx-community.'),
      pick: async () => {
        const target = await askFolder(t('Use as target'));
        if (target !== undefined) await save({ target, drafter: (await askDrafter()) ?? 'none' });
      },
    },
    {
      label: `$(folder) ${t('Choose the folder of a drafter...')}`,
      detail: t('A DFlash drafter made for the target.'),
      pick: async () => {
        const drafter = await askFolder(t('Use as drafter'));
        if (drafter !== undefined) await save({ drafter });
      },
    },
    {
      label: `$(circle-slash) ${t('No drafter')}`,
      detail: t('Decodes plainly, one token per pass of the target.'),
      pick: async () => {
        await save({ drafter: 'none' });
      },
    },
  ];
  const picked = await vscode.window.showQuickPick(items, { title: t('Flashline: choose the model') });
  await picked?.pick();
}

async function askDrafter(): Promise<string | undefined> {
  const t = vscode.l10n.t;
  const choose = t('Choose a drafter...');
  const picked = await vscode.window.showQuickPick([choose, t('No drafter')], {
    title: t('Is there a drafter for this target?'),
  });
  return picked === choose ? await askFolder(t('Use as drafter')) : undefined;
}

async function askFolder(openLabel: string): Promise<string | undefined> {
  const folders = await vscode.window.showOpenDialog({
    openLabel,
    canSelectFiles: false,
    canSelectFolders: true,
    canSelectMany: false,
  });
  return folders?.[0]?.fsPath;
}

async function save(values: Readonly<Record<string, string>>): Promise<void> {
  const configuration = vscode.workspace.getConfiguration('flashline');
  for (const [name, value] of Object.entries(values))
    await configuration.update(name, value === '' ? undefined : value, vscode.ConfigurationTarget.Global);
}
