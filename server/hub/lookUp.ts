// What the hub says of repositories that a person names, as an entry of the catalogue: a target, and perhaps a drafter.
// Fetches their configs, and no weights.
import type { CatalogueEntry } from '../modelCatalogue';
import { isBegun } from './arrivedBytes';
import type { HubConnection } from './connection';
import { estimatedSpeed } from './estimatedSpeed';
import { downloadedModel } from './downloadedModel';
import { planDownload, type DownloadPlan } from './downloadPlan';
import { thisMachine } from './machine';
import type { ModelSource } from './modelSource';
import { architectureOf } from './modelFolder';
import { memoryNeed, quantisedBits } from './modelSizes';
import { planProblems, planSizes } from './planProblems';

/** The target first. Throws InputError when the hub does not know them, or not the person. */
export async function plansOf(
  connection: HubConnection,
  cache: string,
  names: readonly string[],
  signal: AbortSignal,
): Promise<DownloadPlan[]> {
  const plans: DownloadPlan[] = [];
  for (const name of names) plans.push(await planDownload(connection, cache, name, signal));
  return plans;
}

export async function lookUp(
  { cache, loadable }: ModelSource,
  plans: readonly DownloadPlan[],
): Promise<CatalogueEntry> {
  const machine = thisMachine(cache);
  const [target, drafter] = plans.map(({ repository }) => repository.name);
  const loads = await loadable();
  const { disk, others } = planProblems(plans, machine, loads);
  const isDrafter = plans[0] !== undefined && loads.drafters.includes(architectureOf(plans[0].config));
  const sizes = planSizes(plans);
  const [ofTarget] = sizes;
  const bits = plans[0] && quantisedBits(plans[0].config);
  const bytes = plans.reduce((sum, plan) => sum + plan.bytes, 0);
  const missing = plans.reduce((sum, plan) => sum + plan.missingBytes, 0);
  const licenses = new Set(plans.flatMap(({ repository }) => repository.license ?? []));
  const [problem] = [disk, ...others].filter((each) => each !== undefined);
  return {
    kind: isDrafter ? 'drafter' : 'repository',
    name: target ?? '',
    target: isDrafter ? '' : (target ?? ''),
    drafter: (isDrafter ? target : drafter) ?? 'none',
    repositories: plans.map(({ repository }) => repository.name),
    ...(bits !== undefined && { bits }),
    ...(licenses.size > 0 && { license: [...licenses].join(', ') }),
    downloadBytes: bytes,
    arrivedBytes: bytes - missing,
    isBegun: target !== undefined && isBegun(cache, target),
    isDownloaded: plans.every(({ repository }) => downloadedModel(cache, repository.name) !== undefined),
    ...(sizes.length === plans.length && { memoryBytes: memoryNeed(sizes, machine.processor) }),
    ...(ofTarget && { speed: estimatedSpeed(ofTarget, machine) }),
    ...(problem && { problem: problem.message }),
    isRecommended: false,
    isInUse: false,
  };
}
