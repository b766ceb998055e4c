// One start: the time from spawning the server to its first suggestion, and the time from the next key to the next
// suggestion after the models have left memory.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CancellationToken } from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { SourceLocation } from '../../server/cli/sourceLocation';
import { servedProcess, type Served } from '../replay/servedProcess';
import { languageIdOf } from '../replay/sources';

/** Milliseconds. */
export interface MeasuredStart {
  readonly first: number;
  readonly reloaded: number;
}

/** The models leave memory soon, as the benchmark waits for that, and nothing is prefetched. */
const SETTINGS = { unloadAfterMinutes: 0.005, prefetch: 'never' } as const;
const POLL_MS = 5;
/** For work that continues after the models have left memory. */
const REST_MS = 300;

/** Without anything known from earlier runs. */
export async function measureStart(place: SourceLocation): Promise<MeasuredStart> {
  const cache = mkdtempSync(join(tmpdir(), 'flashline-start-'));
  try {
    const spawnedAt = performance.now();
    const served = servedProcess({ FLASHLINE_CACHE: cache });
    return await suggestions(served, place, spawnedAt).finally(served.end);
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
}

/** At the place, and once the models have left memory, like someone who accepts, is away, and continues on the next line. */
async function suggestions(served: Served, place: SourceLocation, spawnedAt: number): Promise<MeasuredStart> {
  const { client } = served;
  const { file, prefix, suffix } = place;
  const language = languageIdOf(file);
  const documentWith = (typed: string): TextDocument =>
    TextDocument.create(`file://${file}`, language, 1 + typed.length, prefix + typed + suffix);
  const before = documentWith('');
  await client.initialize(SETTINGS);
  client.open(before);
  const text = await suggestion(served, before, prefix.length);
  const first = performance.now() - spawnedAt;
  while (client.state !== 'asleep' && served.isRunning()) await pause(POLL_MS);
  await pause(REST_MS);
  const [, indentation = ''] = /(?:^|\n)([ \t]*)[^\n]*$/.exec(prefix) ?? [];
  const typed = `${text}\n${indentation}`;
  const after = documentWith(typed);
  const cursor = after.positionAt(prefix.length);
  const typedAt = performance.now();
  client.change(after, { start: cursor, end: cursor }, typed);
  await suggestion(served, after, prefix.length + typed.length);
  return { first, reloaded: performance.now() - typedAt };
}

async function suggestion({ client }: Served, document: TextDocument, offset: number): Promise<string> {
  const [item] = (await client.complete(document, document.positionAt(offset), CancellationToken.None)) ?? [];
  if (item === undefined) throw new Error('Expected a suggestion at the example, got none');
  return typeof item.insertText === 'string' ? item.insertText : item.insertText.value;
}
