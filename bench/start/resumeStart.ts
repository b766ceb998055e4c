// What it gains to resume: starts with and without what an earlier process has stored, by turns, the time from
// spawning the server to its first suggestion in a long file.
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { SourceLocation } from '../../server/cli/sourceLocation';
import { table } from '../../server/cli/statsTable';
import { median } from '../../server/rules/median';
import { benchMachine } from '../benchMachine';
import { documentOf, suggestion } from './measureStart';
import { startedServer, type ServerFiles } from './startedServer';

export interface ResumeRun {
  readonly ms: number;
  readonly promptTokens: number;
  readonly reusedTokens: number;
}

/** One turn: what was read with the store and without. */
export interface ResumeTurn {
  readonly stored: ResumeRun;
  readonly cold: ResumeRun;
}

const SETTINGS = { prefetch: 'never' } as const;

async function startWith(
  files: ServerFiles,
  place: SourceLocation,
  storeFolder: string | undefined,
): Promise<ResumeRun & { readonly text: string }> {
  const server = startedServer(files);
  try {
    await server.client.initialize({ ...SETTINGS, ...(storeFolder !== undefined && { storeFolder }) });
    const document: TextDocument = documentOf(place, '');
    server.client.open(document);
    const { text, at } = await suggestion(server, document, place.prefix.length);
    const [row] = server.client.rows;
    if (row === undefined) throw new Error('Expected the statistics of a suggestion, got none');
    // It has stored what was read by then.
    await server.end();
    const { promptTokens, reusedTokens } = row.stats;
    return { ms: at - server.spawnedAt, promptTokens, reusedTokens, text };
  } finally {
    server.kill();
  }
}

/** In the order that alternates, after a first start that stores. Throws unless both give the same text. */
export async function measureResume(
  files: ServerFiles,
  place: SourceLocation,
  storeFolder: string,
  turns: number,
): Promise<ResumeTurn[]> {
  const { text: expected } = await startWith(files, place, storeFolder);
  const measured: ResumeTurn[] = [];
  while (measured.length < turns) {
    const isFirst = measured.length % 2 === 0;
    const one = await startWith(files, place, isFirst ? storeFolder : undefined);
    const two = await startWith(files, place, isFirst ? undefined : storeFolder);
    for (const { text } of [one, two])
      if (text !== expected) throw new Error('Expected the same suggestion with the store and without it');
    measured.push(isFirst ? { stored: one, cold: two } : { stored: two, cold: one });
  }
  return measured;
}

export function resumeReport(storedBytes: number, turns: readonly ResumeTurn[]) {
  const [first] = turns;
  const ratios = turns.map(({ stored, cold }) => cold.ms / stored.ms);
  return {
    turns: turns.length,
    ...benchMachine(),
    promptTokens: first?.cold.promptTokens ?? 0,
    reusedTokens: first?.stored.reusedTokens ?? 0,
    storedBytes,
    coldMs: rounded(median(turns.map(({ cold }) => cold.ms))),
    storedMs: rounded(median(turns.map(({ stored }) => stored.ms))),
    ratio: Number(median(ratios).toFixed(2)),
    ratios: ratios.map((ratio) => Number(ratio.toFixed(2))),
  };
}

export function renderResume(report: ReturnType<typeof resumeReport>): string {
  const { promptTokens, reusedTokens, storedBytes, coldMs, storedMs, ratio, ratios } = report;
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
  const lines = table([
    ['', 'ms to the first suggestion', 'tokens read'],
    ['nothing stored', String(coldMs), String(promptTokens)],
    ['stored', String(storedMs), String(promptTokens - reusedTokens)],
  ]);
  const sizes = `${String(Math.round(storedBytes / 1e6))} MB on disk`;
  const range = `${least.toFixed(2)} to ${most.toFixed(2)}`;
  const title = `Start in a long file (medians of ${String(report.turns)} turns, ${sizes})`;
  return `${title}\n${lines}\n  ratio ${ratio.toFixed(2)} (${range})\n`;
}

function rounded(ms: number): number {
  return Math.round(ms);
}
