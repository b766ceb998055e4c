// Where the person was lately: the text around places that were left, in files that are open and in files closed since.
// Does not know which of them is worth quoting.
import type { DocumentSnapshot } from './context';
import { withLf } from '../text/lineEnds';

/** Whole lines around it, as they were when it was left. */
export interface Place extends Pick<DocumentSnapshot, 'uri' | 'fileName' | 'text'> {
  readonly offset: number;
}

interface Here {
  readonly document: DocumentSnapshot;
  readonly arrivedAt: number;
  readonly offset: number;
}

/** Characters on each side that belong to a place. */
const AROUND = 400;
const KEPT = 16;

/** Must only be given documents that may enter a prompt. */
export class Places {
  /** Newest first, and only the newest of one place. */
  #left: readonly Place[] = [];
  #here: Here | undefined;

  /** The cursor is there now; further away than a place reaches, another one is left. */
  visit(document: DocumentSnapshot, offset: number): void {
    const here = this.#here;
    const isNear = here?.document.uri === document.uri && Math.abs(here.arrivedAt - offset) <= 2 * AROUND;
    if (!isNear) this.#leave();
    this.#here = { document, offset, arrivedAt: isNear ? here.arrivedAt : offset };
  }

  /** What was left there stays. */
  closed(uri: string): void {
    if (this.#here?.document.uri === uri) this.#leave();
  }

  /** Keeps only places in these documents. */
  keepOnly(isKept: (uri: string) => boolean): void {
    this.#left = this.#left.filter(({ uri }) => isKept(uri));
    if (this.#here && !isKept(this.#here.document.uri)) this.#here = undefined;
  }

  /**
   * For a cursor in a document: those in others, and those that are more than `reach` characters away in the same one.
   * As seen from where the person came to, so that they stay the same while something is typed there.
   */
  elsewhere(uri: string, offset: number, reach: number): readonly Place[] {
    const from = this.#here?.document.uri === uri ? this.#here.arrivedAt : offset;
    return this.#left.filter((place) => place.uri !== uri || Math.abs(place.offset - from) > reach);
  }

  #leave(): void {
    const here = this.#here;
    this.#here = undefined;
    if (here) this.#left = [placeAt(here.document, here.offset), ...this.#others(here)].slice(0, KEPT);
  }

  #others({ document: { uri }, offset }: Here): readonly Place[] {
    return this.#left.filter((place) => place.uri !== uri || Math.abs(place.offset - offset) > AROUND);
  }
}

export function placeAt({ uri, fileName, text }: DocumentSnapshot, offset: number): Place {
  const from = Math.max(0, offset - AROUND);
  const around = withLf(text.slice(from, offset + AROUND));
  const start = from === 0 ? 0 : around.indexOf('\n') + 1;
  const end = offset + AROUND >= text.length ? around.length : around.lastIndexOf('\n');
  return { uri, fileName, offset, text: around.slice(start, Math.max(start, end)) };
}
