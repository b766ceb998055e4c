// `flashline replay`: how long suggestions take while a person types, as tables and, in the last line, as JSON.
import { interruptSignal } from '../../server/cli/interruptSignal';
import { benchMachine } from '../benchMachine';
import { printReport, requireWritable, say } from '../report';
import { figures } from './figures';
import { isLossless } from './lossless';
import { replayArguments } from './replayArguments';
import { renderFigures } from './replayReport';
import { sources } from './sources';
import { newTrace, type Trace } from './trace';
import type { Played } from './typist';

/** Lines of progress. */
const STEPS = 10;

export { HELP } from './replayArguments';

export async function run(args: string[]): Promise<void> {
  const given = replayArguments(args);
  const { settings, verify, json, speed, patienceMs } = given;
  requireWritable(json);
  const files = sources(given.files);
  const trace = newTrace(files, given);
  const signal = interruptSignal();
  const onProgress = progress('keys', trace.keys);
  const run = { trace, settings, typing: { speed, patienceMs, signal, onProgress } };
  const { played, lossless } =
    verify === 'never'
      ? { played: await (await import('./playProcess')).playProcess(run), lossless: undefined }
      : await (
          await import('./playVerified')
        ).playVerified(run, given.pair, (all) => progress('decodes', all));
  requireTyped(trace, played);
  const { keys, seed } = given;
  const report = {
    ...figures(played, settings.debounceMs),
    ...(lossless && { lossless }),
    ...{ keys, seed, speed, patienceMs, debounceMs: settings.debounceMs },
    files: files.map(({ fileName }) => fileName),
    ...benchMachine(),
  };
  printReport(renderFigures(report), report, json);
  if (lossless && !isLossless(lossless)) process.exitCode = 1;
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
