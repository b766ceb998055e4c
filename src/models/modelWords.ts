// Texts for entries of the model catalogue and their downloads, the same in the picker, questions and messages.
import type { CatalogueEntry, MachineFacts, SpeedEstimate } from '../../server/protocol/modelCatalogue';
import { formatSize, rateText } from '../../server/rules/formatNumber';

/** Returns the name of an entry, with its bits and drafter where they distinguish it. */
export function entryName({ kind, name, bits, drafter, drafterKind }: CatalogueEntry): string {
  if (kind === 'embedded') return 'Built-in pair';
  if (kind === 'drafter') return `${name} (drafter)`;
  const named = name === 'embedded' ? 'Built-in target' : name;
  const sized = kind === 'pair' && bits !== undefined ? `${named} ${bits}-bit` : named;
  if (drafterKind !== undefined) return `${sized} with ${drafterKind}`;
  return drafter === 'none' && kind !== 'pair' ? `${sized} without a drafter` : sized;
}

/** Describes how a model that cannot fill in the middle is prompted; undefined for others. */
export function infillText(infill: CatalogueEntry['infill']): string | undefined {
  if (infill === 'chat') return 'prompted as a chat';
  return infill === 'prefix' ? 'sees only the code before the cursor' : undefined;
}

/**
 * Describes a speed. A recommended model is not called slow: either drafts make it fast enough, or no other model that
 * fits is faster.
 */
export function speedText(speed: SpeedEstimate | undefined, isRecommended = false): string | undefined {
  if (speed === undefined) return undefined;
  const rate = rateText(speed);
  return isRecommended && speed.class === 'slow' ? rate : `${speed.class} (${rate})`;
}

/** Returns the facts to show before a download of gigabytes, one line each. */
export function questionLines(
  { downloadBytes, arrivedBytes, license, memoryBytes, speed, problem, isRecommended }: CatalogueEntry,
  machine: MachineFacts,
): string[] {
  const missingBytes = downloadBytes === undefined ? undefined : downloadBytes - arrivedBytes;
  const rate = speedText(speed, isRecommended);
  const lines = [
    missingBytes !== undefined &&
      `Download: ${formatSize(missingBytes)} (${formatSize(machine.freeDiskBytes)} free on disk)`,
    memoryBytes !== undefined &&
      `Memory: ${formatSize(memoryBytes)} (${formatSize(machine.usableBytes)} available for models)`,
    `Licence: ${license ?? 'not stated'}`,
    rate !== undefined && `Speed without drafts: ${rate}`,
    problem,
  ];
  return lines.filter((line) => typeof line === 'string');
}
