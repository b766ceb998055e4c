// `flashline models list` and `flashline models info`: known pairs and downloaded models as tables or JSON.
import { measuredSpeed } from '../../hosting/profileStore';
import { catalogue } from '../../hub/catalogue';
import { downloadedModel, downloadedModels, requireDownloaded } from '../../hub/downloadedModels';
import { knownPairs, pairId, type KnownDrafter } from '../../hub/knownPairs';
import { formatRate, formatSize, rateText } from '../../rules/formatNumber';
import { table } from '../table';
import type { ModelsArguments, Printout } from './modelsArguments';

type ListedPair = Awaited<ReturnType<typeof listedPairs>>[number];

/** Note for a pair with several drafters. */
const DRAFTER_NOTE =
  '--drafter chooses one. Otherwise the fastest downloaded one is used once all have run, and the first until then.';
const HEADINGS = ['', 'pair', 'prompt', 'download', 'memory', 'on this machine'];
const VARIANT_HEADINGS = ['bits', 'target', 'drafter', 'download', 'memory', 'speed', 'on this machine'];

/** Lists the known pairs, and other downloaded models. */
export async function list({ cache }: ModelsArguments): Promise<Printout> {
  const pairs = await listedPairs(cache);
  const recommended = pairs.find(isRecommended);
  const pairRepositories = new Set(
    pairs.flatMap(({ variants }) => variants.flatMap((variant) => [variant.target, variant.drafter])),
  );
  const otherModels = downloadedModels(cache)
    .filter(({ name }) => !pairRepositories.has(name))
    .map(({ name, bytes, directory }) => ({ name, bytes, directory }));
  const value = { cache, recommended: recommended?.id ?? null, pairs, others: otherModels };
  const lines = [table([HEADINGS, ...pairs.map(pairRow)]), '', adviceLine(recommended)];
  if (otherModels.length === 0) return { value, lines };
  const names = otherModels.map(({ name, bytes }) => `  ${name}  ${formatSize(bytes)}`);
  return { value, lines: [...lines, '', 'Other downloaded models', ...names] };
}

/** Shows the details of a pair, or the files of a downloaded repository. */
export async function info({ cache, name, variants }: ModelsArguments): Promise<Printout> {
  const [first] = variants;
  if (first === undefined) return repositoryInfo(cache, name);
  const { pair } = first;
  const { license, contextTokens, thinking } = pair;
  const drafters = [...new Set(variants.flatMap(({ knownDrafter }) => knownDrafter ?? []))];
  const [listed] = (await listedPairs(cache)).filter(({ id }) => id === pairId(pair));
  const chosen = new Set(variants.map(({ target, drafter }) => String([target, drafter])));
  const rows = (listed?.variants ?? []).filter((variant) =>
    chosen.has(String([variant.target, variant.drafter])),
  );
  const pathOf = (repository: string): string | null => downloadedModel(cache, repository)?.directory ?? null;
  const value = {
    ...listed,
    variants: rows.map((row) => {
      return { ...row, targetDirectory: pathOf(row.target), drafterDirectory: pathOf(row.drafter) };
    }),
    thinking,
    contextTokens,
    license,
    drafters: drafters.map(drafterValue),
  };
  const lines = [
    pair.name,
    table([
      ['prompt', pair.infill === 'fim' ? 'FIM (trained to fill in the middle)' : 'chat'],
      ['context', `${String(contextTokens)} tokens`],
      ['target', `${pair.target.repository} (licence ${license})`],
      ...(drafters.length > 0
        ? drafters.map(drafterRow)
        : [['drafter', 'none published: drafts by look-up']]),
    ]),
    '',
    table([VARIANT_HEADINGS, ...rows.map(variantRow)]),
    ...(pair.drafters.length > 1 ? ['', DRAFTER_NOTE] : []),
  ];
  return { value, lines };
}

function drafterValue({ kind, repository, blockSize, license }: KnownDrafter) {
  return { kind, repository, blockSize, license: license ?? null };
}

