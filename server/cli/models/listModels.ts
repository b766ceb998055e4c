// `flashline models list` and `info`: the known pairs, what is known of one, and other downloaded models.
import { pairEntries, surroundings } from '../../hub/catalogue';
import { downloadedModel, downloadedModels, requireDownloaded } from '../../hub/downloadedModel';
import { knownPairs, pairId } from '../../hub/knownPairs';
import { formatSize } from '../../rules/format';
import { table } from '../statsTable';
import type { ModelsArguments, Printout } from './modelsArguments';

type ListedPair = Awaited<ReturnType<typeof listedPairs>>[number];

const HEADINGS = ['', 'pair', 'prompt', 'download', 'memory', 'on this machine'];

export async function list({ cache }: ModelsArguments): Promise<Printout> {
  const pairs = await listedPairs(cache);
  const recommended = pairs.find(isRecommended);
  const ofPairs = new Set(
    pairs.flatMap(({ variants }) => variants.flatMap((each) => [each.target, each.drafter])),
  );
  const others = downloadedModels(cache)
    .filter(({ name }) => !ofPairs.has(name))
    .map(({ name, bytes, directory }) => ({ name, bytes, directory }));
  const value = { cache, recommended: recommended?.id ?? null, pairs, others };
  const lines = [table([HEADINGS, ...pairs.map(pairRow)]), '', adviceLine(recommended)];
  if (others.length === 0) return { value, lines };
  const names = others.map(({ name, bytes }) => `  ${name}  ${formatSize(bytes)}`);
  return { value, lines: [...lines, '', 'Other downloaded models', ...names] };
}

/** All that is known of a pair, or the files of a downloaded repository. */
export async function info({ cache, name, variants: [first, ...more] }: ModelsArguments): Promise<Printout> {
  if (first === undefined) return repositoryInfo(cache, name);
  const { drafter, blockSize, licenses, contextTokens, thinking } = first.pair;
  const chosen = [first, ...more].map(({ target }) => target);
  const listed = (await listedPairs(cache)).filter(({ id }) => id === name);
  const pathOf = (repository: string): string | null => downloadedModel(cache, repository)?.directory ?? null;
  const [value] = listed.map((pair) => ({
    ...pair,
    variants: pair.variants
      .filter(({ target }) => chosen.includes(target))
      .map((each) => ({
        ...each,
        targetDirectory: pathOf(each.target),
        drafterDirectory: pathOf(each.drafter),
      })),
    thinking,
    contextTokens,
    blockSize,
    licenses,
  }));
  const lines = [
    `${first.pair.name}${value?.supported ? '' : ' (model type not supported yet)'}`,
    table([
      ['prompt', first.pair.infill === 'fim' ? 'FIM (trained to fill in the middle)' : 'chat'],
      ['context', `${String(contextTokens)} tokens`],
      ['licence', `${licenses.target} (target), ${licenses.drafter} (drafter)`],
      ['drafter', `${drafter.repository}, blocks of ${String(blockSize)}`],
    ]),
    '',
    table([
      ['bits', 'target', 'download', 'memory', 'speed', 'on this machine'],
      ...(value?.variants ?? []).map(variantRow),
    ]),
  ];
  return { value, lines };
}

function repositoryInfo(cache: string, name: string): Printout {
  const { commit, directory, files, bytes } = requireDownloaded(cache, name);
  const rows = files.map((file) => [file.name, formatSize(file.size)]);
  const lines = [`${name} at ${commit}`, `  ${directory}`, '', table([...rows, ['', formatSize(bytes)]])];
  return { value: { name, commit, directory, files, bytes }, lines };
}

/** The entries that editors show too, grouped by pair, in JSON form. Speeds are estimates, even after a load. */
async function listedPairs(cache: string) {
  // The registry is imported late: it loads the native addon, which `--help` can do without.
  const { loadable } = await import('../../models/registry');
  const around = await surroundings({
    cache,
    loadable: () => Promise.resolve(loadable),
    measured: () => ({}),
  });
  const entries = pairEntries(around);
  return knownPairs.map((pair) => ({
    id: pairId(pair),
    name: pair.name,
    infill: pair.infill,
    supported: loadable.targets.includes(pair.modelType),
    variants: entries
      .filter(({ name }) => name === pair.name)
      .map(({ bits, target, drafter, downloadBytes = 0, arrivedBytes, memoryBytes = 0, speed, ...is }) => ({
        bits,
        target,
        drafter,
        downloadBytes,
        arrivedBytes,
        memoryBytes,
        fits: memoryBytes <= around.machine.usableBytes,
        speed,
        downloaded: is.isDownloaded,
        begun: is.isBegun,
        recommended: is.isRecommended,
      })),
  }));
}

/** Sizes are those of the variant with the fewest bits. */
function pairRow(pair: ListedPair): string[] {
  const { id, infill, variants } = pair;
  const [smallest] = variants;
  return [
    isRecommended(pair) ? '*' : '',
    id,
    infill === 'fim' ? 'FIM' : 'chat',
    formatSize(smallest?.downloadBytes ?? 0),
    formatSize(smallest?.memoryBytes ?? 0),
    stateOf(pair),
  ];
}

function stateOf({ supported, variants }: ListedPair): string {
  const there = variants.filter(({ downloaded }) => downloaded).map(({ bits }) => `${String(bits)} bit`);
  if (there.length > 0) return `downloaded (${there.join(', ')})`;
  if (!supported) return 'not supported yet';
  return variants.some(({ fits }) => fits) ? '-' : 'needs more memory';
}

function variantRow(variant: ListedPair['variants'][number]): string[] {
  const { bits, target, downloadBytes, memoryBytes, speed, fits, downloaded, recommended } = variant;
  const { tokensPerSecond = 0 } = speed ?? {};
  const rate = `${speed?.class ?? 'slow'} (about ${tokensPerSecond.toFixed(tokensPerSecond < 10 ? 1 : 0)} tok/s)`;
  const state = downloaded ? 'downloaded' : recommended ? 'recommended' : fits ? '-' : 'needs more memory';
  return [String(bits), target, formatSize(downloadBytes), formatSize(memoryBytes), rate, state];
}

function adviceLine(pair: ListedPair | undefined): string {
  if (pair === undefined) return 'None of these fits this machine; the built-in pair needs no download.';
  const { bits } = pair.variants.find(({ recommended }) => recommended) ?? {};
  return `* best for this machine, at ${String(bits)} bits: flashline models pull ${pair.id}`;
}

function isRecommended({ variants }: ListedPair): boolean {
  return variants.some(({ recommended }) => recommended);
}
