// Words for an entry of the model catalogue, the same in the picker, in questions and in messages.
import type { CatalogueEntry, SpeedEstimate } from '../../server/modelCatalogue';
import { formatPercent, formatRate, formatSize } from '../../server/rules/format';
import type { Translate } from '../translate';

export function entryName({ kind, name, bits, drafter }: CatalogueEntry, t: Translate): string {
  if (kind === 'embedded') return t('The embedded pair');
  if (kind === 'drafter') return t('{0} as drafter', name);
  const named = name === 'embedded' ? t('The embedded target') : name;
  const sized = kind === 'pair' && bits !== undefined ? t('{0} {1}-bit', named, bits) : named;
  return drafter === 'none' ? t('{0} without a drafter', sized) : sized;
}

/** FIM is what people look for; the others say how the model is asked instead. */
export function infillText(infill: NonNullable<CatalogueEntry['infill']>, t: Translate): string {
  switch (infill) {
    case 'fim':
      return 'FIM';
    case 'chat':
      return t('chat');
    case 'prefix':
      return t('prefix');
  }
}

export function speedText(speed: SpeedEstimate | undefined, t: Translate): string | undefined {
  if (speed === undefined) return undefined;
  const rate = formatRate(speed.tokensPerSecond);
  const words = classText(speed.class, t);
  return speed.isMeasured ? t('{0} ({1} tok/s)', words, rate) : t('{0} (about {1} tok/s)', words, rate);
}

/** How far a download is that was begun. */
export function arrivedText({ arrivedBytes, downloadBytes }: CatalogueEntry, t: Translate): string {
  if (downloadBytes === undefined) return t('paused after {0}', formatSize(arrivedBytes));
  const percent = formatPercent(arrivedBytes / downloadBytes);
  return t('paused at {0} of {1}', percent, formatSize(downloadBytes));
}

function classText(speedClass: SpeedEstimate['class'], t: Translate): string {
  switch (speedClass) {
    case 'instant':
      return t('instant');
    case 'fast':
      return t('fast');
    case 'moderate':
      return t('moderate');
    case 'slow':
      return t('slow');
  }
}