function repositoryInfo(cache: string, name: string): Printout {
  const { commit, directory, files, bytes } = requireDownloaded(cache, name);
  const rows = files.map((file) => [file.name, formatSize(file.size)]);
  const lines = [`${name} at ${commit}`, `  ${directory}`, '', table([...rows, ['', formatSize(bytes)]])];
  return { value: { name, commit, directory, files, bytes }, lines };
}

/** Returns the entries of the catalogue, grouped by pair, in JSON form. */
async function listedPairs(cache: string) {
  // Imported late: the registry loads the native addon, which `--help` does not need.
  const { loadable } = await import('../../models/loadable');
  const source = { cache, loadable: () => Promise.resolve(loadable), measured: measuredSpeed };
  const { entries, machine } = await catalogue(source);
  return knownPairs.map((pair) => ({
    id: pairId(pair),
    name: pair.name,
    infill: pair.infill,
    supported: loadable.targets.includes(pair.modelType),
    variants: entries
      .filter(({ kind, name }) => kind === 'pair' && name === pair.name)
      .map(({ bits, target, drafter, downloadBytes = 0, arrivedBytes, memoryBytes = 0, ...entry }) => ({
        bits,
        target,
        drafter,
        drafterKind: pair.drafters.find(({ repository }) => repository === drafter)?.kind,
        downloadBytes,
        arrivedBytes,
        memoryBytes,
        fits: memoryBytes <= machine.usableBytes,
        speed: entry.speed,
        draftedTokensPerSecond: entry.draftedTokensPerSecond,
        draftsPay: entry.draftsPay,
        downloaded: entry.isDownloaded,
        begun: entry.isBegun,
        recommended: entry.isRecommended,
      })),
  }));
}

function drafterRow({ kind, repository, blockSize, license }: KnownDrafter): string[] {
  const facts = [kind, `blocks of ${String(blockSize)}`, `licence ${license ?? 'not stated'}`];
  return ['drafter', `${repository} (${facts.join(', ')})`];
}

/** Returns the row of a pair, with the sizes of its first variant, which has the fewest bits. */
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

function stateOf({ variants }: ListedPair): string {
  const downloadedBits = new Set(
    variants.filter(({ downloaded }) => downloaded).map(({ bits }) => `${String(bits)} bit`),
  );
  if (downloadedBits.size > 0) return `downloaded (${[...downloadedBits].join(', ')})`;
  return variants.some(({ fits }) => fits) ? '-' : 'needs more memory';
}

function variantRow(variant: ListedPair['variants'][number]): string[] {
  const {
    bits,
    target,
    drafterKind = '',
    downloadBytes,
    memoryBytes,
    fits,
    downloaded,
    recommended,
  } = variant;
  const state = downloaded ? 'downloaded' : recommended ? 'recommended' : fits ? '-' : 'needs more memory';
  const sizes = [formatSize(downloadBytes), formatSize(memoryBytes)];
  return [String(bits), target, drafterKind, ...sizes, speedText(variant), state];
}

/** Formats the speed of plain decoding, and the speed with drafts once measured. */
function speedText({ speed, draftsPay, draftedTokensPerSecond }: ListedPair['variants'][number]): string {
  if (speed === undefined) return 'unknown';
  const expected = draftsPay === false ? ', drafts not expected to pay' : '';
  const drafted =
    draftedTokensPerSecond === undefined ? expected : `, with drafts ${formatRate(draftedTokensPerSecond)}`;
  return `${speed.class} (${rateText(speed)}${drafted})`;
}

function adviceLine(pair: ListedPair | undefined): string {
  if (pair === undefined)
    return 'The built-in pair is the best choice on this machine: it is the fastest, and needs no download.';
  const { bits } = pair.variants.find(({ recommended }) => recommended) ?? {};
  return `* best for this machine, at ${String(bits)} bits: flashline models pull ${pair.id}`;
}

function isRecommended({ variants }: ListedPair): boolean {
  return variants.some(({ recommended }) => recommended);
}
