// How the texts that people read are translated: `t` takes a literal, whose translations are in l10n/.
import { l10n } from 'vscode';

export const t = l10n.t;
