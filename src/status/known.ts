// Numbers that a remote engine may not tell, as text.
import { t } from '../translate';

/** In the given form; a word for one that is not known. */
export function known(value: number | null, format: (value: number) => string = String): string {
  return value === null ? t('unknown') : format(value);
}
