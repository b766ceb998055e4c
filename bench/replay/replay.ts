// `flashline replay`: measures the time of suggestions during typing; prints tables and, as the last line, JSON.
import { interruptSignal } from '../../server/cli/interruptSignal';
import { benchMachine } from '../benchMachine';
import { printReport, requireWritable, say } from '../report';
import { figures } from './figures';
import { replayArguments } from './replayArguments';
import { renderFigures } from './replayReport';
import { servedProcess } from './servedProcess';
import { sources } from './sources';
import { newTrace, type Trace } from './trace';
import { Typist, type Played } from './typist';

/** Count of progress lines. */
const STEPS = 10;

export { HELP } from './replayArguments';

export async function run(args: string[]): Promise<void> {
  const parsed = replayArguments(args);
  const { settings, json, keys, seed, speed, patienceMs } = parsed;
  requireWritable(json);
  const files = sources(parsed.files);
  const trace = newTrace(files, parsed);
  const signal = interruptSignal();
  const server = servedProcess();
  const typist = { speed, patienceMs, signal, onProgress: progress(trace.keys) };
  let played: Played;
  try {
    await server.client.start(settings);
    played = await new Typist(server.client, trace, typist).play();
  } finally {
    await server.end();
  }
  requireTyped(trace, played);
  const report = {
    ...figures(played),
    keys,
    seed,
    speed,
    patienceMs,
    debounceMs: settings.debounceMs,
    files: files.map(({ fileName }) => fileName),
    ...benchMachine(),
  };
  printReport(renderFigures(report), report, json);
}

/** Returns a function that reports progress at every tenth of the total number of keys. */
function progress(total: number): (done: number) => void {
  let reported = 0;
  return (done) => {
    const step = Math.floor((STEPS * done) / total);
    if (step <= reported) return;
    reported = step;
    say(`${String(done)} of ${String(total)} keys`);
  };
}

/** Throws if the final texts differ from the trace, since the figures would then be worthless. */
function requireTyped({ documents }: Trace, { texts, interrupted }: Played): void {
  if (interrupted) return;
  for (const [i, { fileName, end }] of documents.entries())
    if (texts[i] !== undefined && texts[i] !== end)
      throw new Error(`The typed ${fileName} differs from its trace, so the figures are void; report this`);
}
