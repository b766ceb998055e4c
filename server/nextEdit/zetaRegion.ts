// Chooses the lines that Zeta rewrites, its region, and the lines that it sees around them, as Zed's editor does: first
// lines on both sides of the cursor, then up to the ends of the blocks around it, then further lines.
import { blocksAround } from './blocksAround';
import type { Span } from './editWindow';

/** Tokens of the region. */
const REGION_TOKENS = 350;
/** Part of these tokens that is spent first, on lines on both sides of the cursor. */
const FIRST_TOKENS = 262;
/** Tokens of the lines around the region. */
const AROUND_TOKENS = 150;
const BYTES_PER_TOKEN = 3;

/** A span of lines that grows while there is room for more tokens. */
class GrowingSpan {
  from: number;
  to: number;

  constructor(
    private readonly lines: readonly string[],
    { from, to }: Span,
    /** Tokens that the span can still grow by. */
    public room: number,
  ) {
    this.from = from;
    this.to = to;
  }

  /** Spends room on the lines of the span, then adds lines below and above in turn until one does not fit. */
  growEvenly(): void {
    this.room = Math.max(0, this.room - this.#tokens(this.from, this.to));
    let isGrowing = true;
    while (isGrowing && this.room > 0 && (this.#canGrow('down') || this.#canGrow('up'))) {
      if (this.#canGrow('down')) isGrowing = this.#addLine('down');
      if (isGrowing && this.room > 0 && this.#canGrow('up')) isGrowing = this.#addLine('up');
    }
  }

  /** Grows to blocks, the smallest first, until one does not fit. Returns whether the span has grown. */
  growToBlocks(blocks: Iterable<Span>): boolean {
    const { from, to } = this;
    for (const block of blocks) {
      const start = Math.min(this.from, block.from);
      const end = Math.max(this.to, block.to);
      const tokens = this.#tokens(start, this.from) + this.#tokens(this.to, end);
      if (tokens > this.room) break;
      this.from = start;
      this.to = end;
      this.room -= tokens;
    }
    return this.from < from || this.to > to;
  }

  /** Adds lines above and below in turn, until neither fits. */
  growByLines(isUpFirst: boolean): void {
    let isGrowing = true;
    while (isGrowing && this.room > 0) {
      const first = this.#addLine(isUpFirst ? 'up' : 'down');
      const second = this.room > 0 && this.#addLine(isUpFirst ? 'down' : 'up');
      isGrowing = first || second;
    }
  }

  #canGrow(way: 'up' | 'down'): boolean {
    return way === 'up' ? this.from > 0 : this.to < this.lines.length;
  }

  /** Adds one line if there is one and it fits; returns whether it did. */
  #addLine(way: 'up' | 'down'): boolean {
    if (!this.#canGrow(way)) return false;
    const line = way === 'up' ? this.from - 1 : this.to;
    const tokens = this.#tokens(line, line + 1);
    if (tokens > this.room) return false;
    this.room -= tokens;
    if (way === 'up') this.from -= 1;
    else this.to += 1;
    return true;
  }

  /** Estimates the tokens of lines; stops counting when they do not fit. */
  #tokens(from: number, to: number): number {
    let tokens = 0;
    for (let line = from; line < to && tokens <= this.room; line += 1)
      tokens += Math.max(1, Math.floor(Buffer.byteLength(this.lines[line] ?? '') / BYTES_PER_TOKEN));
    return tokens;
  }
}

/** Returns the region. It lacks the empty line after a final line break unless the cursor is there. */
export function zetaRegion(lines: readonly string[], cursorLine: number): Span {
  const region = new GrowingSpan(lines, { from: cursorLine, to: cursorLine + 1 }, FIRST_TOKENS);
  region.growEvenly();
  const { from, to } = region;
  region.room += REGION_TOKENS - FIRST_TOKENS;
  region.growToBlocks(blocksAround(lines, cursorLine));
  region.growByLines(from - region.from <= region.to - to);
  const isPastEnd = lines.at(-1) === '' && region.to === lines.length && cursorLine < lines.length - 1;
  return { from: region.from, to: region.to - (isPastEnd ? 1 : 0) };
}

/** Returns the region with the lines around it. */
export function zetaContext(lines: readonly string[], region: Span, cursorLine: number): Span {
  const context = new GrowingSpan(lines, region, AROUND_TOKENS);
  if (!context.growToBlocks(blocksAround(lines, cursorLine))) context.growByLines(true);
  return { from: context.from, to: context.to };
}
