// Loads targets and drafters from their folders. The lists of supported families and drafters are here.
import { join } from 'node:path';
import { orUserError, type UserError, WrongValue } from '../../rules/userError';
import { attentionDecoder } from '../decoder/attentionLayers';
import { ConfigFields, UNSUPPORTED } from '../checkpoint/configFields';
import { DRAFTER_ARCHITECTURES, isDrafter } from '../checkpoint/modelFiles';
import type { Device } from '../mlx/device';
import { requireNetwork } from '../drafters/blockDrafter/blockConfig';
import { loadDFlash } from '../drafters/dflash/dflash';
import type { Drafter, DrafterOptions, LoadDrafter } from '../drafters/drafter';
import { dsparkDrafter } from '../drafters/dspark/dspark';
import { parseGemma4DSparkConfig, parseQwen3DSparkConfig } from '../drafters/dspark/dsparkConfig';
import { parseGemma2Config, parseGemma3Config, parseGemmaConfig } from './gemma';
import { parseGemma4Config } from './gemma4';
import { parseGenericConfig } from './generic';
import { parseLlamaConfig } from './llama';
import { unknownFields } from './unknownFields';
import { parseMellumConfig } from './mellum';
import { parseMistral3Config, parseMistralConfig } from './mistral';
import { otherAlgorithm, otherAlgorithmIn } from '../checkpoint/otherDrafters';
import { algorithmRefusal, isSpeculatorsForm, publishedForm } from '../checkpoint/speculatorsForm';
import { unsupportedFamily } from '../checkpoint/unsupportedFamily';
import { parseQwen2Config, parseQwen3Config, parseQwen3MoeConfig } from './qwen';
import { qwen35, qwen3Next } from './qwenHybrid';
import { QUANTISATION_FILES, withQuantisationOfOtherFiles } from '../checkpoint/foreignQuantisation';
import { parseQuantisation } from '../checkpoint/quantisation';
import { TensorMismatch } from '../checkpoint/shards';
import type { OnNote, OnProgress, TargetConfig, TargetFamily, TargetModel } from '../decoder/target';

/** Families of targets, by `model_type`. */
const TARGETS: ReadonlyMap<string, TargetFamily> = new Map(
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

const DRAFTERS: Readonly<Record<(typeof DRAFTER_ARCHITECTURES)[number], LoadDrafter>> = {
  DFlash2DraftModel: loadDFlash,
  DFlashDraftModel: loadDFlash,
  DSparkDraftModel: dsparkDrafter(parseQwen3DSparkConfig),
  Gemma4DSparkModel: dsparkDrafter(parseGemma4DSparkConfig),
  Qwen3DSparkModel: dsparkDrafter(parseQwen3DSparkConfig),
};

/** Supported targets: their `model_type`s, and a check of a config.json. */
export const loadable = {
  targets: [...TARGETS.keys()],
  problemOf: configProblem,
} as const;

/**
 * Returns the error that loading the model of a config.json would throw because of that file; undefined if none. Of a
 * drafter, checks the algorithm, the network and the quantisation, as the rest depends on its target.
 */
function configProblem(fields: ConfigFields): UserError | undefined {
  return orUserError(() => {
    if (isDrafter(fields) || isSpeculatorsForm(fields)) requireComputable(publishedForm(fields));
    else {
      refuseDrafter(fields, otherAlgorithm(fields));
      if (!fields.has('model_type')) return fields.refusal('a model_type', 'none', 'choose another model');
      familyOf(fields);
    }
    return undefined;
  });
}

/** Throws UserError for a drafter, in published form, whose network or quantisation is not supported. */
function requireComputable(drafter: ConfigFields): void {
  requireNetwork(drafter);
  parseQuantisation(drafter);
}

/** Returns the family of a target. Throws UserError for a config.json that is not supported. */
function familyOf(fields: ConfigFields): TargetFamily {
  // isDrafter treats a damaged list like an absent one.
  if (fields.has('architectures')) fields.strings('architectures');
  const modelType = fields.string('model_type');
  const family = TARGETS.get(modelType) ?? unknownFamily(modelType);
  family.parse(fields);
  parseQuantisation(fields);
  return family;
}

/** Throws UserError for a drafter; `algorithm` is that of a drafter. */
function refuseDrafter(fields: ConfigFields, algorithm: string | undefined): void {
  if (algorithm !== undefined)
    throw fields.refusal('a target model', `a drafter (${algorithm})`, UNSUPPORTED);
}

/** Creates the family of a model that is read as a Llama if it is one in all but name, and refused otherwise. */
function unknownFamily(modelType: string): TargetFamily {
  const llama = attentionDecoder(parseGenericConfig);
  return {
    parse(fields) {
      try {
        return llama.parse(fields);
      } catch (error) {
        throw error instanceof WrongValue ? unsupportedFamily(modelType, error) : error;
      }
    },

    async load(files) {
      try {
        return await llama.load(files);
      } catch (error) {
        // Only tensors that do not fit a Llama mean another family. Other errors mean damaged files.
        throw error instanceof TensorMismatch ? unsupportedFamily(modelType, error) : error;
      }
    },
  };
}

/** Loads the target in a folder. Throws UserError. */
export async function loadTarget(
  directory: string,
  device: Device,
  onProgress?: OnProgress,
  onNote?: OnNote,
): Promise<TargetModel> {
  const fields = readConfig(directory);
  if (isDrafter(fields) || isSpeculatorsForm(fields))
    throw fields.refusal('a target model', 'a drafter', 'swap target and drafter');
  refuseDrafter(fields, otherAlgorithmIn(directory, fields));
  const target = await familyOf(fields).load({ directory, fields, device, onProgress, onNote });
  const unknown = unknownFields(fields);
  if (unknown.length > 0)
    onNote?.(`config.json of ${directory} has fields that Flashline does not know: ${unknown.join(', ')}`);
  return target;
}

/** Loads the drafter in a folder for a target. Throws UserError if it is not supported or does not fit the target. */
export async function loadDrafter(
  directory: string,
  target: TargetConfig,
  device: Device,
  options: DrafterOptions = {},
): Promise<Drafter> {
  const fields = publishedForm(readConfig(directory));
  const [architecture = 'none'] = fields.has('architectures') ? fields.strings('architectures') : [];
  const name = DRAFTER_ARCHITECTURES.find((supported) => supported === architecture);
  if (name === undefined) {
    const algorithm = otherAlgorithmIn(directory, fields);
    if (algorithm !== undefined && algorithm !== architecture) throw algorithmRefusal(fields, algorithm);
    throw fields.refusal(
      `a drafter of architecture ${DRAFTER_ARCHITECTURES.join(' or ')}`,
      architecture,
      UNSUPPORTED,
    );
  }
  requireComputable(fields);
  if (options.bits !== undefined && options.bits < 16 && !device.keepsQuantised)
    options.onNote?.(
      `a drafter of ${String(options.bits)} bits saves nothing here: the CPU computes with expanded weights`,
    );
  return await DRAFTERS[name]({ directory, fields, device, ...options }, target);
}

/** Reads the config.json of a model, with a quantisation that only another file names. Throws UserError. */
export function readConfig(directory: string): ConfigFields {
  const quantisationFiles = QUANTISATION_FILES.map((name) =>
    ConfigFields.readOptional(join(directory, name)),
  );
  return withQuantisationOfOtherFiles(ConfigFields.ofModel(directory), quantisationFiles);
}
