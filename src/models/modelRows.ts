// What the model picker lists: the catalogue in sections, each pair with its words, and what else can be done.
// A pure function; pickModel.ts shows it.
import type { CatalogueEntry, MachineFacts, ModelCatalogue } from '../../server/modelCatalogue';
import { formatSize } from '../../server/rules/format';
import type { Translate } from '../translate';
import { arrivedText, entryName, infillText, speedText } from './entryName';

export type ModelAction = 'repository' | 'targetFolder' | 'drafterFolder' | 'noDrafter' | 'token';

/** remove: the trash. reveal: in the file manager. page: at the hub. */
export type RowButton = 'remove' | 'reveal' | 'page';

export type ModelRow =
  | { readonly kind: 'section'; readonly label: string }
  | {
      readonly kind: 'entry';
      readonly label: string;
      readonly description: string;
      readonly detail: string;
      readonly entry: CatalogueEntry;
      readonly buttons: readonly RowButton[];
    }
  | {
      readonly kind: 'action';
      readonly label: string;
      readonly detail: string;
      readonly action: ModelAction;
    };

export function modelRows(catalogue: ModelCatalogue, t: Translate): ModelRow[] {
  const left = new Set(catalogue.entries);
  const take = (belongs: (entry: CatalogueEntry) => boolean): CatalogueEntry[] => {
    const taken = [...left].filter(belongs);
    for (const entry of taken) left.delete(entry);
    return taken;
  };
  const section = (label: string, members: readonly CatalogueEntry[]): ModelRow[] =>
    members.length === 0
      ? []
      : [{ kind: 'section', label }, ...members.map((entry) => entryRow(entry, catalogue, t))];
  return [
    ...section(
      t('in use'),
      take(({ isInUse }) => isInUse),
    ),
    ...section(
      t('on this machine'),
      take(({ isDownloaded }) => isDownloaded),
    ),
    ...section(
      t('begun'),
      take((entry) => entry.isBegun),
    ),
    ...section(
      t('recommended'),
      take(({ isRecommended }) => isRecommended),
    ),
    ...section(t('can be downloaded'), take(({ problem }) => problem === undefined).sort(bySize)),
    ...section(t('too large or not supported'), take(() => true).sort(bySize)),
    { kind: 'section', label: t('more') },
    ...actionRows(t),
  ];
}

function entryRow(entry: CatalogueEntry, { endpoint, machine }: ModelCatalogue, t: Translate): ModelRow {
  const { isInUse, isDownloaded, problem, target, drafter, kind, infill } = entry;
  const icon = isInUse
    ? 'check'
    : kind === 'drafter'
      ? 'rocket'
      : isDownloaded
        ? 'package'
        : 'cloud-download';
  const facts = [
    infill && infillText(infill, t),
    kind === 'embedded' ? t('comes with the extension') : sizeText(entry, t),
    speedText(entry.speed, t),
    entry.memoryBytes && t('{0} memory', formatSize(entry.memoryBytes)),
  ];
  const models = [target, drafter].filter((name) => name !== '' && name !== 'none');
  const names = kind === 'embedded' ? t('A small target and its drafter.') : models.join(' + ');
  return {
    kind: 'entry',
    label: `$(${icon}) ${entryName(entry, t)}`,
    description: facts.filter((fact) => fact !== undefined && fact !== 0 && fact !== '').join(' · '),
    detail: [problem && `$(warning) ${problemText(entry, machine, t) ?? problem}`, names]
      .filter(Boolean)
      .join(' · '),
    entry,
    buttons: buttonsOf(entry, endpoint),
  };
}

/** The usual problem in fewer words, so that a row has room for them. */
function problemText(
  { memoryBytes = 0 }: CatalogueEntry,
  { usableBytes }: MachineFacts,
  t: Translate,
): string | undefined {
  if (memoryBytes <= usableBytes) return undefined;
  return t('Needs {0} of memory; {1} can be used here.', formatSize(memoryBytes), formatSize(usableBytes));
}

function bySize(a: CatalogueEntry, b: CatalogueEntry): number {
  return (a.memoryBytes ?? 0) - (b.memoryBytes ?? 0);
}

function sizeText(entry: CatalogueEntry, t: Translate): string {
  const { downloadBytes, isDownloaded, kind } = entry;
  if (kind === 'folder') return '';
  const size = downloadBytes === undefined ? '' : formatSize(downloadBytes);
  if (isDownloaded) return size === '' ? t('downloaded') : t('{0} downloaded', size);
  if (entry.isBegun) return arrivedText(entry, t);
  return t('{0} to download', size);
}

function buttonsOf(entry: CatalogueEntry, endpoint: string): RowButton[] {
  const { repositories, isDownloaded, isBegun, directory } = entry;
  return [
    ...(repositories.length > 0 && endpoint !== '' ? (['page'] as const) : []),
    ...(directory === undefined ? [] : (['reveal'] as const)),
    ...(repositories.length > 0 && (isDownloaded || isBegun) ? (['remove'] as const) : []),
  ];
}

function actionRows(t: Translate): ModelRow[] {
  const row = (action: ModelAction, label: string, detail: string): ModelRow => {
    return { kind: 'action', action, label, detail };
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
