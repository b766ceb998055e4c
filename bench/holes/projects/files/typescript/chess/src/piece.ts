export enum PieceKind {
  Pawn = 'pawn',
  Knight = 'knight',
  Bishop = 'bishop',
  Rook = 'rook',
  Queen = 'queen',
  King = 'king',
}

export type Side = 'white' | 'black';

export interface Piece {
  readonly kind: PieceKind;
  readonly side: Side;
  readonly hasMoved: boolean;
}

export function opposite(side: Side): Side {
  return side === 'white' ? 'black' : 'white';
}
