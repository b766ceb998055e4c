// One start: the time from spawning the server to its first suggestion, and the time from the next key to the next
// suggestion after the models have left memory, each with its parts.
import { setTimeout as pause } from 'node:timers/promises';
import { CancellationToken, type InlineCompletionItem } from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { SourceLocation } from '../../server/cli/sourceLocation';
import { partsOf, type PartedTime, type Parts } from './partsOf';
import { now, startedServer, type ServerFiles, type StartedServer } from './startedServer';

export interface MeasuredStart {
  readonly first: MeasuredSuggestion;
  readonly reloaded: MeasuredSuggestion;
}

export interface MeasuredSuggestion {
  readonly ms: number;
  readonly parts: Parts;
}

/** The models leave memory soon, as the benchmark waits for that, and nothing is prefetched. */
const SETTINGS = { unloadAfterMinutes: 0.005, prefetch: 'never' } as const;
const POLL_MS = 5;
/** For work that continues after the models have left memory. */
const REST_MS = 300;

export async function measureStart(files: ServerFiles, place: SourceLocation): Promise<MeasuredStart> {
  const server = startedServer(files);
  const { client, spawnedAt } = server;
  try {
    const { length } = place.prefix;
    await client.initialize(SETTINGS);
    client.open(documentOf(place, ''));
    const first = await suggestion(server, documentOf(place, ''), length);
    while (client.state !== 'asleep' && server.isRunning()) await pause(POLL_MS);
    await pause(REST_MS);
    // Like someone who accepts it, is away for a while, and continues on the next line.
    const typed = `${first.text}\n${indentation(place.prefix)}`;
    const changed = documentOf(place, typed);
    const typedAt = now();
    const cursor = changed.positionAt(length);
    client.change(changed, { start: cursor, end: cursor }, typed);
    const next = await suggestion(server, changed, length + typed.length);
    const { runsAt, marks } = await server.end();
    const begun = [{ name: 'process', at: runsAt }, ...marks.filter(({ at }) => at < typedAt)];
    return {
      first: measured(spawnedAt, begun, first),
      reloaded: measured(
        typedAt,
        marks.filter(({ at }) => at >= typedAt),
        next,
      ),
    };
  } finally {
    server.kill();
  }
}

interface Answered {
  readonly text: string;
  readonly at: number;
  readonly decodes: PartedTime['decodes'];
}

async function suggestion(
  { client }: StartedServer,
  document: TextDocument,
  offset: number,
): Promise<Answered> {
  const known = client.rows.length;
  const items = await client.complete(document, document.positionAt(offset), CancellationToken.None);
  const at = now();
  const [item] = items ?? [];
  if (item === undefined) throw new Error('Expected a suggestion at the example, got none');
  return { text: textOf(item), at, decodes: client.rows.slice(known).map(({ stats }) => stats) };
}

function measured(from: number, marks: PartedTime['marks'], { at, decodes }: Answered): MeasuredSuggestion {
  return { ms: at - from, parts: partsOf({ from, to: at, marks, decodes }) };
}

/** The document at the place, with `typed` inserted. */
function documentOf({ file, prefix, suffix }: SourceLocation, typed: string): TextDocument {
  const language = file.endsWith('.py') ? 'python' : 'typescript';
  return TextDocument.create(`file://${file}`, language, 1 + typed.length, prefix + typed + suffix);
}

function indentation(prefix: string): string {
  return /(?:^|\n)([ \t]*)[^\n]*$/.exec(prefix)?.[1] ?? '';
}

function textOf({ insertText }: InlineCompletionItem): string {
  return typeof insertText === 'string' ? insertText : insertText.value;
}
