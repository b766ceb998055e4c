// `flashline replay`: measures the time of suggestions during typing; prints tables and, as the last line, JSON.
import { loadPair, type PairArguments } from '../../server/cli/arguments';
import { interruptSignal } from '../../server/cli/interruptSignal';
import { settle } from '../../server/completion/session/settle';
import { benchMachine } from '../benchMachine';
import { printReport, requireWritable, say } from '../report';
import { figures } from './figures';
import { isLossless, type Losslessness } from './lossless';
import { replayArguments } from './replayArguments';
import { ReplayClient } from './replayClient';
import { renderFigures } from './replayReport';
import { servedProcess, type Served } from './servedProcess';
import { sources } from './sources';
import { newTrace, type Trace } from './trace';
import { Typist, type Played } from './typist';

/** Count of progress lines. */
const STEPS = 10;

export { HELP } from './replayArguments';

export async function run(args: string[]): Promise<void> {
  const parsed = replayArguments(args);
  const { settings, verify, json, keys, seed, speed, patienceMs } = parsed;
  requireWritable(json);
  const files = sources(parsed.files);
  const trace = newTrace(files, parsed);
  const signal = interruptSignal();
  const server: TypedServer = verify ? await checkedServer(parsed.pair, signal) : servedProcess();
  const typist = { speed, patienceMs, signal, onProgress: progress('keys', trace.keys) };
  let played: Played;
  let lossless: Losslessness | undefined;
  try {
    await server.client.start(settings);
    played = await new Typist(server.client, trace, typist).play();
    lossless = await server.check?.();
  } finally {
    await server.end();
  }
  requireTyped(trace, played);
  const report = {
    ...figures(played),
    ...(lossless && { lossless }),
    keys,
    seed,
    speed,
    patienceMs,
    debounceMs: settings.debounceMs,
    files: files.map(({ fileName }) => fileName),
    ...benchMachine(),
  };
  printReport(renderFigures(report), report, json);
  if (lossless && !isLossless(lossless)) process.exitCode = 1;
}

interface TypedServer extends Pick<Served, 'client' | 'end'> {
  /** Compares all decodes with the target alone. */
  readonly check?: () => Promise<Losslessness>;
}

/** Starts a server in this process, so that its decodes can be verified later. */
async function checkedServer(pair: PairArguments, signal: AbortSignal): Promise<TypedServer> {
  const engine = await loadPair(pair);
  // Import late, as it loads the native addon.
  const { RecordedServer } = await import('./recordedServer');
  const server = new RecordedServer(engine, settle, pair);
  return {
    client: new ReplayClient(server.reader, server.writer),
    check: () => server.verify(signal, progress('decodes', server.decodes)),
    end: () => engine.dispose(),
  };
}

/** Reports progress at every tenth of the total. */
function progress(unit: string, total: number): (done: number) => void {
  let reported = 0;
  return (done) => {
    const step = Math.floor((STEPS * done) / total);
    if (step <= reported) return;
    reported = step;
    say(`${String(done)} of ${String(total)} ${unit}`);
  };
}

/** Throws if the final texts differ from the trace, since the figures would then be worthless. */
function requireTyped({ documents }: Trace, { texts, interrupted }: Played): void {
  if (interrupted) return;
  for (const [i, { fileName, end }] of documents.entries())
    if (texts[i] !== undefined && texts[i] !== end)
      throw new Error(`The typed ${fileName} differs from its trace, so the figures are void; report this`);
}
