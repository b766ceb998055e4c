// Words for the entries of the model catalogue and their downloads, the same in the picker, questions and messages.
import type {
  CatalogueEntry,
  DownloadProgress,
  MachineFacts,
  SpeedEstimate,
} from '../../server/protocol/modelCatalogue';
import { formatPercent, formatRate, formatSize } from '../../server/rules/numbers';
import { t } from '../translate';

export function entryName({ kind, name, bits, drafter, drafterKind }: CatalogueEntry): string {
  if (kind === 'embedded') return t('Built-in pair');
  if (kind === 'drafter') return t('{0} (drafter)', name);
  const named = name === 'embedded' ? t('Built-in target') : name;
  const sized = kind === 'pair' && bits !== undefined ? t('{0} {1}-bit', named, bits) : named;
  if (drafterKind !== undefined) return t('{0} with {1}', sized, drafterKind);
  return drafter === 'none' && kind !== 'pair' ? t('{0} without a drafter', sized) : sized;
}

/** How a model is prompted that cannot fill in the middle. */
export function infillText(infill: CatalogueEntry['infill']): string | undefined {
  if (infill === 'chat') return t('prompted as a chat');
  return infill === 'prefix' ? t('sees only the code before the cursor') : undefined;
}

export function speedText(speed: SpeedEstimate | undefined): string | undefined {
  if (speed === undefined) return undefined;
  const rate = formatRate(speed.tokensPerSecond);
  const words = {
    instant: t('instant'),
    fast: t('fast'),
    moderate: t('moderate'),
    slow: t('slow'),
  }[speed.class];
  return speed.isMeasured ? t('{0} ({1} tok/s)', words, rate) : t('{0} (about {1} tok/s)', words, rate);
}

/** What the user should know before downloading gigabytes, one line each. */
export function questionLines(
  { downloadBytes, arrivedBytes, license, memoryBytes, speed, problem }: CatalogueEntry,
  machine: MachineFacts,
): string[] {
  const missing = downloadBytes === undefined ? undefined : downloadBytes - arrivedBytes;
  const rate = speedText(speed);
  const lines = [
    missing !== undefined &&
      t('Download: {0} ({1} free on disk)', formatSize(missing), formatSize(machine.freeDiskBytes)),
    memoryBytes !== undefined &&
      t('Memory: {0} ({1} available for models)', formatSize(memoryBytes), formatSize(machine.usableBytes)),
    t('Licence: {0}', license ?? t('not stated')),
    rate !== undefined && t('Speed without drafts: {0}', rate),
    problem,
  ];
  return lines.filter((line) => typeof line === 'string');
}

/** Such as "43 %, 1.2 GB of 2.8 GB, 12 MB/s, 2 min left". */
export function progressText(progress: DownloadProgress): string {
  const { arrivedBytes, bytes, bytesPerSecond, secondsLeft } = progress;
  const amount = t('{0}, {1} of {2}', percentText(progress), formatSize(arrivedBytes), formatSize(bytes));
  if (secondsLeft === undefined || arrivedBytes === bytes) return amount;
  return t('{0}, {1}/s, {2} left', amount, formatSize(bytesPerSecond), timeText(secondsLeft));
}

export function percentText({ arrivedBytes, bytes }: DownloadProgress): string {
  // 100 % only at the end.
  return formatPercent(bytes === 0 ? 0 : Math.floor((100 * arrivedBytes) / bytes) / 100);
}

function timeText(seconds: number): string {
  if (seconds < 100) return t('{0} s', Math.ceil(seconds));
  if (seconds < 100 * 60) return t('{0} min', Math.ceil(seconds / 60));
  return t('{0} h', (seconds / 3600).toFixed(1));
}
