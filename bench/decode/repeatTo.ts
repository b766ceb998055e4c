// A prompt of an exact length, made from a shorter or longer one.

export function repeatTo(tokens: readonly number[], length: number): number[] {
  return Array.from({ length }, (_, i) => tokens[i % tokens.length] ?? 0);
}
