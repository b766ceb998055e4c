// Words for a download: what is asked before it, and how far it is. Pure.
import type { CatalogueEntry, DownloadProgress, MachineFacts } from '../../server/modelCatalogue';
import { formatPercent, formatSize } from '../../server/rules/format';
import type { Translate } from '../translate';
import { speedText } from './entryName';

/** What a person should know before gigabytes are downloaded, a line each. */
export function questionLines(
  { downloadBytes, arrivedBytes, license, memoryBytes, speed, problem }: CatalogueEntry,
  machine: MachineFacts,
  t: Translate,
): string[] {
  const missing = downloadBytes === undefined ? undefined : downloadBytes - arrivedBytes;
  const rate = speedText(speed, t);
  const lines = [
    missing !== undefined &&
      t('Download: {0}; free on the disk: {1}', formatSize(missing), formatSize(machine.freeDiskBytes)),
    memoryBytes !== undefined &&
      t('Memory: {0}; usable here: {1}', formatSize(memoryBytes), formatSize(machine.usableBytes)),
    t('Licence: {0}', license ?? t('not told')),
    rate !== undefined && t('Speed without drafts: {0}', rate),
    problem,
  ];
  return lines.filter((line) => typeof line === 'string');
}

/** Such as "43 %, 1.2 GB of 2.8 GB, 12 MB/s, 2 min left". */
export function progressText(
  { arrivedBytes, bytes, bytesPerSecond, secondsLeft }: DownloadProgress,
  t: Translate,
): string {
  const amount = t(
    '{0}, {1} of {2}',
    percentText({ arrivedBytes, bytes }),
    formatSize(arrivedBytes),
    formatSize(bytes),
  );
  if (secondsLeft === undefined || arrivedBytes === bytes) return amount;
  return t('{0}, {1}/s, {2} left', amount, formatSize(bytesPerSecond), timeText(secondsLeft, t));
}

export function percentText({
  arrivedBytes,
  bytes,
}: Pick<DownloadProgress, 'arrivedBytes' | 'bytes'>): string {
  // 100 % only at the end.
  return formatPercent(bytes === 0 ? 0 : Math.floor((100 * arrivedBytes) / bytes) / 100);
}

function timeText(seconds: number, t: Translate): string {
  if (seconds < 100) return t('{0} s', Math.ceil(seconds));
  if (seconds < 100 * 60) return t('{0} min', Math.ceil(seconds / 60));
  return t('{0} h', (seconds / 3600).toFixed(1));
}
