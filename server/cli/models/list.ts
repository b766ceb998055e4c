// `flashline models list`: the known pairs and other downloaded models.
import { formatSize } from '../../rules/format';
import { downloadedModels } from '../../hub/downloadedModel';
import { knownPairs } from '../../models/knownPairs';
import { table } from '../statsTable';
import type { Printout } from './models';
import type { ModelsArguments } from './modelsArguments';
import { pairFacts, surroundings, type PairFacts } from '../../hub/pairFacts';

const HEADINGS = ['', 'pair', 'infill', 'download', 'memory', 'on this machine'];

/** The registry is imported here, as it loads the native addon, which `--help` can do without. */
export async function list({ cache }: ModelsArguments): Promise<Printout> {
  const { loadable } = await import('../../models/registry');
  const around = surroundings(cache, loadable);
  const pairs = knownPairs.map((pair) => pairFacts(pair, around));
  const ofPairs = new Set(
    pairs.flatMap(({ variants }) => variants.flatMap((each) => [each.target, each.drafter])),
  );
  const others = downloadedModels(cache).filter(({ name }) => !ofPairs.has(name));
  const value = {
    cache,
    recommended: pairs.find(isRecommended)?.id ?? null,
    pairs,
    others: others.map(({ name, bytes, directory }) => ({ name, bytes, directory })),
  };
  const lines = [table([HEADINGS, ...pairs.map(row)]), '', adviceLine(pairs.find(isRecommended))];
  if (others.length === 0) return { value, lines };
  const names = others.map(({ name, bytes }) => `  ${name}  ${formatSize(bytes)}`);
  return { value, lines: [...lines, '', 'Other downloaded models', ...names] };
}

/** Sizes are those with the fewest bits. */
function row(pair: PairFacts): string[] {
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

function stateOf({ supported, variants }: PairFacts): string {
  const downloaded = variants
    .filter((variant) => variant.downloaded)
    .map(({ bits }) => `${String(bits)} bit`);
  if (downloaded.length > 0) return `downloaded (${downloaded.join(', ')})`;
  if (!supported) return 'not supported yet';
  return variants.some(({ fits }) => fits) ? '-' : 'needs more memory';
}

function adviceLine(pair: PairFacts | undefined): string {
  if (pair === undefined) return 'None of them fits this machine; the embedded pair needs no download.';
  const bits = pair.variants.find(({ recommended }) => recommended)?.bits ?? 4;
  return `* suits this machine best, with ${String(bits)} bits: flashline models pull ${pair.id}`;
}

function isRecommended({ variants }: PairFacts): boolean {
  return variants.some(({ recommended }) => recommended);
}
