// `flashline models`: listing, downloading, verifying and removing models. Only downloads need a network.
import { downloadedModel, requireDownloaded } from '../../hub/downloadedModel';
import { removable, removeModel, verifyModel, type VerifiedFile } from '../../hub/snapshot';
import { InputError } from '../../rules/inputError';
import { formatSize } from '../../rules/format';
import { interruptSignal } from '../interruptSignal';
import { info, list } from './listModels';
import { parseModelsArguments, type Action, type ModelsArguments, type Printout } from './modelsArguments';
import { pull } from './pull';
import { visibleText } from '../../rules/visibleText';

/** An exit code, as the user has to act. */
const DAMAGED = 1;
const STATES = { right: 'intact', damaged: 'damaged', unknown: 'unknown' } as const;

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
  const text = parsed.json ? JSON.stringify(value) : visibleText(lines.join('\n'));
  if (text !== '') process.stdout.write(`${text}\n`);
}

/** Removes a pair, with the given bits or all that are there, or a repository. */
function remove({ cache, name, variants, repositories }: ModelsArguments): Printout {
  const names = variants.length === 0 ? repositories : removable(repositories, cache);
  const removed = names.flatMap((each) => {
    const removal = removeModel(cache, each);
    return removal === undefined ? [] : [{ name: each, ...removal }];
  });
  if (removed.length === 0) {
    const expected = `${name} in ${cache}`;
    const remedy = 'choose one from flashline models list';
    throw new InputError({ expected, got: 'none of its files', remedy });
  }
  const lines = removed.map(({ name: each, bytes, revisionsLeft }) => {
    const left = revisionsLeft > 0 ? `; other revisions left: ${String(revisionsLeft)}` : '';
    return `${each}: ${formatSize(bytes)} freed${left}`;
  });
  return { value: { removed }, lines };
}

/** Checks the bytes of what is downloaded against their checksums. */
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
    ...model.files.map(
      ({ name: file, size, state }) => `  ${STATES[state].padEnd(7)}  ${file}  ${formatSize(size)}`,
    ),
  ]);
  const isAny = (state: VerifiedFile['state']): boolean =>
    value.some(({ files }) => files.some((file) => file.state === state));
  if (isAny('unknown')) lines.push('unknown: a copied file for which the cache has no checksum.');
  if (isAny('damaged')) {
    process.exitCode = DAMAGED;
    lines.push(`Damaged files were removed; flashline models pull ${name} downloads them again.`);
  }
  return { value, lines };
}
