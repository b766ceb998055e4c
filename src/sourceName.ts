// Who wrote a token, in words: the same in the panel and in the draft overlay.
import type { TokenPiece } from '../server/protocol';
import { t } from './translate';

export function sourceName(source: TokenPiece['source']): string {
  switch (source) {
    case 'prefill':
      return t('from prefill (reading the prompt)');
    case 'draft':
      return t('draft token, accepted by the target');
    case 'target':
      return t('written by the target: corrects a draft token or follows the last one');
  }
}
