// The part of a suggestion that is accepted by a person who knows what comes next: all of it, a line, or word by word
// as far as it is right.

const WORD = /^\s*(?:[\p{L}\p{N}_$]+|[^\s\p{L}\p{N}_$]+|$)/u;
/** Fewer characters are faster to type. */
const LEAST = 3;

/** The parts in the order of accepting; none if the suggestion begins wrongly or too little of it is right. */
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
