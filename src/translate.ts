// How words that a person reads are translated: by `t`, each with a literal, which l10n/ has in other languages.
import { l10n } from 'vscode';

export const t = l10n.t;
