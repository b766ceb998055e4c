// Translation of all texts that people read: `t` takes a literal, whose translations are in l10n/.
import { l10n } from 'vscode';

export const t = l10n.t;
