// The texts among a model's files, which somebody else wrote: nothing but a file is read, and none that
// would fill the memory. A byte order mark is no part of a text.
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';

/** The chat template for tools, as transformers writes it: the only file in a folder that is read. */
export const TOOL_TEMPLATE = 'additional_chat_templates/tool_use.jinja';
/** Says which file has which tensor, where there are several. */
export const WEIGHT_INDEX = 'model.safetensors.index.json';
/** The largest tokenizers take half of it. */
const MOST_BYTES = 64e6;

/** Throws an Error that says what is there instead. */
export function readModelText(file: string): string {
  // Twice as fast for large files as to read a text, and without the mark.
  return new TextDecoder().decode(readModelBytes(file));
}

/** The same, undecoded, or its first bytes. */
export function readModelBytes(file: string, most = Infinity): Buffer {
  const stats = statSync(file);
  // Others, such as a pipe, might never end.
  if (!stats.isFile()) throw new Error('no file');
  if (stats.size > MOST_BYTES) throw new Error(`a file of ${String(stats.size)} bytes`);
  if (stats.size <= most) return readFileSync(file);
  const start = Buffer.alloc(most);
  const opened = openSync(file, 'r');
  try {
    return start.subarray(0, readSync(opened, start));
  } finally {
    closeSync(opened);
  }
}
