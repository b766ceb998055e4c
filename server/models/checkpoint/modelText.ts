// The texts among a model's files, which somebody else wrote: nothing but a file is read, and none that
// would fill the memory. A byte order mark is no part of a text.
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';

/** The chat template for tools, as transformers writes it: the only file in a folder that is read. */
export const TOOL_TEMPLATE = 'additional_chat_templates/tool_use.jinja';
/** The largest tokenizers take half of it. */
const MOST_BYTES = 64e6;

/** Throws an Error that says what is there instead. */
export function readModelText(file: string): string {
  const size = sizeOfFile(file);
  if (size > MOST_BYTES) throw new Error(`a file of ${String(size)} bytes`);
  // Twice as fast for large files as to read a text, and without the mark.
  return new TextDecoder().decode(readFileSync(file));
}

/** At most the first `bytes` of it, undecoded: that takes the longest. */
export function readModelStart(file: string, bytes: number): Buffer {
  const start = Buffer.alloc(Math.min(bytes, sizeOfFile(file)));
  const opened = openSync(file, 'r');
  try {
    return start.subarray(0, readSync(opened, start));
  } finally {
    closeSync(opened);
  }
}

function sizeOfFile(file: string): number {
  const stats = statSync(file);
  // Others, such as a pipe, might never end.
  if (!stats.isFile()) throw new Error('no file');
  return stats.size;
}
