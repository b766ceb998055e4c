// `flashline models verify`: the bytes of what is downloaded against their checksums.
import { formatSize } from '../../rules/format';
import { downloadedModel, requireDownloaded } from '../../hub/downloadedModel';
import { verifyModel, type VerifiedFile } from '../../hub/verifyModel';
import { repositoriesOf } from '../../hub/pairVariant';
import { interruptSignal } from '../interruptSignal';
import { modelChoice } from './modelChoice';
import type { Printout } from './models';
import type { ModelsArguments } from './modelsArguments';

/** Of the exit code, as something is to be done. */
const DAMAGED = 1;

export async function verify({ cache, name, bits }: ModelsArguments): Promise<Printout> {
  const choice = modelChoice(name, bits);
  const names =
    choice.variants.length === 0 ? [choice.name] : [...new Set(choice.variants.flatMap(repositoriesOf))];
  const found = names.flatMap((each) => downloadedModel(cache, each) ?? []);
  const models = found.length > 0 ? found : [requireDownloaded(cache, choice.name)];
  const signal = interruptSignal();
  const value: { name: string; files: VerifiedFile[] }[] = [];
  try {
    for (const model of models)
      value.push({ name: model.name, files: await verifyModel(cache, model, { signal }) });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  const lines = value.flatMap((model) => [
    model.name,
    ...model.files.map(({ name: file, size, state }) => `  ${state.padEnd(7)}  ${file}  ${formatSize(size)}`),
  ]);
  if (value.some(({ files }) => files.some(({ state }) => state === 'unknown')))
    lines.push('unknown: a copy, of which the cache does not say what its checksum should be.');
  const isDamaged = value.some(({ files }) => files.some(({ state }) => state === 'damaged'));
  if (!isDamaged) return { value, lines };
  process.exitCode = DAMAGED;
  return {
    value,
    lines: [...lines, `What was damaged is removed; flashline models pull ${choice.name} gets it again.`],
  };
}
