// The model picker: the catalogue in sections, each model with its facts and buttons, and further actions. Each row and
// each button carries its action.
import * as vscode from 'vscode';
import type { CatalogueEntry, ModelCatalogue } from '../../server/protocol/modelCatalogue';
import { Method } from '../../server/protocol/messages';
import { formatPercent, formatRate, formatSize } from '../../server/rules/formatNumber';
import { askPath, askRepository, askTargetFolder } from './askModel';
import { chooseModel, openPage, removeModel, type ModelChoice, type ModelParts } from './chooseModel';
import { entryName, infillText, speedText } from './modelWords';
import { type LocalServer, USUAL_PORTS, localServers } from './localServers';

type Choose = () => Promise<unknown>;

interface ModelButton extends vscode.QuickInputButton {
  readonly choose: Choose;
}

/** A row; one without `choose` is the title of a section. */
export interface ModelRow extends vscode.QuickPickItem {
  readonly choose?: Choose;
  readonly buttons?: readonly ModelButton[];
}

/** Shows the picker; resolves once the user's choice has been carried out or the picker was closed. */
export async function pickModel(parts: ModelParts, ports = USUAL_PORTS): Promise<void> {
  const pick = vscode.window.createQuickPick<ModelRow>();
  pick.title = 'Flashline: models';
  pick.placeholder = 'Choose a model; Flashline asks before it downloads anything';
  pick.matchOnDescription = pick.matchOnDetail = true;
  pick.busy = true;
  const closed = new vscode.CancellationTokenSource();
  // The user can close the picker before the catalogue has arrived.
  const answer = answerOf(pick).finally(() => closed.cancel());
  const list = async (): Promise<Choose | undefined> => {
    const [catalogue, servers] = await Promise.all([
      parts.client.request(Method.models, {}, closed.token),
      // An untrusted workspace causes no requests to local servers.
      vscode.workspace.isTrusted ? localServers(ports) : [],
    ]);
    pick.items = modelRows(catalogue, parts, servers);
    pick.busy = false;
    return await answer;
  };
  pick.show();
  let choose: Choose | undefined;
  try {
    // `list` ends before the answer only by an error.
    choose = await Promise.race([answer, list()]);
  } finally {
    pick.dispose();
    closed.dispose();
  }
  await choose?.();
}

function answerOf(pick: vscode.QuickPick<ModelRow>): Promise<Choose | undefined> {
  return new Promise((resolve) => {
    pick.onDidAccept(() => {
      resolve(pick.selectedItems[0]?.choose);
    });
    pick.onDidTriggerItemButton(({ item, button }) => {
      resolve(item.buttons?.find(({ tooltip }) => tooltip === button.tooltip)?.choose);
    });
    pick.onDidHide(() => {
      resolve(undefined);
    });
  });
}

/** Returns the rows: the catalogue in sections, each model in the first section that fits, and further actions. */
export function modelRows(
  catalogue: ModelCatalogue,
  parts: ModelParts,
  servers: readonly LocalServer[] = [],
): ModelRow[] {
  const unlisted = new Set(catalogue.entries);
  /** Makes a section of the matching entries that are in none of the previous sections. */
  const section = (
    label: string,
    isMember: (entry: CatalogueEntry) => boolean,
    order: typeof bySize = () => 0,
  ): ModelRow[] => {
    const members = [...unlisted].filter(isMember).sort(order);
    for (const entry of members) unlisted.delete(entry);
    return members.length === 0
      ? []
      : [title(label), ...members.map((entry) => entryRow({ ...parts, entry, catalogue }))];
  };
  // Taken first, since these models cannot write ghost text.
  const nextEdits = section('for next edits', ({ isNextEdit }) => isNextEdit === true, bySize);
  return [
    ...section('in use', ({ isInUse }) => isInUse),
    ...section('on this machine', ({ isDownloaded }) => isDownloaded),
    ...serverRows(servers, parts),
    ...section('partly downloaded', ({ isBegun }) => isBegun),
    ...section('recommended', ({ isRecommended }) => isRecommended),
    ...section('available for download', ({ problem }) => problem === undefined, bySize),
    ...nextEdits,
    ...section('too large or not supported', () => true, bySize),
    title('more'),
    ...actionRows(catalogue, parts),
  ];
}

/** Returns a row for each model of another program's server. */
function serverRows(servers: readonly LocalServer[], { remote }: ModelParts): ModelRow[] {
  const rows = servers.flatMap(({ program, url, models }) =>
    models.map((model) => ({
      label: `$(server-process) ${plainName(model)}`,
      description: `served by ${program}`,
      detail: `at ${new URL(url).host}; nothing is sent until you agree`,
      choose: () => remote.use(url, model),
    })),
  );
  return rows.length === 0 ? [] : [title('servers on this machine'), ...rows];
}

/** Shortens a name: llama.cpp reports the path of a file. Escapes icons. */
function plainName(model: string): string {
  return model
    .replace(/^.*[/\\](?=[^/\\]+\.gguf$)/i, '')
    .replace(/\p{Cc}/gu, ' ')
    .replaceAll('$(', '$ (')
    .slice(0, 80);
}

