// `flashline models`: which there are, and getting, checking and removing them. What is there needs no network.
import { downloadedModel, requireDownloaded } from '../../hub/downloadedModel';
import { removable, removeModel, verifyModel, type VerifiedFile } from '../../hub/snapshot';
import { InputError } from '../../inputError';
import { formatSize } from '../../rules/format';
import { interruptSignal } from '../interruptSignal';
import { info, list } from './listModels';
import { parseModelsArguments, type Action, type ModelsArguments, type Printout } from './modelsArguments';
import { pull } from './pull';

/** Of the exit code, as something is to be done. */
const DAMAGED = 1;

const RUN: Readonly<Record<Action, (args: ModelsArguments) => Printout | Promise<Printout>>> = {
  list,
  info,
  pull,
  remove,
  verify,
};

export async function models(args: string[]): Promise<void> {
  const parsed = parseModelsArguments(args);
  const { value, lines } = await RUN[parsed.action](parsed);
  const text = parsed.json ? JSON.stringify(value) : lines.join('\n');
  if (text !== '') process.stdout.write(`${text}\n`);
}

/** A pair, with all bits that are there or with some, or a repository. */
function remove({ cache, name, variants, repositories }: ModelsArguments): Printout {
  const names = variants.length === 0 ? repositories : removable(repositories, cache);
  const removed = names.flatMap((each) => {
    const removal = removeModel(cache, each);
    return removal === undefined ? [] : [{ name: each, ...removal }];
  });
  if (removed.length === 0) {
    const expected = `${name} in ${cache}`;
    const remedy = 'choose another, see flashline models list';
    throw new InputError({ expected, got: 'nothing of it', remedy });
  }
  const lines = removed.map(({ name: each, bytes, revisionsLeft }) => {
    const left = revisionsLeft > 0 ? `; other revisions of it that are left: ${String(revisionsLeft)}` : '';
    return `${each}: ${formatSize(bytes)} freed${left}`;
  });
  return { value: { removed }, lines };
}

/** The bytes of what is downloaded against their checksums. */
async function verify({ cache, name, repositories }: ModelsArguments): Promise<Printout> {
  const found = repositories.flatMap((each) => downloadedModel(cache, each) ?? []);
  const there = found.length > 0 ? found : [requireDownloaded(cache, name)];
  const signal = interruptSignal();
  const value: { name: string; files: VerifiedFile[] }[] = [];
  try {
    for (const model of there)
      value.push({ name: model.name, files: await verifyModel(cache, model, signal) });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  const lines = value.flatMap((model) => [
    model.name,
    ...model.files.map(({ name: file, size, state }) => `  ${state.padEnd(7)}  ${file}  ${formatSize(size)}`),
  ]);
  const isAny = (state: VerifiedFile['state']): boolean =>
    value.some(({ files }) => files.some((file) => file.state === state));
  if (isAny('unknown'))
    lines.push('unknown: a copy, of which the cache does not say what its checksum should be.');
  if (isAny('damaged')) {
    process.exitCode = DAMAGED;
    lines.push(`What was damaged is removed; flashline models pull ${name} gets it again.`);
  }
  return { value, lines };
}
