// The model picker: shows the rows of modelRows.ts, and does what is picked or pressed in them.
import * as vscode from 'vscode';
import type { CatalogueEntry, ModelCatalogue } from '../../server/modelCatalogue';
import { Method } from '../../server/protocol';
import { askDrafterFolder, askTargetFolder } from './askTargetFolder';
import { chooseModel, removeModel, type ModelParts } from './chooseModel';
import { entryName } from './entryName';
import { modelRows, type ModelAction, type ModelRow, type RowButton } from './modelRows';
import { repositoryNames } from './repositoryNames';

type Item = vscode.QuickPickItem & { readonly row: ModelRow };
type Picked =
  Exclude<ModelRow, { kind: 'section' }> | { readonly kind: RowButton; readonly entry: CatalogueEntry };

const ICONS: Readonly<Record<RowButton, string>> = {
  remove: 'trash',
  reveal: 'folder-opened',
  page: 'link-external',
};

/** Until the person has chosen, or closed it. */
export async function pickModel(parts: ModelParts): Promise<void> {
  for (;;) {
    const shown = await showCatalogue(parts);
    if (shown === undefined) return;
    const { picked, catalogue } = shown;
    if (picked.kind === 'entry') return await chooseModel(parts, picked.entry, catalogue);
    if (picked.kind === 'action') return await act(parts, picked.action, catalogue);
    await press(parts, picked, catalogue);
    // What is removed is shown as such; the others lead out of VS Code.
    if (picked.kind !== 'remove') return;
  }
}

async function showCatalogue(
  parts: ModelParts,
): Promise<{ picked: Picked; catalogue: ModelCatalogue } | undefined> {
  const t = vscode.l10n.t;
  const pick = vscode.window.createQuickPick<Item>();
  pick.title = t('Flashline: models');
  pick.placeholder = t('Pick one to use it; what is not there is downloaded after a question');
  pick.matchOnDescription = pick.matchOnDetail = true;
  pick.busy = true;
  pick.show();
  try {
    const catalogue = await parts.client.request<ModelCatalogue>(Method.models, {});
    pick.items = modelRows(catalogue, t).map(itemOf);
    pick.busy = false;
    const picked = await answerOf(pick);
    return picked && { picked, catalogue };
  } finally {
    pick.dispose();
  }
}

function answerOf(pick: vscode.QuickPick<Item>): Promise<Picked | undefined> {
  return new Promise((resolve) => {
    pick.onDidAccept(() => {
      const row = pick.selectedItems[0]?.row;
      resolve(row === undefined || row.kind === 'section' ? undefined : row);
    });
    pick.onDidTriggerItemButton(({ item: { row }, button }) => {
      if (row.kind !== 'entry') return;
      const kind = row.buttons.find((each) => buttonOf(each).tooltip === button.tooltip);
      if (kind !== undefined) resolve({ kind, entry: row.entry });
    });
    pick.onDidHide(() => {
      resolve(undefined);
    });
  });
}

function itemOf(row: ModelRow): Item {
  if (row.kind === 'section') return { row, label: row.label, kind: vscode.QuickPickItemKind.Separator };
  if (row.kind === 'action') return { row, label: row.label, detail: row.detail, alwaysShow: true };
  const { label, description, detail, buttons } = row;
  return { row, label, description, detail, buttons: buttons.map(buttonOf) };
}

function buttonOf(button: RowButton): vscode.QuickInputButton {
  const t = vscode.l10n.t;
  const tooltips = {
    remove: t('Remove from this machine'),
    reveal: t('Reveal in the file manager'),
    page: t('Open its page at the hub'),
  };
  return { iconPath: new vscode.ThemeIcon(ICONS[button]), tooltip: tooltips[button] };
}

async function press(
  parts: ModelParts,
  { kind, entry }: { readonly kind: RowButton; readonly entry: CatalogueEntry },
  { endpoint }: ModelCatalogue,
): Promise<void> {
  if (kind === 'page') {
    await vscode.env.openExternal(vscode.Uri.parse(`${endpoint}/${entry.repositories[0] ?? ''}`));
  } else if (kind === 'reveal') {
    await reveal(entry.directory ?? '');
  } else {
    const t = vscode.l10n.t;
    const remove = t('Remove');
    const detail = entry.isInUse ? t('It is in use; the embedded pair takes its place.') : '';
    const question = t('Remove {0} from this machine?', entryName(entry, t));
    const answer = await vscode.window.showWarningMessage(question, { modal: true, detail }, remove);
    if (answer === remove) await removeModel(parts, entry);
  }
}

/** Where there is no file manager, as in a browser, the path is said. */
async function reveal(directory: string): Promise<void> {
  try {
    await vscode.commands.executeCommand('revealFileInOS', vscode.Uri.file(directory));
  } catch {
    void vscode.window.showInformationMessage(directory);
  }
}

async function act(parts: ModelParts, action: ModelAction, catalogue: ModelCatalogue): Promise<void> {
  const { pairSwitch, configuration, token } = parts;
  const { target } = configuration.settings.server;
  switch (action) {
    case 'repository':
      return await askRepository(parts);
    case 'targetFolder': {
      const pair = await askTargetFolder(catalogue.entries.filter(({ kind }) => kind === 'drafter'));
      return pair && (await pairSwitch.to(pair));
    }
    case 'drafterFolder': {
      const drafter = await askDrafterFolder();
      return drafter === undefined ? undefined : await pairSwitch.to({ target, drafter });
    }
    case 'noDrafter':
      return await pairSwitch.to({ target, drafter: 'none' });
    case 'token':
      return void (await token.ask());
  }
}

async function askRepository(parts: ModelParts, value = ''): Promise<void> {
  const t = vscode.l10n.t;
  const text = await vscode.window.showInputBox({
    title: t('Flashline: another repository'),
    value,
    prompt: t('Its name at the hub, and after a space that of its drafter, if it has one'),
    placeHolder: 'mlx-community/Qwen3-4B-4bit z-lab/Qwen3-4B-DFlash-b16',
    ignoreFocusOut: true,
    validateInput: (typed) =>
      typed.trim() === '' || repositoryNames(typed) ? undefined : t('One or two names such as Qwen/Qwen3-4B'),
  });
  const repositories = repositoryNames(text ?? '');
  if (repositories === undefined) return;
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: t('Asking the hub'),
    cancellable: true,
  };
  const given = await parts.token.forRequest();
  const catalogue = await vscode.window.withProgress(options, (_, cancelled) =>
    parts.client.request<ModelCatalogue>(Method.models, { repositories, ...given }, cancelled),
  );
  const { lookedUp } = catalogue;
  if (lookedUp === undefined) return;
  if ('entry' in lookedUp) return await chooseModel(parts, lookedUp.entry, catalogue);
  const enter = t('Enter a token...');
  const { reason, message } = lookedUp.failure;
  const ways = reason === 'refused' || reason === 'missing' ? [enter] : [];
  const answer = await vscode.window.showErrorMessage(message, ...ways);
  if (answer === enter && (await parts.token.ask())) await askRepository(parts, text);
}
