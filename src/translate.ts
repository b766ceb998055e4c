// How pure files get the words that a person reads: vscode.l10n.t, handed to them as an argument.
// They never import vscode for it, so that they run in plain unit tests.

export type Translate = (message: string, ...values: (string | number | boolean)[]) => string;
