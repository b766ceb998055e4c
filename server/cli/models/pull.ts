// `flashline models pull`: a pair or a repository, checked before it is downloaded. What is there already needs no
// network at all.
import { formatSize } from '../../rules/format';
import { hubConnection, type HubConnection } from '../../hub/connection';
import { download } from '../../hub/download';
import { downloadedModel } from '../../hub/downloadedModel';
import { planDownload, type DownloadPlan } from '../../hub/downloadPlan';
import { thisMachine } from '../../hub/machine';
import { repositoriesOf } from '../../hub/pairVariant';
import { planProblems } from '../../hub/planProblems';
import { interruptSignal } from '../interruptSignal';
import { modelChoice } from './modelChoice';
import type { Printout } from './models';
import type { ModelsArguments } from './modelsArguments';
import { ProgressLine } from './progressLine';

export async function pull(args: ModelsArguments): Promise<Printout> {
  const { cache, update, endpoint } = args;
  const choice = modelChoice(args.name, args.bits);
  const [variant] = choice.variants;
  const names = variant === undefined ? [choice.name] : repositoriesOf(variant);
  const there = names.map((name) => downloadedModel(cache, name));
  if (!update && there.every((model) => model !== undefined)) return printout(names, cache, 'was there');
  const signal = interruptSignal();
  const connection = hubConnection({ endpoint });
  try {
    const plans: DownloadPlan[] = [];
    for (const name of names) plans.push(await planDownload(connection, cache, name, signal));
    for (const { repository } of plans)
      say(`${repository.name}: licence ${repository.license ?? 'not told'}`);
    await check(plans, args);
    const result = await downloadShown(connection, plans, signal);
    if (result === 'done') return printout(names, cache, 'downloaded');
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  say(`Cancelled. What has arrived is kept; flashline models pull ${choice.name} goes on there.`);
  return { value: { finished: 'cancelled' }, lines: [] };
}

async function downloadShown(
  connection: HubConnection,
  plans: readonly DownloadPlan[],
  signal: AbortSignal,
): Promise<'done' | 'cancelled'> {
  const line = new ProgressLine();
  try {
    const onProgress = line.show.bind(line);
    return (await download(connection, plans, { signal, onProgress })).finished;
  } finally {
    line.end();
  }
}

/** Throws what speaks against it, or only says so when it is forced; a full disk does not obey. */
async function check(plans: readonly DownloadPlan[], { cache, force }: ModelsArguments): Promise<void> {
  const { loadable } = await import('../../models/registry');
  const { disk, others } = planProblems(plans, thisMachine(cache), loadable);
  if (disk) throw disk;
  for (const problem of others) {
    if (!force) throw problem;
    say(`Forced: ${problem.message}`);
  }
  const missing = plans.reduce((sum, { missingBytes }) => sum + missingBytes, 0);
  say(`${formatSize(missing)} to download into ${cache}`);
}

function printout(names: readonly string[], cache: string, how: string): Printout {
  const found = names.flatMap((name) => downloadedModel(cache, name) ?? []);
  const repositories = found.map(({ name, commit, directory, bytes }) => ({
    name,
    commit,
    directory,
    bytes,
  }));
  const lines = found.map(({ name, directory }) => `${name} ${how}: ${directory}`);
  return { value: { finished: 'done', repositories }, lines };
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
