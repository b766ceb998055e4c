// Drops a suggestion in which there is nothing to see.

export function whitespaceOnly(text: string): string {
  return text.trim() === '' ? '' : text;
}
