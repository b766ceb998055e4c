// The headers of weight files, read from the Hub before the weights: they tell which tensors there are, of what type and
// shape, and so whether a model loads that would take hours to download.
import { InputError } from '../rules/inputError';
import type { ConfigFields } from '../models/checkpoint/configFields';
import { safetensorsEnd, safetensorsIn, type TensorInfo } from '../models/checkpoint/safetensors';
import type { HubConnection } from './connection';
import { inParallel } from './download';
import { urlOf } from './downloadBlob';
import { bytesThere, isDrafter, type DownloadPlan, type Loadable, type PlannedModel } from './downloadPlan';
import { firstBytes } from './exchange';
import { HubError } from './hubError';
import type { RepositoryFile } from './repository';

/** More than most headers take. */
const FIRST_BYTES = 256 * 1024;
const REMEDY = 'choose another repository';

type Tensors = ReadonlyMap<string, TensorInfo>;

/** Asks for nothing that is there already, or begun. Throws InputError if the Hub does not answer. */
export async function weightsProblem(
  connection: HubConnection,
  { models }: DownloadPlan,
  loadable: Loadable,
  signal: AbortSignal,
): Promise<InputError | undefined> {
  for (const model of models) {
    const { cache, files, config, repository } = model;
    const weights = files.filter(({ name }) => name.endsWith('.safetensors'));
    if (weights.some((file) => bytesThere(cache, file) > 0)) continue;
    const tensors = new Map<string, TensorInfo>();
    try {
      await inParallel(weights, signal, async (file, ended) => {
        const found = await readHeader(connection, model, file, ended);
        for (const [tensor, info] of found) tensors.set(tensor, info);
      });
    } catch (error) {
      if (error instanceof InputError && !(error instanceof HubError)) return error;
      throw error;
    }
    const problem = isDrafter(config, loadable) ? undefined : tensorProblem(config, tensors, repository.name);
    if (problem) return problem;
  }
  return undefined;
}

/** Throws HubError if the Hub does not answer, and another InputError for what will not load. */
async function readHeader(
  connection: HubConnection,
  { cache, repository }: PlannedModel,
  file: RepositoryFile,
  signal: AbortSignal,
): Promise<Tensors> {
  const url = urlOf(connection, cache.name, repository.commit, file.name);
  const first = async (count: number): Promise<Buffer> => {
    const headers = { range: `bytes=0-${String(count - 1)}` };
    const bytes = await firstBytes(connection, cache.name, { url, signal, headers }, count);
    // A host without ranges sends everything.
    return bytes.subarray(0, count);
  };
  const start = await first(Math.min(FIRST_BYTES, file.size));
  try {
    const end = safetensorsEnd(file.name, start, file.size);
    const header = end <= start.length ? start.subarray(0, end) : await first(end);
    return safetensorsIn(file.name, header, file.size);
  } catch (error) {
    if (!(error instanceof InputError) || error instanceof HubError) throw error;
    const { expected, got } = error.problem;
    const of = `${expected} in the weights of ${cache.name}`;
    throw new InputError({ expected: of, got, remedy: REMEDY, cause: error });
  }
}

/** The table of tokens and the layers are those that config.json promises, as far as it does. */
function tensorProblem(config: ConfigFields, tensors: Tensors, name: string): InputError | undefined {
  const text = config.part('text_config');
  const promised = (field: string) => (text.has(field) ? text.integer(field) : undefined);
  const wrong = (expected: string, got: string) =>
    new InputError({
      expected: `${expected} in the weights of ${name}, as its config.json says`,
      got,
      remedy: REMEDY,
    });
  const names = [...tensors.keys()];
  const layers = Array.from({ length: promised('num_hidden_layers') ?? 0 }, (_, i) => `layers.${String(i)}.`);
  const missing = layers.findIndex((layer) => !names.some((each) => each.includes(layer)));
  if (missing >= 0) return wrong(`${String(layers.length)} layers`, `no layer ${String(missing)}`);
  const table = [...tensors].find(([each]) => each.endsWith('embed_tokens.weight'))?.[1];
  if (table === undefined) return wrong('embed_tokens.weight', 'none');
  // Packed words hold several numbers.
  const columns = table.dtype === 'U32' ? table.shape[1] : promised('hidden_size');
  const shape = [promised('vocab_size') ?? table.shape[0], columns ?? table.shape[1]];
  if (shape.join() === table.shape.join()) return undefined;
  return wrong(`embed_tokens.weight [${shape.join(', ')}]`, `[${table.shape.join(', ')}]`);
}
