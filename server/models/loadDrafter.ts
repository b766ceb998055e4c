// Loads the drafter in a folder. The supported drafters are listed here.
import { UNSUPPORTED, type ConfigFields } from './checkpoint/configFields';
import { DRAFTER_ARCHITECTURES } from './checkpoint/modelFiles';
import { otherAlgorithmIn } from './checkpoint/otherDrafters';
import { parseQuantisation } from './checkpoint/quantisation';
import { algorithmRefusal, publishedForm } from './checkpoint/speculatorsForm';
import type { TargetConfig } from './decoder/target';
import { requireNetwork } from './drafters/blockDrafter/blockConfig';
import { loadDFlash } from './drafters/dflash/dflash';
import type { Drafter, DrafterFiles, LoadDrafter } from './drafters/drafter';
import { dsparkDrafter } from './drafters/dspark/dspark';
import { parseQwen3DSparkConfig } from './drafters/dspark/dsparkConfig';
import { parseGemma4DSparkConfig } from './families/gemma4DSpark';

/** Drafters, by the first of their `architectures`. */
const DRAFTERS: Readonly<Record<(typeof DRAFTER_ARCHITECTURES)[number], LoadDrafter>> = {
  DFlash2DraftModel: loadDFlash,
  DFlashDraftModel: loadDFlash,
  DSparkDraftModel: dsparkDrafter(parseQwen3DSparkConfig),
  Gemma4DSparkModel: dsparkDrafter(parseGemma4DSparkConfig),
  Qwen3DSparkModel: dsparkDrafter(parseQwen3DSparkConfig),
};

/** Loads the drafter in a folder for a target. Throws UserError if it is not supported or does not fit the target. */
export async function loadDrafter(files: DrafterFiles, target: TargetConfig): Promise<Drafter> {
  const { directory, device, bits, onNote } = files;
  const fields = publishedForm(files.fields);
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
  if (bits !== undefined && bits < 16 && !device.keepsQuantised)
    onNote?.(`a drafter of ${String(bits)} bits saves nothing here: the CPU computes with expanded weights`);
  return await DRAFTERS[name]({ ...files, fields }, target);
}

/** Throws UserError for a drafter, in published form, whose network or quantisation is not supported. */
export function requireComputable(drafter: ConfigFields): void {
  requireNetwork(drafter);
  parseQuantisation(drafter);
}
