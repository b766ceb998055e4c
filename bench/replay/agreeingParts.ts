// Determines which part of a suggestion a user who knows the wanted text accepts: all, a line, or the correct words one
// by one.

const WORD = /^\s*(?:[\p{L}\p{N}_$]+|[^\s\p{L}\p{N}_$]+|$)/u;
/** Least characters to accept; fewer are faster to type. */
const LEAST = 3;

/** Returns the parts to accept, in order; none if the suggestion begins wrongly or too little of it is correct. */
export function agreeingParts(ghost: string, wanted: string, mode: 'whole' | 'line' | 'word'): string[] {
  const line = ghost.slice(0, ghost.indexOf('\n') + 1 || ghost.length);
  const agrees = (part: string): boolean => part !== '' && wanted.startsWith(part);
  if (mode === 'whole' && agrees(ghost)) return enough([ghost]);
  if (mode !== 'word' && agrees(line)) return enough([line]);
  const parts: string[] = [];
  for (let rest = ghost, behind = wanted; rest !== '';) {
    const word = WORD.exec(rest)?.[0] ?? rest;
    if (word === '' || !behind.startsWith(word)) break;
    parts.push(word);
    rest = rest.slice(word.length);
    behind = behind.slice(word.length);
  }
  return enough(parts);
}

function enough(parts: string[]): string[] {
  return parts.join('').length >= LEAST ? parts : [];
}
