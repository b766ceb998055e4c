// Checks the built-in pair in one mode, without and with drafts.
import { fixedLength } from '../engine/draftLength/draftLength';
import { PromptCache } from '../engine/promptCache';
import { samplerOf } from '../engine/sampling/samplerOf';
import { samplingOf } from '../engine/request/sampling';
import { DecodeSession } from '../engine/decode/session';
import { mediaPath } from '../machine/mediaPath';
import { core } from '../models/mlx/binding';
import { useDevice, type Device } from '../models/mlx/device';
import type { Drafter } from '../models/drafters/drafter';
import { loadDrafter, loadTarget } from '../models/families/registry';
import type { TargetModel } from '../models/decoder/target';
import { findingOf, joined, type Finding } from './finding';
import type { PairGolden } from './goldens';
import { logitsAfter } from './logitsAfter';
import type { Mode } from './modes';

export interface Check {
  /** Without drafts. */
  readonly plain: Finding;
  readonly drafted: Finding;
}

/** `goldens` may be fewer than there are, where they would take long. */
export async function checkPair(goldens: readonly PairGolden[], mode: Mode): Promise<Check> {
  const device = deviceOf(mode);
  const target = await loadTarget(mediaPath('model/target'), device);
  let drafter: Drafter | undefined;
  try {
    const { config, tables } = target;
    drafter = await loadDrafter(mediaPath('model/drafter'), config, device, { tables });
    const [plain, drafted]: [Finding[], Finding[]] = [[], []];
    for (const golden of goldens) {
      plain.push(await checkOutput({ target, device }, golden, mode));
      drafted.push(await checkOutput({ target, device, drafter }, golden, mode));
    }
    return { plain: joined(plain), drafted: joined(drafted) };
  } finally {
    drafter?.dispose();
    target.dispose();
  }
}

interface Models {
  readonly target: TargetModel;
  readonly device: Device;
  readonly drafter?: Drafter;
}

/** Behind the first token that differs, the text is another one, and nothing can be compared. */
async function checkOutput(
  { target, device, drafter }: Models,
  { promptIds, outputIds }: PairGolden,
  { type }: Mode,
): Promise<Finding> {
  const session = new DecodeSession(
    {
      target,
      tokenizer: undefined,
      drafters: drafter ? [drafter] : [],
      policy: fixedLength(drafter?.maxDraftTokens ?? 0),
      sampler: samplerOf(samplingOf(), drafter?.maskTokenId),
      speculationOff: drafter ? undefined : 'draft_length_zero',
      device: device.name,
      signals: [],
    },
    promptIds,
    { maxTokens: outputIds.length },
    new PromptCache(target, { bytes: 0 }),
  );
  const { tokenIds } = await session.finish();
  const at = outputIds.findIndex((token, i) => token !== tokenIds[i]);
  if (at < 0) return findingOf(outputIds.length, [], type);
  const logits = await logitsAfter(target, [...promptIds, ...outputIds.slice(0, at)]);
  const [given = NaN, right = NaN] = [logits[tokenIds[at] ?? -1], logits[outputIds[at] ?? -1]];
  return findingOf(at + 1, [Math.abs(given - right)], type);
}

/** Makes it the device of all later operations. */
function deviceOf({ device, type, weights }: Mode): Device {
  useDevice(device);
  return { name: device, dtype: core[type], keepsQuantised: weights === 'packed' };
}
