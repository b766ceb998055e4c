// Special tokens in tokenizer_config.json, which are written as text or as an object with the text in it.

/** The spelling of such a token; empty where there is none. */
export function tokenText(value: unknown): string {
  if (typeof value === 'string') return value;
  const content = typeof value === 'object' && value !== null && 'content' in value ? value.content : '';
  return typeof content === 'string' ? content : '';
}
