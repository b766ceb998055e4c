// Chooses between the sources of a setting.

/** Returns the first text that is not blank, trimmed. */
export function firstText(texts: readonly (string | undefined)[]): string | undefined {
  return texts.map((text) => text?.trim()).find((text) => text !== undefined && text !== '');
}
