// The model picker: shows the rows of modelRows.ts, and does what is picked or pressed in them.
import * as vscode from 'vscode';
import type { CatalogueEntry, ModelCatalogue } from '../../server/modelCatalogue';
import { Method } from '../../server/protocol';
import { t } from '../translate';
import { askDrafterFolder, askRepository, askTargetFolder } from './askModel';
import { chooseModel, openPage, removeModel, type ModelParts } from './chooseModel';
import { modelRows, type ModelAction, type ModelButton, type ModelRow } from './modelRows';
import { entryName } from './modelWords';

interface Picked extends ModelRow {
  /** Of its buttons, the one that was pressed. */
  readonly pressed?: ModelButton['press'] | undefined;
}

/** Until the person has chosen, or closed it. */
export async function pickModel(parts: ModelParts): Promise<void> {
  const pick = vscode.window.createQuickPick<ModelRow>();
  pick.title = t('Flashline: models');
  pick.placeholder = t('Pick one to use it; what is not there is downloaded after a question');
  pick.matchOnDescription = pick.matchOnDetail = true;
  pick.busy = true;
  pick.show();
  let picked: Picked | undefined;
  let catalogue: ModelCatalogue;
  try {
    catalogue = await parts.client.request<ModelCatalogue>(Method.models, {});
    pick.items = modelRows(catalogue);
    pick.busy = false;
    picked = await answerOf(pick);
  } finally {
    pick.dispose();
  }
  const { entry, action, pressed } = picked ?? {};
  if (action !== undefined) return await act(parts, action, catalogue);
  if (entry === undefined) return;
  if (pressed === undefined) return await chooseModel(parts, entry, catalogue);
  if (pressed === 'page') return await openPage(entry, catalogue);
  if (pressed === 'reveal') return await reveal(entry.directory ?? '');
  await askAndRemove(parts, entry);
  // What is removed is shown as such.
  await pickModel(parts);
}

function answerOf(pick: vscode.QuickPick<ModelRow>): Promise<Picked | undefined> {
  return new Promise((resolve) => {
    pick.onDidAccept(() => {
      resolve(pick.selectedItems[0]);
    });
    pick.onDidTriggerItemButton(({ item, button }) => {
      const pressed = item.buttons?.find(({ tooltip }) => tooltip === button.tooltip)?.press;
      resolve({ ...item, pressed });
    });
    pick.onDidHide(() => {
      resolve(undefined);
    });
  });
}

async function askAndRemove(parts: ModelParts, entry: CatalogueEntry): Promise<void> {
  const remove = t('Remove');
  const detail = entry.isInUse ? t('It is in use; the embedded pair takes its place.') : '';
  const question = t('Remove {0} from this machine?', entryName(entry));
  const answer = await vscode.window.showWarningMessage(question, { modal: true, detail }, remove);
  if (answer === remove) await removeModel(parts, entry);
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
