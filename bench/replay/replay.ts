// `flashline replay`: how long suggestions take while a person types, as tables and, in the last line, as JSON.
import { loadPair, type PairArguments } from '../../server/cli/arguments';
import { interruptSignal } from '../../server/cli/interruptSignal';
import { settle } from '../../server/completion/session/suggest';
import { benchMachine } from '../benchMachine';
import { printReport, requireWritable, say } from '../report';
import { figures } from './figures';
import { isLossless, type Losslessness } from './lossless';
import { replayArguments } from './replayArguments';
import { ReplayClient } from './replayClient';
import { renderFigures } from './replayReport';
import { servedProcess } from './servedProcess';
import { sources } from './sources';
import { newTrace, type Trace } from './trace';
import { Typist, type Played } from './typist';

/** Lines of progress. */
const STEPS = 10;

export { HELP } from './replayArguments';

export async function run(args: string[]): Promise<void> {
  const given = replayArguments(args);
  const { settings, verify, json, keys, seed, speed, patienceMs } = given;
  requireWritable(json);
  const files = sources(given.files);
  const trace = newTrace(files, given);
  const signal = interruptSignal();
  const typed = async (client: ReplayClient): Promise<Played> => {
    await client.start(settings);
    const onProgress = progress('keys', trace.keys);
    return await new Typist(client, trace, { speed, patienceMs, signal, onProgress }).play();
  };
  const { played, lossless } = verify
    ? await playedHere(typed, given.pair, signal)
    : { played: await playedInProcess(typed) };
  requireTyped(trace, played);
  const report = {
    ...figures(played),
    ...(lossless && { lossless }),
    ...{ keys, seed, speed, patienceMs, debounceMs: settings.debounceMs },
    files: files.map(({ fileName }) => fileName),
    ...benchMachine(),
  };
  printReport(renderFigures(report), report, json);
  if (lossless && !isLossless(lossless)) process.exitCode = 1;
}

interface Verified {
  readonly played: Played;
  readonly lossless?: Losslessness;
}

async function playedInProcess(typed: (client: ReplayClient) => Promise<Played>): Promise<Played> {
  const { client, end } = servedProcess();
  return await typed(client).finally(end);
}

/** Against a server in this process, whose decodes are all checked afterwards. */
async function playedHere(
  typed: (client: ReplayClient) => Promise<Played>,
  pair: PairArguments,
  signal: AbortSignal,
): Promise<Verified> {
  const engine = await loadPair(pair);
  // Loads the native addon, so it is not imported at the top of the file.
  const { RecordedServer } = await import('./recordedServer');
  const server = new RecordedServer(engine, settle, pair);
  try {
    const played = await typed(new ReplayClient(server.reader, server.writer));
    return { played, lossless: await server.verify(signal, progress('decodes', server.decodes)) };
  } finally {
    await engine.dispose();
  }
}

/** Reports progress at every tenth of the total. */
function progress(what: string, all: number): (done: number) => void {
  let said = 0;
  return (done) => {
    const step = Math.floor((STEPS * done) / all);
    if (step <= said) return;
    said = step;
    say(`${String(done)} of ${String(all)} ${what}`);
  };
}

/** Figures of anything other than the trace would be worthless. */
function requireTyped({ documents }: Trace, { texts, interrupted }: Played): void {
  if (interrupted) return;
  for (const [i, { fileName, end }] of documents.entries())
    if (texts[i] !== undefined && texts[i] !== end)
      throw new Error(`Expected ${fileName} to read as the trace says, got another text`);
}
