// Why Flashline is silent, in words: for the status bar, the menu and the generate command.
// `manual` and `multiCursor` are states of a single request and never shown.
import type { GateReason } from './gate';
import type { Translate } from './translate';

export function reasonText(reason: GateReason, languageId: string, t: Translate): string {
  switch (reason) {
    case 'disabled':
      return t('Flashline is switched off.');
    case 'editor':
      return t('Inline suggestions are switched off in VS Code (editor.inlineSuggest.enabled).');
    case 'snoozed':
      return t('Flashline is snoozed.');
    case 'untrusted':
      return t('This workspace is not trusted.');
    case 'input':
      return t('This is not a file to write code in.');
    case 'readOnly':
      return t('This file is read-only.');
    case 'secret':
      return t('This file may hold secrets; its text is not read.');
    case 'excluded':
      return t('This file is excluded by the setting flashline.exclude.');
    case 'tooLarge':
      return t('This file is larger than 5 MB.');
    case 'binary':
      return t('This file is not text.');
    case 'minified':
      return t('This file is minified or has very long lines.');
    case 'language':
      return t('Flashline is switched off for {0}.', languageId);
    case 'manual':
      return t('Suggestions come on request only.');
    case 'multiCursor':
      return t('There are several cursors.');
  }
}
