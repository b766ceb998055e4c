// What speaks against downloads that are planned, a target and perhaps its drafter, on one machine.
// Decides nothing: who asks may go on in spite of it, but not on a full disk.
import { dirname } from 'node:path';
import type { InputError } from '../inputError';
import type { DownloadPlan } from './downloadPlan';
import type { Machine } from './machine';
import { memoryNeed, sizesOfConfig, type ModelSizes } from './modelSizes';
import { diskProblem, drafterProblem, familyProblem, memoryProblem, type Loadable } from './problem';

export interface PlanProblems {
  readonly disk: InputError | undefined;
  readonly others: readonly InputError[];
}

export function planProblems(
  plans: readonly DownloadPlan[],
  machine: Machine,
  loadable: Loadable,
): PlanProblems {
  const missing = plans.reduce((sum, { missingBytes }) => sum + missingBytes, 0);
  const [target, drafter] = plans;
  const needed = memoryNeed(planSizes(plans), machine.processor);
  const names = plans.map(({ repository }) => repository.name).join(' with ');
  const others = [
    ...plans.map(({ config, repository }) => familyProblem(config, repository.name, loadable)),
    target && drafter && drafterProblem(target.config, drafter.config),
    memoryProblem(needed, names, machine),
  ];
  const folder = target === undefined ? '' : dirname(target.cache.folder);
  return {
    disk: diskProblem(missing, machine, folder),
    others: others.filter((problem) => problem !== undefined),
  };
}

/** Of those whose configs tell. */
export function planSizes(plans: readonly DownloadPlan[]): ModelSizes[] {
  return plans.flatMap(({ config, files }) => {
    const weights = files.filter(({ name }) => name.endsWith('.safetensors'));
    return (
      sizesOfConfig(
        config,
        weights.reduce((sum, { size }) => sum + size, 0),
      ) ?? []
    );
  });
}
