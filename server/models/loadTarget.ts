// Loads the target in a folder. The supported families are listed here.
import { WrongValue } from '../rules/userError';
import { UNSUPPORTED, type ConfigFields } from './checkpoint/configFields';
import { isDrafter } from './checkpoint/modelFiles';
import type { ModelFiles } from './checkpoint/modelFolder';
import { otherAlgorithmIn } from './checkpoint/otherDrafters';
import { parseQuantisation } from './checkpoint/quantisation';
import { TensorMismatch } from './checkpoint/shards';
import { isSpeculatorsForm } from './checkpoint/speculatorsForm';
import { unsupportedFamily } from './checkpoint/unsupportedFamily';
import { attentionDecoder } from './decoder/attentionLayers';
import type { LoadTarget, TargetFamily, TargetModel } from './decoder/target';
import { parseGemma2Config, parseGemma3Config, parseGemmaConfig } from './families/gemma';
import { parseGemma4Config } from './families/gemma4';
import { parseGenericConfig } from './families/generic';
import { parseLlamaConfig } from './families/llama';
import { parseMellumConfig } from './families/mellum';
import { parseMistral3Config, parseMistralConfig } from './families/mistral';
import { parseQwen2Config, parseQwen3Config, parseQwen3MoeConfig } from './families/qwen';
import { qwen35, qwen3Next } from './families/qwenHybrid';
import { unknownFields } from './families/unknownFields';

/** Families of targets, by `model_type`. */
export const TARGETS: ReadonlyMap<string, TargetFamily> = new Map(
  Object.entries({
    gemma: attentionDecoder(parseGemmaConfig),
    gemma2: attentionDecoder(parseGemma2Config),
    gemma3: attentionDecoder(parseGemma3Config),
    gemma3_text: attentionDecoder(parseGemma3Config),
    gemma4: attentionDecoder(parseGemma4Config),
    gemma4_text: attentionDecoder(parseGemma4Config),
    gemma4_unified: attentionDecoder(parseGemma4Config),
    gemma4_unified_text: attentionDecoder(parseGemma4Config),
    llama: attentionDecoder(parseLlamaConfig),
    mellum: attentionDecoder(parseMellumConfig),
    ministral3: attentionDecoder(parseMistral3Config),
    mistral: attentionDecoder(parseMistralConfig),
    mistral3: attentionDecoder(parseMistral3Config),
    qwen2: attentionDecoder(parseQwen2Config),
    qwen3: attentionDecoder(parseQwen3Config),
    qwen3_5: qwen35,
    qwen3_5_text: qwen35,
    qwen3_5_moe: qwen35,
    qwen3_5_moe_text: qwen35,
    qwen3_moe: attentionDecoder(parseQwen3MoeConfig),
    qwen3_next: qwen3Next,
  }),
);

/** Returns the loader of a target's weights. Throws UserError for a config.json that is not supported. */
export function loaderOf(fields: ConfigFields): LoadTarget {
  // Refuses a damaged list, which isDrafter treats like an absent one.
  if (fields.has('architectures')) fields.strings('architectures');
  const modelType = fields.string('model_type');
  const family = TARGETS.get(modelType) ?? unknownFamily(modelType);
  const load = family(fields);
  parseQuantisation(fields);
  return load;
}

/** Throws UserError for a drafter. `algorithm` is the drafter's; undefined for a target. */
export function refuseDrafter(fields: ConfigFields, algorithm: string | undefined): void {
  if (algorithm !== undefined)
    throw fields.refusal('a target model', `a drafter (${algorithm})`, UNSUPPORTED);
}

/** Creates a family for an unknown `model_type`: reads models as a Llama, and refuses those that do not fit one. */
function unknownFamily(modelType: string): TargetFamily {
  const llama = attentionDecoder(parseGenericConfig);
  return (fields) => {
    let load: LoadTarget;
    try {
      load = llama(fields);
    } catch (error) {
      throw error instanceof WrongValue ? unsupportedFamily(modelType, error) : error;
    }
    return async (files) => {
      try {
        return await load(files);
      } catch (error) {
        // Only tensors that do not fit a Llama mean another family. Other errors mean damaged files.
        throw error instanceof TensorMismatch ? unsupportedFamily(modelType, error) : error;
      }
    };
  };
}

/** Loads the target in a folder. Throws UserError. */
export async function loadTarget(files: ModelFiles): Promise<TargetModel> {
  const { directory, fields, onNote } = files;
  if (isDrafter(fields) || isSpeculatorsForm(fields))
    throw fields.refusal('a target model', 'a drafter', 'swap target and drafter');
  refuseDrafter(fields, otherAlgorithmIn(directory, fields));
  const target = await loaderOf(fields)(files);
  const unknown = unknownFields(fields);
  if (unknown.length > 0)
    onNote?.(`config.json of ${directory} has fields that Flashline does not know: ${unknown.join(', ')}`);
  return target;
}
