// Which models this machine can run, how fast they will be, and which known pair suits it best: arithmetic on sizes,
// which measures nothing.
import { memoryBandwidth } from '../machine/thisMachine';
import type { CatalogueEntry, MachineFacts, SpeedClass, SpeedEstimate } from '../protocol/modelCatalogue';
import { rowCost } from '../rules/rowCost';
import { knownPairs, variantsOf, type PairVariant } from './knownPairs';
import { bytesPerToken, memoryNeed, weightBytesOf, type ModelSizes } from './modelSizes';

/** Below this, people type faster than the model. */
const MODERATE_SPEED = 15;
/** The fewest tokens per second of each class. */
const CLASSES: readonly (readonly [SpeedClass, number])[] = [
  ['instant', 80],
  ['fast', 40],
  ['moderate', MODERATE_SPEED],
];

/** Of each draft, where those before it were right: what published drafters reach on code. */
const ACCEPTED = 0.8;
/** Less than this gain is lost in what the estimate leaves out. */
const LEAST_GAIN = 1.1;
/** No more of them are likely to be right at once. */
const MOST_DRAFTS = 15;

/** Whether drafts are expected to make decoding faster, by what reading weights and verifying rows cost. */
export function draftsPay({ pair, bits, sizes }: PairVariant, processor: MachineFacts['processor']): boolean {
  const [target, drafter] = sizes;
  if (drafter === undefined) return false;
  const isMixture = (pair.activeParameters ?? target.parameters) < target.parameters;
  const further = rowCost({ processor, bits, isMixture });
  const drafting = bytesPerToken(drafter, processor) / bytesPerToken(target, processor);
  return Array.from({ length: MOST_DRAFTS }, (_, i) => i + 1).some(
    (drafts) =>
      (1 - ACCEPTED ** (drafts + 1)) / (1 - ACCEPTED) / (1 + further * drafts + drafting) >= LEAST_GAIN,
  );
}

/** The memory for the models with known sizes, and the speed of plain decoding by what the target reads per token. */
export function estimates(
  sizes: readonly (ModelSizes | undefined)[],
  processor: MachineFacts['processor'],
  bytesPerSecond = memoryBandwidth(processor),
): Pick<CatalogueEntry, 'memoryBytes' | 'speed'> {
  const known = sizes.filter((each) => each !== undefined);
  const [target] = sizes;
  return {
    memoryBytes: known.length > 0 ? memoryNeed(known, processor) : undefined,
    speed: target && speedOf(bytesPerSecond / bytesPerToken(target, processor), false),
  };
}

/** The class and speed of plain decoding on this machine. */
export function speedOf(tokensPerSecond: number, isMeasured: boolean): SpeedEstimate {
  const [name = 'slow'] = CLASSES.find(([, least]) => tokensPerSecond >= least) ?? [];
  return { class: name, tokensPerSecond, isMeasured };
}

/**
 * The known pair that suits a machine best, those for infilling before others: the largest that keeps up with a person who
 * types, with 8 bits where they fit: those verify drafts for less than 4, and lose less of the model. Undefined if none
 * fits or all are too slow, as on a CPU: the built-in pair is the best choice then. `families` are the `model_type` of the
 * targets that load; `measured` is in tokens per second, of a variant that has run here.
 */
export function advise(
  machine: MachineFacts,
  families: readonly string[],
  isDownloaded: (repository: string) => boolean,
  bytesPerSecond = memoryBandwidth(machine.processor),
  measured: (variant: PairVariant) => number | undefined = () => undefined,
): PairVariant | undefined {
  const fits = ({ sizes, repositories }: PairVariant): boolean =>
    memoryNeed(sizes, machine.processor) <= machine.usableBytes &&
    (repositories.every(isDownloaded) || weightBytesOf(sizes) <= machine.freeDiskBytes);
  const isFluent = (variant: PairVariant): boolean =>
    (measured(variant) ?? bytesPerSecond / bytesPerToken(variant.sizes[0], machine.processor)) >=
    MODERATE_SPEED;
  const [best] = knownPairs
    .filter(({ modelType, researchOnly }) => families.includes(modelType) && !researchOnly)
    .flatMap(variantsOf)
    .filter((variant) => fits(variant) && isFluent(variant))
    .sort((a, b) => fillsIn(b) - fillsIn(a) || larger(b, a) || preferred(a) - preferred(b));
  return best;
}

function fillsIn({ pair }: PairVariant): number {
  return Number(pair.infill === 'fim');
}

function preferred({ bits }: PairVariant): number {
  return [8, 4, 16].indexOf(bits);
}

/** Of two with as many parameters, that which came later. */
function larger(a: PairVariant, b: PairVariant): number {
  return (
    a.sizes[0].parameters - b.sizes[0].parameters || knownPairs.indexOf(a.pair) - knownPairs.indexOf(b.pair)
  );
}
