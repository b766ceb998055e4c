// The rows of the model picker: the catalogue in sections, each pair with its words, and what else can be done. Data only;
// pickModel.ts does what is picked or pressed in them.
import * as vscode from 'vscode';
import type { CatalogueEntry, MachineFacts, ModelCatalogue } from '../../server/modelCatalogue';
import { formatSize } from '../../server/rules/format';
import { t } from '../translate';
import { arrivedText, entryName, infillText, speedText } from './modelWords';

export type ModelAction = 'repository' | 'targetFolder' | 'drafterFolder' | 'noDrafter' | 'token';

export interface ModelButton extends vscode.QuickInputButton {
  /** remove: from this machine. reveal: in the file manager. page: at the hub. */
  readonly press: 'remove' | 'reveal' | 'page';
}

/** Has an entry, an action, or nothing but the title of a section. */
export interface ModelRow extends vscode.QuickPickItem {
  readonly entry?: CatalogueEntry;
  readonly action?: ModelAction;
  readonly buttons?: readonly ModelButton[];
}

export function modelRows(catalogue: ModelCatalogue): ModelRow[] {
  const left = new Set(catalogue.entries);
  /** Of what no section before it has taken. */
  const section = (
    label: string,
    belongs: (entry: CatalogueEntry) => boolean,
    order: typeof bySize = () => 0,
  ): ModelRow[] => {
    const members = [...left].filter(belongs).sort(order);
    for (const entry of members) left.delete(entry);
    return members.length === 0 ? [] : [title(label), ...members.map((entry) => entryRow(entry, catalogue))];
  };
  return [
    ...section(t('in use'), ({ isInUse }) => isInUse),
    ...section(t('on this machine'), ({ isDownloaded }) => isDownloaded),
    ...section(t('begun'), ({ isBegun }) => isBegun),
    ...section(t('recommended'), ({ isRecommended }) => isRecommended),
    ...section(t('can be downloaded'), ({ problem }) => problem === undefined, bySize),
    ...section(t('too large or not supported'), () => true, bySize),
    title(t('more')),
    ...actionRows(),
  ];
}

function title(label: string): ModelRow {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

function bySize(a: CatalogueEntry, b: CatalogueEntry): number {
  return (a.memoryBytes ?? 0) - (b.memoryBytes ?? 0);
}

function entryRow(entry: CatalogueEntry, { endpoint, machine }: ModelCatalogue): ModelRow {
  const { isInUse, isDownloaded, problem, target, drafter, kind, infill } = entry;
  const there = isDownloaded ? 'package' : 'cloud-download';
  const icon = isInUse ? 'check' : kind === 'drafter' ? 'rocket' : there;
  const facts = [
    infill && infillText(infill),
    kind === 'embedded' ? t('comes with the extension') : sizeText(entry),
    speedText(entry.speed),
    entry.memoryBytes && t('{0} memory', formatSize(entry.memoryBytes)),
  ];
  const models = [target, drafter].filter((name) => name !== '' && name !== 'none');
  const names = kind === 'embedded' ? t('A small target and its drafter.') : models.join(' + ');
  const warning = problem && `$(warning) ${problemText(entry, machine) ?? problem}`;
  return {
    label: `$(${icon}) ${entryName(entry)}`,
    description: facts.filter(Boolean).join(' · '),
    detail: [warning, names].filter(Boolean).join(' · '),
    entry,
    buttons: buttonsOf(entry, endpoint),
  };
}

/** The usual problem in fewer words, so that a row has room for them. */
function problemText({ memoryBytes = 0 }: CatalogueEntry, { usableBytes }: MachineFacts): string | undefined {
  if (memoryBytes <= usableBytes) return undefined;
  return t('Needs {0} of memory; {1} can be used here.', formatSize(memoryBytes), formatSize(usableBytes));
}

function sizeText(entry: CatalogueEntry): string {
  const { downloadBytes, isDownloaded, kind } = entry;
  if (kind === 'folder') return '';
  const size = downloadBytes === undefined ? '' : formatSize(downloadBytes);
  if (isDownloaded) return size === '' ? t('downloaded') : t('{0} downloaded', size);
  if (entry.isBegun) return arrivedText(entry);
  return t('{0} to download', size);
}

function buttonsOf(entry: CatalogueEntry, endpoint: string): ModelButton[] {
  const { repositories, isDownloaded, isBegun, directory } = entry;
  const button = (press: ModelButton['press'], icon: string, tooltip: string): ModelButton => {
    return { press, iconPath: new vscode.ThemeIcon(icon), tooltip };
  };
  const page = button('page', 'link-external', t('Open its page at the hub'));
  const reveal = button('reveal', 'folder-opened', t('Reveal in the file manager'));
  const remove = button('remove', 'trash', t('Remove from this machine'));
  return [
    ...(repositories.length > 0 && endpoint !== '' ? [page] : []),
    ...(directory === undefined ? [] : [reveal]),
    ...(repositories.length > 0 && (isDownloaded || isBegun) ? [remove] : []),
  ];
}

function actionRows(): ModelRow[] {
  const row = (action: ModelAction, label: string, detail: string): ModelRow => {
    return { action, label, detail, alwaysShow: true };
  };
  return [
    row(
      'repository',
      `$(cloud) ${t('Another repository...')}`,
      t('By its name at the hub, such as {0}.', 'mlx-community/Qwen3-4B-4bit'),
    ),
    row(
      'targetFolder',
      `$(folder) ${t('A folder as target...')}`,
      t('A model in the format of Hugging Face or mlx-community.'),
    ),
    row(
      'drafterFolder',
      `$(folder) ${t('A folder as drafter...')}`,
      t('A DFlash drafter made for the target in use.'),
    ),
    row(
      'noDrafter',
      `$(circle-slash) ${t('No drafter')}`,
      t('Decodes plainly, one token per pass of the target.'),
    ),
    row(
      'token',
      `$(key) ${t('Token of the hub...')}`,
      t('For models whose licence has to be accepted first.'),
    ),
  ];
}
