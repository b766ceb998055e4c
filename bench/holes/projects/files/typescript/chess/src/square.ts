export type File = 'a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h';

export interface Square {
  readonly file: File;
  readonly rank: number;
}

export const BOARD_SIZE = 8;

export function parseSquare(name: string): Square {
  return { file: name[0] as File, rank: Number(name[1]) };
}

export function squareName(square: Square): string {
  return `${square.file}${square.rank}`;
}

export function isOnBoard(square: Square): boolean {
  return square.rank >= 1 && square.rank <= BOARD_SIZE;
}
