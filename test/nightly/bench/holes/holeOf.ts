// A hole in a made-up file, as tests write it: with marks in the text.
import type { Hole, HoleKind } from '../../../../bench/holes/holes';
import { markedDocument } from '../../../support/cursor';

export interface HoleOptions {
  readonly path?: string;
  readonly kind?: HoleKind;
}

/** `marked` is the whole file. */
export function holeOf(marked: string, { path = 'typescript/a.ts', kind = 'rest' }: HoleOptions = {}): Hole {
  const { text, offset, inserted } = markedDocument(marked);
  return {
    path,
    file: path,
    language: path.split('/', 1).join(),
    kind,
    line: text.slice(0, offset).split('\n').length,
    source: text.slice(0, offset) + inserted + text.slice(offset),
    start: offset,
    end: offset + inserted.length,
  };
}
