// Everything of a pair that lies in files. Knows no decodes.
import { loadChatTemplate, type ChatTemplate } from '../models/chatTemplate';
import { selectDevice, type DeviceName } from '../models/device';
import { loadTarget } from '../models/registry';
import type { OnProgress, TargetModel } from '../models/target';
import { loadTokenizer, type Tokenizer } from '../models/tokenizer';
import { matchingDrafter, type DrafterWish, type MatchingDrafter } from './matchingDrafter';

export interface PairFiles extends DrafterWish {
  /** The GPU where there is one, unless said otherwise. */
  readonly device?: DeviceName | undefined;
  readonly onProgress?: OnProgress | undefined;
}

export interface PairModels extends MatchingDrafter {
  readonly target: TargetModel;
  readonly device: DeviceName;
  readonly tokenizer: Tokenizer | undefined;
  readonly chatTemplate: ChatTemplate | undefined;
}

/** Throws InputError for anything wrong with the files; nothing stays in memory then. */
export async function loadPairModels(files: PairFiles): Promise<PairModels> {
  const { targetDirectory, device: name, onProgress } = files;
  const device = selectDevice(name);
  const loading = loadTarget(targetDirectory, device, onProgress);
  performance.mark('files');
  try {
    // Read on this thread while the weights are expanded on another.
    const tokenizer = loadTokenizer(targetDirectory);
    const chatTemplate = loadChatTemplate(targetDirectory);
    performance.mark('tokenizer');
    const target = await loading;
    const matching = await matchingDrafter(files, target.config, device);
    performance.mark('weights');
    return { ...matching, target, device: device.name, tokenizer, chatTemplate };
  } catch (error) {
    const target = await loading.catch(() => undefined);
    target?.dispose();
    throw error;
  }
}
