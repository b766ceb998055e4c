// Reads the examples in media/examples, and finds places in them by line and column.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const EXAMPLES = 'media/examples';

export interface ExamplePlace {
  readonly file: string;
  readonly text: string;
  readonly offset: number;
}

/** Returns the example and offset of a place such as "shoppingCart.ts:20:22", with line and column counted from 1. */
export function examplePlace(place: string): ExamplePlace {
  const [file = '', line = '1', column = '1'] = place.split(':');
  const text = readFileSync(join(EXAMPLES, file), 'utf8');
  const lines = text.split('\n').slice(0, Number(line) - 1);
  return { file, text, offset: lines.join('\n').length + (lines.length > 0 ? 1 : 0) + Number(column) - 1 };
}
