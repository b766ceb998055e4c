// What units of src/ get as `vscode` outside of VS Code (test/build.mjs puts it in its place): fake words in English,
// and the values that pure parts make. Whatever else they would call is missing, so that a test of it fails.

export const l10n = {
  /** Puts values into a message. */
  t: (message: string, ...values: (string | number | boolean)[]): string =>
    message.replace(/\{(\d+)\}/g, (part, index) => String(values[Number(index)] ?? part)),
};

export const QuickPickItemKind = { Separator: -1, Default: 0 };

export class ThemeIcon {
  constructor(readonly id: string) {}
}

export class Position {
  constructor(
    readonly line: number,
    readonly character: number,
  ) {}
}
