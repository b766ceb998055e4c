// Visits 50 files in a server in this process with a small budget and prints what memory that took, as JSON.
// Started by visitedFiles.test.ts, so that nothing else in the process counts.
import { settle } from '../../server/completion/settle';
import { liveArrays } from '../../server/models/memory';
import { seededIntegers } from '../support/seededRandom';
import { EditorClient } from './editorClient';
import { RecordedServer } from './recordedServer';

interface Visit {
  readonly residentBytes: number;
  readonly rssBytes: number;
  readonly liveArrays: number;
}

export interface VisitReport {
  readonly budgetBytes: number;
  /** After each of them. */
  readonly visits: readonly Visit[];
  readonly reusedTokens: number;
  /** Before anything was read, and after the budget was set to nothing. */
  readonly idleArrays: number;
  readonly finalArrays: number;
  readonly finalResidentBytes: number;
}

const FILES = 50;
const CHARACTERS = 1500;
const BUDGET_MB = 64;
const WORDS = ['count', 'total', 'names', 'index', 'value', 'items', 'result', 'sum', 'first', 'last'];

/** Different from the first line on, so that no file is the beginning of another. */
function text(file: number): string {
  const words = seededIntegers(file, 1000, 0, WORDS.length - 1).map((i) => WORDS[i] ?? '');
  let code = `// File ${String(file)}\n`;
  for (let i = 0; code.length < CHARACTERS; i += 4) {
    const [name = '', a = '', b = '', c = ''] = words.slice(i, i + 4);
    code += `function ${name}${String(i)}(${a}: number, ${b}: number) {\n  return ${a} + ${c} * ${b};\n}\n`;
  }
  return `${code}const end = ║;\n`;
}

async function visit(): Promise<VisitReport> {
  const server = await RecordedServer.start(settle);
  const { engine } = server;
  const idleArrays = liveArrays();
  const client = new EditorClient(server.reader, server.writer);
  const settings = { debounceMs: 0, maxSuggestionTokens: 4, prefetch: 'never', useOpenFiles: false };
  await client.initialize({ ...settings, cacheMemoryMB: BUDGET_MB });
  const visits: Visit[] = [];
  for (let file = 0; file < FILES; file++) {
    const place = await client.open(`file${String(file)}.ts`, text(file));
    await client.complete(place);
    await client.complete(await client.type(place, '1 + ', 2));
    const { residentBytes } = engine;
    visits.push({ residentBytes, rssBytes: process.memoryUsage.rss(), liveArrays: liveArrays() });
  }
  const reusedTokens = client.rows.reduce((sum, { stats }) => sum + stats.reusedTokens, 0);
  await client.settings({ ...settings, cacheMemoryMB: 0 });
  await client.history();
  return {
    budgetBytes: 1e6 * BUDGET_MB,
    visits,
    reusedTokens,
    idleArrays,
    finalArrays: liveArrays(),
    finalResidentBytes: engine.residentBytes,
  };
}

void visit().then((report) => {
  console.log(JSON.stringify(report));
  process.exit();
});