function title(label: string): ModelRow {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

function bySize(a: CatalogueEntry, b: CatalogueEntry): number {
  return (a.memoryBytes ?? 0) - (b.memoryBytes ?? 0);
}

function entryRow(choice: ModelChoice): ModelRow {
  const { entry } = choice;
  const { kind, target, drafter, isInUse, isDownloaded, isNextEdit, problem } = entry;
  const modelIcon = isDownloaded ? 'package' : 'cloud-download';
  const icon = isInUse ? 'check' : kind === 'drafter' ? 'rocket' : modelIcon;
  const abilities = [
    entry.isRecommended && 'best choice on this machine',
    speedText(entry.speed, entry.isRecommended),
    entry.draftedTokensPerSecond && `${formatRate(entry.draftedTokensPerSecond)} tok/s with drafts`,
    entry.isBase && !isNextEdit && 'completion only',
    ...(isNextEdit ? [entry.license] : [infillText(entry.infill)]),
  ];
  const models = [target, drafter].filter((name) => name !== '' && name !== 'none');
  const isEmbedded = kind === 'embedded';
  const names = isEmbedded ? 'for TypeScript, Python and other languages' : models.join(' + ');
  const size = isEmbedded ? '' : sizeText(entry);
  const drafts = isNextEdit ? undefined : draftsText(entry);
  const memory = entry.memoryBytes && `${formatSize(entry.memoryBytes)} of memory`;
  // A memory problem already names the memory that the model needs.
  const needs = problem ? `$(warning) ${problemText(choice)}` : memory;
  return {
    label: `$(${icon}) ${entryName(entry)}`,
    description: abilities.filter(Boolean).join(' · '),
    // Most important first: VS Code cuts off the end of long lines.
    detail: [needs, size, drafts, names].filter(Boolean).join(' · '),
    choose: () => chooseModel(choice),
    buttons: entryButtons(choice),
  };
}

/** Notes that a pair looks its drafts up, or that drafts are not expected to make it faster; undefined otherwise. */
function draftsText({
  kind,
  drafter,
  draftsPay,
  draftedTokensPerSecond,
}: CatalogueEntry): string | undefined {
  if (kind === 'pair' && drafter === 'none') return 'drafts by look-up';
  return draftsPay === false && draftedTokensPerSecond === undefined
    ? 'drafts are not expected to make it faster'
    : undefined;
}

/** Describes the problem of an entry; for a lack of memory in few words, to fit into a row. */
function problemText({ entry, catalogue }: ModelChoice): string | undefined {
  const { memoryBytes = 0, problem } = entry;
  const { usableBytes } = catalogue.machine;
  return memoryBytes > usableBytes
    ? `Needs ${formatSize(memoryBytes)} of memory; ${formatSize(usableBytes)} is available for models.`
    : problem;
}

/** Describes the size and the state of the download. */
function sizeText({ downloadBytes, arrivedBytes, isDownloaded, isBegun, kind }: CatalogueEntry): string {
  if (kind === 'folder') return '';
  const size = downloadBytes === undefined ? '' : formatSize(downloadBytes);
  if (isDownloaded) return size === '' ? 'downloaded' : `${size} downloaded`;
  if (!isBegun) return `${size} to download`;
  if (downloadBytes === undefined) return `paused after ${formatSize(arrivedBytes)}`;
  return `paused at ${formatPercent(arrivedBytes / downloadBytes)} of ${size}`;
}

function entryButtons(choice: ModelChoice): ModelButton[] {
  const { repositories, isDownloaded, isBegun } = choice.entry;
  const button = (icon: string, tooltip: string, choose: Choose): ModelButton => {
    return { iconPath: new vscode.ThemeIcon(icon), tooltip, choose };
  };
  const buttons: ModelButton[] = [];
  if (repositories.length > 0 && choice.catalogue.endpoint !== '')
    buttons.push(button('link-external', 'Open model page', () => openPage(choice)));
  if (repositories.length > 0 && (isDownloaded || isBegun))
    buttons.push(button('trash', 'Remove from this machine', () => askAndRemove(choice)));
  return buttons;
}

async function askAndRemove(choice: ModelChoice): Promise<void> {
  const { entry } = choice;
  const remove = 'Remove';
  const instead = entry.isNextEdit ? 'stop suggesting next edits with it' : 'switch to the built-in pair';
  const detail = entry.isInUse ? `It is in use. Flashline will ${instead}.` : '';
  const question = `Remove ${entryName(entry)} from this machine?`;
  const answer = await vscode.window.showWarningMessage(question, { modal: true, detail }, remove);
  if (answer === remove) await removeModel(choice);
  // Shows the list again, without a removed model.
  await pickModel(choice);
}

function actionRows({ entries }: ModelCatalogue, parts: ModelParts): ModelRow[] {
  const { pairSwitch, token, remote } = parts;
  const row = (label: string, detail: string, choose: Choose): ModelRow => {
    return { label, detail, alwaysShow: true, choose };
  };
  return [
    row(
      '$(cloud) Another Hugging Face repository...',
      'Enter a name such as mlx-community/Qwen3-4B-4bit',
      () => askRepository(parts),
    ),
    row('$(folder) Target from a folder...', 'A model in Hugging Face or mlx-community format', () =>
      askTargetFolder(parts, entries),
    ),
    row(
      '$(folder) Drafter from a folder...',
      'A DFlash or DSpark drafter made for the current target',
      async () => {
        const drafter = await askPath('Use as Drafter');
        if (drafter !== undefined) await pairSwitch.to({ drafter });
      },
    ),
    row(
      '$(file) GGUF file with llama.cpp...',
      'Flashline starts llama-server, which must be installed',
      async () => {
        const file = await askPath('Use with llama.cpp', { GGUF: ['gguf'] });
        if (file !== undefined) await remote.use('llama-server', file);
      },
    ),
    row('$(circle-slash) No drafter', 'Use the current target without a drafter model', () =>
      pairSwitch.to({ drafter: 'none' }),
    ),
    row('$(key) Hugging Face token...', 'Needed for models whose licence you must accept first', () =>
      token.ask(),
    ),
  ];
}
