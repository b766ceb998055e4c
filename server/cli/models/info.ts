// `flashline models info`: all that is known of a pair, or the files of a downloaded repository.
import { formatSize } from '../../rules/format';
import { downloadedModel, requireDownloaded } from '../../hub/downloadedModel';
import type { PairVariant } from '../../hub/pairVariant';
import { table } from '../statsTable';
import { modelChoice } from './modelChoice';
import type { Printout } from './models';
import type { ModelsArguments } from './modelsArguments';
import { pairFacts, surroundings, type VariantFacts } from '../../hub/pairFacts';

export async function info({ cache, name, bits }: ModelsArguments): Promise<Printout> {
  const choice = modelChoice(name, bits);
  const [first] = choice.variants;
  if (first === undefined) return repositoryInfo(cache, choice.name);
  const { loadable } = await import('../../models/registry');
  const facts = pairFacts(first.pair, surroundings(cache, loadable));
  const variants = facts.variants.filter((each) =>
    choice.variants.some((chosen) => chosen.bits === each.bits),
  );
  const { target, drafter, thinking } = first.pair;
  const value = {
    ...facts,
    variants: variants.map((each) => ({ ...each, ...directories(cache, each) })),
    thinking,
    contextTokens: target.contextTokens,
    blockSize: drafter.blockSize,
    licenses: { target: target.license, drafter: drafter.license },
  };
  const lines = [
    `${facts.name}${facts.supported ? '' : ' (its type is not supported yet)'}`,
    table([
      ['infilling', facts.infill === 'fim' ? 'FIM: trained for it' : 'in a conversation'],
      ['context', `${String(target.contextTokens)} tokens`],
      ['licence', `${target.license} (target), ${drafter.license} (drafter)`],
      ['drafter', `${first.drafter}, blocks of ${String(drafter.blockSize)}`],
    ]),
    '',
    table([['bits', 'target', 'download', 'memory', 'speed', 'on this machine'], ...variants.map(row)]),
  ];
  return { value, lines };
}

function row({ bits, target, downloadBytes, memoryBytes, speed, ...facts }: VariantFacts): string[] {
  const fit = facts.fits ? '-' : 'needs more memory';
  const state = facts.downloaded ? 'downloaded' : facts.recommended ? 'recommended' : fit;
  const speedText = `${speed.class} (about ${speed.tokensPerSecond.toFixed(speed.tokensPerSecond < 10 ? 1 : 0)} tok/s)`;
  return [String(bits), target, formatSize(downloadBytes), formatSize(memoryBytes), speedText, state];
}

function directories(cache: string, { target, drafter }: Pick<PairVariant, 'target' | 'drafter'>): object {
  const of = (name: string): string | null => downloadedModel(cache, name)?.directory ?? null;
  return { targetDirectory: of(target), drafterDirectory: of(drafter) };
}

function repositoryInfo(cache: string, name: string): Printout {
  const { commit, directory, files, bytes } = requireDownloaded(cache, name);
  const rows = files.map((file) => [file.name, formatSize(file.size)]);
  const lines = [`${name} at ${commit}`, `  ${directory}`, '', table([...rows, ['', formatSize(bytes)]])];
  return { value: { name, commit, directory, files, bytes }, lines };
}
