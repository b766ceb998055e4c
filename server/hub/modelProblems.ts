// Finds problems of a model before its weights are downloaded, each as an error that says what to do: too little disk
// or memory, a config that does not load, a drafter of another target, and weights whose headers do not fit the config.
import type { ConfigFields } from '../models/checkpoint/configFields';
import { isDrafter, neededFiles, TOKENIZER } from '../models/checkpoint/modelFiles';
import { headerEnd, parseTensors, type TensorInfo } from '../models/checkpoint/safetensors';
import { tensorsProblem } from '../models/checkpoint/tensorsProblem';
import { drafterProblem } from '../models/checkpoint/targetHash';
import { diskProblem, memoryProblem } from './roomProblems';
import { thisMachine } from '../machine/thisMachine';
import { inParallel } from './inParallel';
import { type UserError, WrongValue } from '../rules/userError';
import type { DownloadPlan, PlannedModel } from './downloadPlan';
import { DownloadError, unusable } from './downloadError';
import { estimates } from './estimates';
import type { Hub } from './hub';
import { RemoteFile } from './remoteFile';
import type { RepositoryFile } from './repositoryCache';

/** Models that the engine can load. */
export interface Loadable {
  /** Target families, by `model_type`. */
  readonly targets: readonly string[];
  /**
   * Returns the reason why a config.json does not load; undefined if it does. Of a drafter, checks only what does not
   * depend on its target.
   */
  readonly problemOf: (config: ConfigFields) => UserError | undefined;
}

/** Bytes of a file to request first: more than most headers have. */
const FIRST_BYTES = 256 * 1024;

/**
 * Checks a plan before its download. Throws UserError for a full disk, even with `force`, and DownloadError for the
 * first other problem. With `force`, returns the other problems instead, and does not read the headers of the weights.
 */
export async function checkPlan(
  hub: Hub,
  plan: DownloadPlan,
  { loadable, force, signal }: { loadable: Loadable; force: boolean; signal: AbortSignal },
): Promise<readonly UserError[]> {
  const { disk, ofModels } = planProblems(plan, loadable);
  if (disk) throw disk;
  if (force) return ofModels;
  const [first] = ofModels;
  if (first) throw new DownloadError('problem', first.message, { command: first.command, cause: first });
  for (const model of plan.models) await checkWeights(hub, model, signal);
  return [];
}

/** Finds the problems that a plan shows without a further request: that of the disk, and those of the models. */
export function planProblems({ folder, models, missingBytes }: DownloadPlan, loadable: Loadable) {
  const machine = thisMachine(folder);
  const [target, drafter] = models;
  const sizes = models.map((model) => model.sizes);
  const { memoryBytes } = estimates(sizes, machine.processor);
  const problems = [
    ...models.flatMap((model) => [loadable.problemOf(model.config), tokenizerProblem(model)]),
    target && drafter && drafterProblem(target.config, drafter.config),
    memoryProblem(memoryBytes, models.map(({ repository }) => repository.name).join(' with '), machine),
  ];
  return {
    disk: diskProblem(missingBytes, machine, folder),
    ofModels: problems.filter((problem) => problem !== undefined),
  };
}

function tokenizerProblem({ config, files, repository }: PlannedModel): UserError | undefined {
  const needed = neededFiles(config);
  if (!needed.includes(TOKENIZER) || files.some(({ name }) => name === TOKENIZER)) return undefined;
  return unusable(`${TOKENIZER} in ${repository.name}`, 'no such file');
}

/**
 * Checks the headers of weights against the config, unless a download of the weights has begun. Throws DownloadError
 * for weights that do not fit, and if the Hub does not answer.
 */
async function checkWeights(hub: Hub, model: PlannedModel, signal: AbortSignal): Promise<void> {
  const { cache, files, config } = model;
  const weights = files.filter(({ name }) => name.endsWith('.safetensors'));
  if (weights.some((file) => cache.arrived(file) > 0)) return;
  const tensors = new Map<string, TensorInfo>();
  await inParallel(weights, signal, async (file, ended) => {
    const found = await readHeader(hub, model, file, ended);
    for (const [tensor, info] of found) tensors.set(tensor, info);
  });
  const problem = isDrafter(config) ? undefined : tensorsProblem(config, tensors);
  if (problem === undefined) return;
  const expected = `${problem.expected} in the weights of ${cache.name}, as its config.json says`;
  throw new DownloadError('problem', unusable(expected, problem.got).message);
}

async function readHeader(
  hub: Hub,
  { cache, repository }: PlannedModel,
  file: RepositoryFile,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, TensorInfo>> {
  const remote = new RemoteFile(hub, cache.name, repository.commit, file);
  const start = await remote.firstBytes(Math.min(FIRST_BYTES, file.size), signal);
  try {
    const end = headerEnd(file.name, start, file.size);
    const header = end <= start.length ? start.subarray(0, end) : await remote.firstBytes(end, signal);
    return parseTensors(file.name, header, file.size);
  } catch (error) {
    if (!(error instanceof WrongValue)) throw error;
    const { expected, got } = error.mismatch;
    const { message } = unusable(`${expected} in the weights of ${cache.name}`, got);
    throw new DownloadError('problem', message, { cause: error });
  }
}
