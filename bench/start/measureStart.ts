// Measures one start: the time from spawning the server to its first suggestion, and the time from the next key to the
// next suggestion after the models have left memory, each with its parts.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CancellationToken } from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { SourceLocation } from '../../server/cli/sourceLocation';
import type { RequestStats } from '../../server/engine/request/stats';
import { mediaPath } from '../../server/machine/folders';
import { servedProcess, type Served } from '../replay/servedProcess';
import { languageIdOf } from '../replay/sources';

export interface MeasuredStart {
  readonly first: MeasuredSuggestion;
  readonly reloaded: MeasuredSuggestion;
}

export interface MeasuredSuggestion {
  readonly ms: number;
  readonly parts: Parts;
}

/** Milliseconds by name, in order; `other` is the rest that no mark and no decode accounts for. */
export type Parts = Readonly<Record<string, number>>;

/** Output of reportMarks.ts. Times are milliseconds since 1970. */
export interface ReportedMarks {
  /** Time at which the process ran its first line of JavaScript. */
  readonly runsAt: number;
  /** Marks for the ends of stages, in order. */
  readonly marks: readonly Mark[];
}

interface Mark {
  readonly name: string;
  readonly at: number;
}

interface Answer {
  readonly text: string;
  readonly requestedAt: number;
  readonly at: number;
  readonly decodes: readonly RequestStats[];
}

/** Settings that unload the models soon, as the benchmark waits for that, and prefetch nothing. */
const SETTINGS = { unloadAfterMinutes: 0.005, prefetch: 'never' } as const;
const POLL_MS = 5;
/** Pause for work that continues after the models have left memory. */
const REST_MS = 300;

/** Measures a start in an empty cache folder, without anything stored by earlier runs. */
export async function measureStart(location: SourceLocation): Promise<MeasuredStart> {
  const cache = mkdtempSync(join(tmpdir(), 'flashline-start-'));
  const file = join(cache, 'marks.json');
  try {
    const spawnedAt = now();
    const served = servedProcess(['--require', mediaPath('../dist/bench/reportMarks.js')], {
      FLASHLINE_CACHE: cache,
      FLASHLINE_MARKS: file,
    });
    const [first, next] = await suggestions(served, location, spawnedAt).finally(served.end);
    const { runsAt, marks } = JSON.parse(readFileSync(file, 'utf8')) as ReportedMarks;
    return {
      first: measured(first, [{ name: 'process', at: runsAt }, ...marks]),
      reloaded: measured(next, marks),
    };
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
}

/**
 * Requests a suggestion at the cursor, and another once the models have left memory, like a user who accepts, is away,
 * and continues on the next line.
 */
async function suggestions(served: Served, location: SourceLocation, spawnedAt: number) {
  const { client } = served;
  const { file, prefix, suffix } = location;
  const language = languageIdOf(file);
  const documentWith = (typed: string): TextDocument =>
    TextDocument.create(`file://${file}`, language, 1 + typed.length, prefix + typed + suffix);
  const before = documentWith('');
  await client.initialize(SETTINGS);
  client.open(before);
  const first = await suggestion(served, before, prefix.length, spawnedAt);
  while (client.state !== 'asleep' && served.isRunning()) await pause(POLL_MS);
  await pause(REST_MS);
  const [, indentation = ''] = /(?:^|\n)([ \t]*)[^\n]*$/.exec(prefix) ?? [];
  const typed = `${first.text}\n${indentation}`;
  const after = documentWith(typed);
  const cursor = after.positionAt(prefix.length);
  const typedAt = now();
  client.change(after, { start: cursor, end: cursor }, typed);
  return [first, await suggestion(served, after, prefix.length + typed.length, typedAt)] as const;
}

async function suggestion(
  { client }: Served,
  document: TextDocument,
  offset: number,
  requestedAt: number,
): Promise<Answer> {
  const earlierCount = client.rows.length;
  const [item] = (await client.complete(document, document.positionAt(offset), CancellationToken.None)) ?? [];
  const at = now();
  if (item === undefined)
    throw new Error('The server suggested nothing in the bundled example; try "flashline complete" there');
  const text = typeof item.insertText === 'string' ? item.insertText : item.insertText.value;
  return {
    text,
    requestedAt,
    at,
    decodes: client.rows.slice(earlierCount).map(({ stats }) => stats),
  };
}

/** Splits the time of an answer into parts: each mark in that time gets the time since the previous one. */
function measured({ requestedAt, at, decodes }: Answer, marks: readonly Mark[]): MeasuredSuggestion {
  const parts: Record<string, number> = {};
  let left = at - requestedAt;
  const add = (name: string, ms: number): void => {
    parts[name] = (parts[name] ?? 0) + ms;
    left -= ms;
  };
  let last = requestedAt;
  for (const mark of marks) {
    if (mark.at < last || mark.at > at) continue;
    add(mark.name, mark.at - last);
    last = mark.at;
  }
  for (const { prefillMs, decodeMs } of decodes) {
    add('prefill', prefillMs);
    add('decode', decodeMs);
  }
  return { ms: at - requestedAt, parts: { ...parts, other: left } };
}

function now(): number {
  return performance.timeOrigin + performance.now();
}
