// Remembers where the user has recently typed in open files, and places that the user has left, also in files that were
// closed since.
import type { CompletionContext, DocumentSnapshot } from './context';
import { withLf } from './lineEnds';

/** Whole lines around an offset, as they were when the user edited them or moved on. */
export interface Excerpt {
  readonly uri: string;
  readonly fileName: string;
  readonly offset: number;
  readonly text: string;
}

/** The place in a document that the cursor has not left yet. */
interface CurrentPlace {
  readonly document: DocumentSnapshot;
  /** Offset at which the cursor came to the place. */
  readonly arrivedAt: number;
  /** Latest offset of the cursor. */
  readonly offset: number;
}

const KEPT_EDITS = 8;
/** Edits within this many characters of each other count as one place. */
const EDIT_REACH = 400;
const KEPT_PLACES = 16;
/** Characters that belong to a place on each side of its offset. */
const PLACE_REACH = 400;

/** The recent places of one client. Callers pass it only documents that may enter prompts. */
export class RecentPlaces {
  /** Edits, newest first; only the newest one of each place. */
  #edits: readonly Excerpt[] = [];
  /** Places that were left, newest first; only the newest visit of each. */
  #placesLeft: readonly Excerpt[] = [];
  #current: CurrentPlace | undefined;

  /** Records an edit after which the cursor is at `offset`. */
  edited(document: DocumentSnapshot, offset: number): void {
    const edit = excerptAt(document, offset);
    this.#edits = [edit, ...farFrom(edit, this.#edits, EDIT_REACH)].slice(0, KEPT_EDITS);
    this.visited(document, offset);
  }

  /**
   * Records that the cursor is at `offset`. If that is far from where the last place began, the last place was left.
   */
  visited(document: DocumentSnapshot, offset: number): void {
    const current = this.#current;
    const isNear =
      current?.document.uri === document.uri && Math.abs(current.arrivedAt - offset) <= 2 * PLACE_REACH;
    if (!isNear) this.#leave();
    this.#current = { document, offset, arrivedAt: isNear ? current.arrivedAt : offset };
  }

  /** Forgets the edits in a closed document. Places left in it stay. */
  closed(uri: string): void {
    if (this.#current?.document.uri === uri) this.#leave();
    this.#edits = this.#edits.filter((edit) => edit.uri !== uri);
  }

  /** Forgets the places left in all documents that are not kept. */
  keep(isKept: (uri: string) => boolean): void {
    this.#placesLeft = this.#placesLeft.filter(({ uri }) => isKept(uri));
    if (this.#current && !isKept(this.#current.document.uri)) this.#current = undefined;
  }

  /** Returns the newest edits in other documents. */
  editsOutside(uri: string, count: number): readonly Excerpt[] {
    return this.#edits.filter((edit) => edit.uri !== uri).slice(0, count);
  }

  /**
   * Returns places left in other documents, and those more than `reach` characters away in this one. Distances are
   * measured from where the current place began, so the result stays the same while the user types.
   */
  placesLeftOutside({ uri, offset }: CompletionContext, reach: number): readonly Excerpt[] {
    const from = this.#current?.document.uri === uri ? this.#current.arrivedAt : offset;
    return farFrom({ uri, offset: from }, this.#placesLeft, reach);
  }

  #leave(): void {
    const current = this.#current;
    this.#current = undefined;
    if (!current) return;
    const excerpt = excerptAt(current.document, current.offset);
    this.#placesLeft = [excerpt, ...farFrom(excerpt, this.#placesLeft, PLACE_REACH)].slice(0, KEPT_PLACES);
  }
}

/** Returns the places in other documents, and those more than `distance` characters away in this one. */
function farFrom(
  { uri, offset }: { readonly uri: string; readonly offset: number },
  places: readonly Excerpt[],
  distance: number,
): readonly Excerpt[] {
  return places.filter((place) => place.uri !== uri || Math.abs(place.offset - offset) > distance);
}

/** Returns the whole lines around an offset. */
function excerptAt({ uri, fileName, text }: DocumentSnapshot, offset: number): Excerpt {
  const from = Math.max(0, offset - PLACE_REACH);
  const around = withLf(text.slice(from, offset + PLACE_REACH));
  const start = from === 0 ? 0 : around.indexOf('\n') + 1;
  const end = offset + PLACE_REACH >= text.length ? around.length : around.lastIndexOf('\n');
  return { uri, fileName, offset, text: around.slice(start, Math.max(start, end)) };
}
