// Creates two tables of the known pairs: one of the memory that they need, by bits of the target, with licences and
// repositories, and one of the pairs that the model picker recommends on some Macs.
import type { CatalogueEntry } from '../../server/protocol/modelCatalogue';
import {
  knownPairs,
  pairId,
  variantsOf,
  type KnownDrafter,
  type KnownPair,
  type PairVariant,
} from '../../server/hub/knownPairs';
import { estimates, memoryNeed } from '../../server/hub/estimates';
import { recommendedPair } from '../../server/hub/recommendedPair';
import { memoryBandwidth } from '../../server/machine/memoryBandwidth';
import { usableBytes } from '../../server/machine/thisMachine';
import { markdownTable } from './markdownTable';

/** Common Macs, with their memory in GB. */
const MACS = [
  ['M1', 8],
  ['M2', 16],
  ['M4', 16],
  ['M4 Pro', 24],
  ['M3 Pro', 36],
  ['M4 Max', 64],
] as const;

export function knownPairsTable(): string {
  const rows = knownPairs.flatMap((pair) =>
    pair.drafters.length > 0 ? pair.drafters.map((drafter) => row(pair, drafter)) : [row(pair, undefined)],
  );
  return markdownTable([
    [
      'pair',
      'prompt',
      '4 bit',
      '8 bit',
      'bf16',
      'licence: target, drafter',
      'target',
      'drafter: kind, block',
    ],
    ...rows,
  ]);
}

function row(pair: KnownPair, drafter: KnownDrafter | undefined): string[] {
  const variants = variantsOf(pair).filter(({ knownDrafter }) => knownDrafter === drafter);
  return [
    `\`${pairId(pair)}\``,
    pair.infill === 'fim' ? 'FIM' : 'chat',
    ...([4, 8, 16] as const).map((bits) => {
      const variant = variants.find((candidate) => candidate.bits === bits);
      return variant ? needs(variant) : 'none';
    }),
    drafter ? `${pair.license}, ${drafter.license ?? 'none stated'}` : pair.license,
    `\`${pair.target.repository}\``,
    drafter ? `\`${drafter.repository}\`: ${drafter.kind}, ${String(drafter.blockSize)}` : 'look-up',
  ];
}

/** Returns recommendations by the picker's own rule and its estimates, as shown before any pair was loaded. */
export function recommendationsTable(): string {
  return markdownTable([
    ['Mac', 'recommended pair', 'prompt', 'memory it needs', 'expected speed'],
    ...MACS.map(([chip, memory]) => {
      const variant = recommended(chip, memory * 2 ** 30);
      const mac = `${chip}, ${String(memory)} GB`;
      if (variant === undefined) return [mac, 'the built-in pair'];
      return [
        mac,
        `\`${pairId(variant.pair)}\` in ${String(variant.bits)} bits`,
        variant.pair.infill === 'fim' ? 'FIM' : 'chat',
        needs(variant),
        `about ${speed(variant, chip)} tokens/s`,
      ];
    }),
  ]);
}

function recommended(chip: string, memoryBytes: number): PairVariant | undefined {
  const machine = {
    memoryBytes,
    usableBytes: usableBytes(memoryBytes, 'gpu'),
    freeDiskBytes: Infinity,
    processor: 'gpu',
  } as const;
  const families = knownPairs.map(({ modelType }) => modelType);
  return recommendedPair(machine, families, () => false, {
    bytesPerSecond: memoryBandwidth('gpu', `Apple ${chip}`),
  });
}

function speed({ sizes }: PairVariant, chip: string): string {
  const { speed }: Pick<CatalogueEntry, 'speed'> = estimates(
    sizes,
    'gpu',
    memoryBandwidth('gpu', `Apple ${chip}`),
  );
  return (speed?.tokensPerSecond ?? 0).toFixed(0);
}

function needs({ sizes }: PairVariant): string {
  return `${(memoryNeed(sizes, 'gpu') / 1e9).toFixed(1)} GB`;
}
