// Determines the part of a suggestion that is accepted by a user who knows the text to type: all, a line, or the
// correct words one by one.

const WORD = /^\s*(?:[\p{L}\p{N}_$]+|[^\s\p{L}\p{N}_$]+|$)/u;
/** Minimum number of characters to accept; fewer are faster to type. */
const MIN_CHARACTERS = 3;

/** Returns the parts to accept, in order; none if the suggestion begins wrongly or too little of it is correct. */
export function agreeingParts(ghost: string, toType: string, mode: 'whole' | 'line' | 'word'): string[] {
  const line = ghost.slice(0, ghost.indexOf('\n') + 1 || ghost.length);
  const agrees = (part: string): boolean => part !== '' && toType.startsWith(part);
  if (mode === 'whole' && agrees(ghost)) return enough([ghost]);
  if (mode !== 'word' && agrees(line)) return enough([line]);
  const parts: string[] = [];
  for (let ghostRest = ghost, toTypeRest = toType; ghostRest !== '';) {
    const word = WORD.exec(ghostRest)?.[0] ?? ghostRest;
    if (word === '' || !toTypeRest.startsWith(word)) break;
    parts.push(word);
    ghostRest = ghostRest.slice(word.length);
    toTypeRest = toTypeRest.slice(word.length);
  }
  return enough(parts);
}

function enough(parts: string[]): string[] {
  return parts.join('').length >= MIN_CHARACTERS ? parts : [];
}
