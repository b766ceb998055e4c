import { opposite, PieceKind, type Piece, type Side } from './piece';
import { isOnBoard, parseSquare, squareName, type Square } from './square';

const WORTH: Record<PieceKind, number> = {
  [PieceKind.Pawn]: 1,
  [PieceKind.Knight]: 3,
  [PieceKind.Bishop]: 3,
  [PieceKind.Rook]: 5,
  [PieceKind.Queen]: 9,
  [PieceKind.King]: 0,
};

export class Board {
  private readonly pieces = new Map<string, Piece>();

  place(name: string, piece: Piece): void {
    const square = parseSquare(name);
    if (!isOnBoard(square)) throw new RangeError(`No square ${name}`);
    this.pieces.set(squareName(square), piece);
  }

  at(square: Square): Piece | undefined {
    return this.pieces.get(squareName(square));
  }

  canCastle(side: Side): boolean {
    const king = [...this.pieces.values()].find(
      (piece) => piece.side === side && piece.kind === PieceKind.King,
    );
    return king !== undefined && !king.hasMoved;
  }

  material(side: Side): number {
    let sum = 0;
    for (const piece of this.pieces.values()) {
      if (piece.side === side) sum += WORTH[piece.kind];
    }
    return sum;
  }

  advantage(side: Side): number {
    return this.material(side) - this.material(opposite(side));
  }
}
