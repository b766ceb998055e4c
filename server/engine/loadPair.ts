// Loads a pair from its files: the target, its tokenizer and chat template, and the drafter, or the reason why there is
// none.
import { UserError } from '../rules/userError';
import { ReloadingTemplate } from '../models/text/reloadingTemplate';
import { drafterDevice, selectDevice, type Device, type DeviceName } from '../models/mlx/device';
import type { Drafter } from '../models/drafters/drafter';
import { dispose, scope } from '../models/mlx/memory';
import { evaluate } from '../models/mlx/evaluation';
import * as mx from '../models/mlx/ops';
import { loadDrafter } from '../models/loadDrafter';
import { loadTarget } from '../models/loadTarget';
import type { ConfigFields } from '../models/checkpoint/configFields';
import { readModelFolder, type OnProgress } from '../models/checkpoint/modelFolder';
import type { TargetModel } from '../models/decoder/target';
import { tokenArray } from '../models/mlx/tokenArray';
import { requireTargetHash } from '../models/checkpoint/targetHash';
import { endTokenIds } from '../models/text/tokenizerConfig';
import { loadTokenizer } from '../models/text/loadTokenizer';
import type { Tokenizer } from '../models/text/tokenizer';
import type { NumberType } from '../rules/nearTieGap';
import type { RowFacts } from '../rules/rowCost';
import { bitsOfDrafter, packedNote } from './drafterBits';
import { areSmall, expectedPrefillSpeed, rowFactsOf, weightFiles } from './targetFacts';
import type { DrafterBits } from '../rules/serverSettings';
import { DecodeMemory } from './decode/decodeMemory';
import { requireFinite } from './sampling/requireFinite';
import type { SpeculationOff } from './request/stats';

export interface PairFiles {
  readonly targetDirectory: string;
  /** Folder of the drafter; undefined for a target without one. */
  readonly drafterDirectory?: string | undefined;
  /** Bits per weight of the drafter; `auto` if absent. */
  readonly drafterBits?: DrafterBits | undefined;
  /** Device to compute on; by default the GPU if there is one. */
  readonly device?: DeviceName | undefined;
  /**
   * Computes in float32 on a GPU too, so that drafts hardly ever change the text; in bfloat16 they more often decide
   * a near-tie differently. Small targets always compute in float32.
   */
  readonly strict?: boolean | undefined;
  readonly onProgress?: OnProgress | undefined;
  /** Called with a sentence about the files that is worth a line in the log. */
  readonly onNote?: ((note: string) => void) | undefined;
}

export interface LoadedPair {
  readonly target: TargetModel;
  readonly drafter: Drafter | undefined;
  /** Error of a drafter that cannot be used and was left out; undefined if it can be, or if none was requested. */
  readonly drafterProblem: UserError | undefined;
  /** Reason why there is no drafter; undefined when there is one. */
  readonly noDrafterReason: SpeculationOff | undefined;
  readonly device: DeviceName;
  /** Facts about the target from which the cost of rows is guessed until it is measured. */
  readonly rowFacts: RowFacts;
  /** Expected prefill speed (tokens/ms) of a mixture on a GPU; undefined for all other targets. */
  readonly expectedPrefillSpeed: number | undefined;
  /** Number type of the target's activations. */
  readonly numberType: NumberType;
  readonly tokenizer: Tokenizer | undefined;
  readonly chatTemplate: ReloadingTemplate;
}

/**
 * Loads a pair, without the drafter if that cannot be used. Throws UserError for anything wrong with the other files,
 * and then keeps nothing in memory.
 */
export async function loadPair(files: PairFiles): Promise<LoadedPair> {
  const { targetDirectory, device: name, strict = false, onProgress, onNote } = files;
  const folder = readModelFolder(targetDirectory);
  const weights = weightFiles(targetDirectory);
  const device = selectDevice(name, strict || areSmall(weights));
  const loading = loadTarget({ ...folder, device, onProgress, onNote });
  // bench/start times the stages of a load by these marks.
  performance.mark('files');
  try {
    // This thread reads the tokenizer while another one expands the weights.
    const tokenizer = loadTokenizer(targetDirectory);
    const chatTemplate = new ReloadingTemplate(targetDirectory, tokenizer);
    performance.mark('tokenizer');
    const target = withEndTokens(await loading, tokenizer ? endTokenIds(targetDirectory, tokenizer) : []);
    await smokeTest(target, targetDirectory);
    const rowFacts = rowFactsOf(folder.fields, weights, device);
    const matching = await loadMatchingDrafter(files, target, { fields: folder.fields, rowFacts, device });
    performance.mark('weights');
    return {
      ...matching,
      rowFacts,
      expectedPrefillSpeed: expectedPrefillSpeed(folder.fields, weights, device),
      target,
      tokenizer,
      chatTemplate,
      device: device.name,
      numberType: device.dtype === mx.float32 ? 'float32' : 'bfloat16',
    };
  } catch (error) {
    const target = await loading.catch(() => undefined);
    target?.dispose();
    throw error;
  }
}

/** Runs one token through all layers. Faults in the weights of other tokens show later, in their logits. */
async function smokeTest(target: TargetModel, directory: string): Promise<void> {
  const memory = DecodeMemory.empty(target, [], 1);
  try {
    const best = scope(() => {
      const { hidden } = target.forward(tokenArray([0], target.config.vocabSize), memory.caches, []);
      return mx.reshape(mx.topLogProbability(target.logits(hidden)), -1);
    });
    try {
      await evaluate(best, memory.arrays());
      // NaN among the logits, or an infinite largest one, makes this NaN.
      requireFinite(mx.numbers(best), directory);
    } finally {
      dispose(best);
    }
  } finally {
    memory.dispose();
  }
}

/** Adds the tokenizer's end tokens, which the config.json of some checkpoints leaves out. */
function withEndTokens(target: TargetModel, ids: readonly number[]): TargetModel {
  const ends = new Set([...target.config.eosTokenIds, ...ids]);
  return { ...target, config: { ...target.config, eosTokenIds: [...ends] } };
}

/** Loads the drafter, or returns the reason why it cannot be loaded or does not fit the target. */
async function loadMatchingDrafter(
  { drafterDirectory, drafterBits = 'auto', onNote }: PairFiles,
  { config, tables }: TargetModel,
  { fields, rowFacts, device }: { fields: ConfigFields; rowFacts: RowFacts; device: Device },
): Promise<Pick<LoadedPair, 'drafter' | 'drafterProblem' | 'noDrafterReason'>> {
  if (drafterDirectory === undefined)
    return { drafter: undefined, drafterProblem: undefined, noDrafterReason: 'no_drafter' };
  try {
    const folder = readModelFolder(drafterDirectory);
    requireTargetHash(fields, folder.fields);
    const bits = bitsOfDrafter(drafterBits, rowFacts, folder.fields);
    if (drafterBits === 'auto' && bits !== undefined) onNote?.(packedNote(bits));
    const files = { ...folder, device: drafterDevice(device), tables, bits, onNote };
    const drafter = await loadDrafter(files, config);
    return { drafter, drafterProblem: undefined, noDrafterReason: undefined };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { drafter: undefined, drafterProblem: error, noDrafterReason: 'drafter_mismatch' };
  }
}
