// How the texts that people read are translated: `t` takes a literal. There is no translation yet.
import { l10n } from 'vscode';

export const t = l10n.t;
