// Everything of a pair that is in files: the target, its tokenizer and chat template, and the drafter that the user has
// named, or why there is none. Knows nothing about decoding.
import { InputError } from '../rules/inputError';
import { OwnTemplate } from '../models/text/ownTemplate';
import { drafterDevice, selectDevice, type Device, type DeviceName } from '../models/mlx/device';
import type { Drafter } from '../models/drafters/drafter';
import { dispose, evaluate, scope } from '../models/mlx/memory';
import * as mx from '../models/mlx/ops';
import { loadDrafter, loadTarget } from '../models/families/registry';
import { expertsField } from '../models/decoder/sparseMlp';
import type { ModelFiles, OnProgress, TargetModel } from '../models/decoder/target';
import { tokenArray } from '../models/mlx/tokenArray';
import { ConfigFields } from '../models/checkpoint/configFields';
import { parseQuantisation } from '../models/checkpoint/quantisation';
import { mixturePromptSpeed } from '../models/checkpoint/promptSpeed';
import { sizesOfConfig } from '../models/checkpoint/modelSizes';
import { requireTargetHash } from '../models/checkpoint/targetHash';
import { endTokenIds, loadTokenizer, type Tokenizer } from '../models/text/tokenizer';
import type { NumberType } from '../rules/nearTieGap';
import type { RowFacts } from '../rules/rowCost';
import { bitsOfDrafter, isSmall, packedNote, weightFiles } from './drafterBits';
import type { DrafterBits } from '../rules/serverSettings';
import { DecodeMemory } from './decode/decodeMemory';
import { requireFinite } from './sampling/readLogitRows';
import type { SpeculationOff } from './request/stats';

export interface PairFiles extends Pick<ModelFiles, 'onNote'> {
  readonly targetDirectory: string;
  /** Undefined for none. */
  readonly drafterDirectory?: string | undefined;
  /** Bits per weight of the drafter; `auto` if absent. */
  readonly drafterBits?: DrafterBits | undefined;
  /** Called with what is wrong with the drafter, which is then left out; if absent, that is an error. */
  readonly onDrafterMismatch?: ((error: InputError) => void) | undefined;
  /** The GPU where there is one, unless said otherwise. */
  readonly device?: DeviceName | undefined;
  /**
   * float32 on a GPU too, so that drafts change no text, where bfloat16 may decide a near tie otherwise. Small targets
   * always compute so.
   */
  readonly strict?: boolean | undefined;
  readonly onProgress?: OnProgress | undefined;
}

export interface LoadedPair {
  readonly target: TargetModel;
  readonly drafter: Drafter | undefined;
  /** Why there is none; undefined when there is one. */
  readonly missing: SpeculationOff | undefined;
  readonly device: DeviceName;
  /** How the target computes, for what rows cost until that is measured. */
  readonly rowFacts: RowFacts;
  /** Expected prefill speed (tokens/ms) of a mixture on a GPU; undefined for all others. */
  readonly expectedPrefillSpeed: number | undefined;
  /** What the target computes in. */
  readonly numberType: NumberType;
  readonly tokenizer: Tokenizer | undefined;
  readonly chatTemplate: OwnTemplate;
}

/** Throws InputError for anything wrong with the files; nothing stays in memory then. */
export async function loadPair(files: PairFiles): Promise<LoadedPair> {
  const { targetDirectory, device: name, strict = false, onProgress } = files;
  const device = selectDevice(name, strict || isSmall(targetDirectory));
  const loading = loadTarget(targetDirectory, device, onProgress, files.onNote);
  performance.mark('files');
  try {
    // Read on this thread while the weights are expanded on another.
    const tokenizer = loadTokenizer(targetDirectory);
    const chatTemplate = new OwnTemplate(targetDirectory, tokenizer);
    performance.mark('tokenizer');
    const target = withEnds(await loading, tokenizer ? endTokenIds(targetDirectory, tokenizer) : []);
    await tryOneToken(target, targetDirectory);
    const matching = await matchingDrafter(files, target, device);
    performance.mark('weights');
    const numberType = device.dtype === mx.float32 ? 'float32' : 'bfloat16';
    const expectations = {
      rowFacts: rowFactsOf(targetDirectory, device),
      expectedPrefillSpeed: expectedPrefillSpeed(targetDirectory, device),
    };
    return { ...matching, ...expectations, target, device: device.name, numberType, tokenizer, chatTemplate };
  } catch (error) {
    const target = await loading.catch(() => undefined);
    target?.dispose();
    throw error;
  }
}

/** One token, through all layers; what only others meet is found in the logits that they get. */
async function tryOneToken(target: TargetModel, directory: string): Promise<void> {
  const memory = DecodeMemory.empty(target, [], 1);
  const best = scope(() => {
    const { hidden } = target.forward(tokenArray([0], target.config.vocabSize), memory.caches, []);
    return mx.reshape(mx.topLogProbability(target.logits(hidden)), -1);
  });
  await evaluate(best, memory.arrays());
  const logits = mx.numbers(best);
  dispose(best);
  memory.dispose();
  requireFinite(logits, directory);
}

function rowFactsOf(directory: string, { name, keepsQuantised }: Device): RowFacts {
  const fields = ConfigFields.ofModel(directory);
  const bits = (keepsQuantised ? parseQuantisation(fields)('')?.bits : undefined) ?? 16;
  const text = fields.part('text_config');
  const isMixture = expertsField(text) !== undefined;
  return { processor: name, bits, isMixture, isSmall: isSmall(directory) };
}

function expectedPrefillSpeed(directory: string, { name }: Device): number | undefined {
  const sizes = sizesOfConfig(ConfigFields.ofModel(directory), weightFiles(directory));
  const perSecond = sizes && mixturePromptSpeed(sizes, name);
  return perSecond && perSecond / 1000;
}

/** Those that config.json names, and the tokenizer's own, which may stand nowhere else. */
function withEnds(target: TargetModel, ids: readonly number[]): TargetModel {
  const { eosTokenIds, vocabSize } = target.config;
  const ends = new Set([...eosTokenIds, ...ids.filter((id) => id < vocabSize)]);
  return { ...target, config: { ...target.config, eosTokenIds: [...ends] } };
}

/**
 * Throws InputError for a drafter that cannot be loaded or does not fit `target`, unless there is a callback for it.
 */
async function matchingDrafter(
  { targetDirectory, drafterDirectory, drafterBits = 'auto', onDrafterMismatch, onNote }: PairFiles,
  { config, tables }: TargetModel,
  device: Device,
): Promise<Pick<LoadedPair, 'drafter' | 'missing'>> {
  if (drafterDirectory === undefined) return { drafter: undefined, missing: 'no_drafter' };
  try {
    requireTargetHash(targetDirectory, drafterDirectory);
    const bits = bitsOfDrafter(drafterBits, { targetDirectory, drafterDirectory }, device);
    if (drafterBits === 'auto' && bits !== undefined) onNote?.(packedNote(bits));
    const files = { tables, bits, onNote };
    const drafter = await loadDrafter(drafterDirectory, config, drafterDevice(device), files);
    return { drafter, missing: undefined };
  } catch (error) {
    if (onDrafterMismatch === undefined || !(error instanceof InputError)) throw error;
    onDrafterMismatch(error);
    return { drafter: undefined, missing: 'drafter_mismatch' };
  }
}
