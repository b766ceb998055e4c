// `flashline complete` and `flashline demo`: complete a file at a cursor and show the text in place.
import { relative, resolve } from 'node:path';
import { styleText } from 'node:util';
import { mayEnterPrompts } from '../completion/prompt/eligibility';
import { fimEndTokenIds } from '../completion/prompt/fimForm';
import type { DecodeResult } from '../engine/decode/decode';
import { severalSeeds, type SamplingOptions } from '../engine/request/sampling';
import { UserError, WrongValue } from '../rules/userError';
import { visibleJson, visibleText } from '../rules/visibleText';
import type { RemoteChoice } from '../remote/remoteEngine';
import { isProgram } from '../rules/remoteAddress';
import { parseArguments, parseCount } from './arguments';
import { loadEngine, pairHelp, PAIR_OPTIONS } from './pairArguments';
import { bundledExamples } from './bundledExamples';
import { decodeFillIn, holePrompt } from './fillIn';
import { interruptSignal } from './interruptSignal';
import { remoteArguments, REMOTE_HELP, REMOTE_OPTIONS } from './remoteArguments';
import { OUTPUT_OPTIONS, outputArguments, outputHelp, usesChance } from './samplingArguments';
import { readSourceLocation, type SourceLocation } from './sourceLocation';
import { statsObject } from '../engine/request/stats';
import { statsTable } from './statsTable';

const OPTIONS_HELP = `
  --json                print JSON instead, one object per text
  --max-tokens N        maximum length, in tokens (default: 64)
  --alternatives N      generate N texts with different seeds, reading the prompt once (default: 1)
  --allow-secret        with --remote, also send a file that may contain secrets, such as .env${pairHelp('adaptive')}${REMOTE_HELP}
${outputHelp('on')}`;

export const COMPLETE_HELP = `flashline complete FILE:LINE:COL [options]

Completes a file at a cursor and shows the suggestion in place, followed by the statistics of the request.
Lines and columns count from 1.
${OPTIONS_HELP}`;

export const DEMO_HELP = `flashline demo [FILE:LINE:COL] [options]

Does what "flashline complete" does, on a bundled example unless you give a location.
${OPTIONS_HELP}`;

/** Lines shown above and below the suggestion. The rest of the cursor's line counts as one of those below. */
const CONTEXT_LINES = 12;

export async function complete(args: string[]): Promise<void> {
  await run(args, (location) => location);
}

export async function demo(args: string[]): Promise<void> {
  // npm runs scripts in the package's folder, and INIT_CWD has the user's.
  const from = process.env['INIT_CWD'] ?? process.cwd();
  await run(args, (location) => (location === undefined ? bundledExamples()[0] : resolve(from, location)));
}

/** Runs either command. `choose` returns the location to complete, given the one on the command line. */
async function run(
  args: string[],
  choose: (location: string | undefined) => string | undefined,
): Promise<void> {
  const { values, positionals } = parseArguments({
    args,
    allowPositionals: true,
    options: {
      ...PAIR_OPTIONS,
      ...OUTPUT_OPTIONS,
      ...REMOTE_OPTIONS,
      json: { type: 'boolean', default: false },
      'max-tokens': { type: 'string', default: '64' },
      alternatives: { type: 'string', default: '1' },
      'allow-secret': { type: 'boolean', default: false },
    },
  });
  if (positionals.length > 1) {
    throw new WrongValue({
      expected: 'one FILE:LINE:COL',
      got: positionals.join(' '),
      remedy: 'complete one location at a time',
    });
  }
  const { pair, limits } = outputArguments(values, { draftLength: 'adaptive', guard: 'on' });
  const remote = remoteArguments(values);
  const { sampling, maxTokens } = limits;
  const count = parseCount('--alternatives', values.alternatives, { min: 1, max: 100 });
  const samplings = alternatives(sampling, count);
  const location = readSourceLocation(choose(positionals[0]));
  checkSecrets(location, remote, values['allow-secret']);
  // Several texts share one cached prompt; a single text needs no cache.
  const engine = remote
    ? await (await import('../remote/openRemote')).openRemote(remote)
    : await loadEngine(pair, count > 1 ? Infinity : 0);
  const signal = interruptSignal();
  try {
    const prompt = holePrompt(engine, location, maxTokens);
    const stopTokenIds = engine.tokenizer && fimEndTokenIds(engine.tokenizer);
    for (const drawSampling of samplings) {
      const request = { ...limits, stopTokenIds, sampling: drawSampling, signal };
      const result = await decodeFillIn(engine, prompt, request);
      process.stdout.write(values.json ? asJson(location, result) : inPlace(location, result, sampling));
      if (drawSampling === samplings[0] && 'hasOmittedSuffix' in engine && engine.hasOmittedSuffix)
        process.stderr.write(
          `flashline: ${visibleText(engine.remote.host)} cannot fill in, so it got only the text before the cursor\n`,
        );
      if (signal.aborted) return;
    }
  } finally {
    // A llama-server started by this command would keep the process alive.
    if (remote) await engine.dispose();
  }
}

/**
 * Warns if a file can contain secrets. Throws UserError instead if it would go to a server at an address, even one of
 * this machine, where a tunnel to another machine can begin. Does neither with --allow-secret.
 */
function checkSecrets(
  { file, prefix, suffix }: SourceLocation,
  remote: RemoteChoice | undefined,
  isAllowed: boolean,
): void {
  if (isAllowed || mayEnterPrompts(resolve(file), prefix + suffix)) return;
  if (remote !== undefined && !isProgram(remote.url))
    throw new UserError(
      `${file} may contain secrets. Leave --remote out, or add --allow-secret to send its text.`,
    );
  process.stderr.write(
    `flashline: ${visibleText(file)} may contain secrets; editors get no suggestions in it\n`,
  );
}

/** Returns the sampling options of `count` texts, whose seeds count up from the first. */
function alternatives(sampling: SamplingOptions, count: number): SamplingOptions[] {
  if (count === 1) return [sampling];
  if (!usesChance(sampling)) {
    throw new WrongValue({
      expected: '--temperature above 0 with --alternatives',
      got: String(sampling.temperature ?? 'none'),
      remedy: 'give one such as 0.8, as all texts would otherwise be the same',
    });
  }
  return severalSeeds(sampling, count);
}

function asJson({ file, line, column }: SourceLocation, { stats, ...result }: DecodeResult<null>): string {
  return `${visibleJson({ file, line, column, ...result, stats: statsObject(stats) })}\n`;
}

/** Formats the suggestion between the lines around it, followed by the statistics. */
function inPlace(
  { file, line, prefix, suffix }: SourceLocation,
  { text, stats }: DecodeResult<null>,
  sampling: SamplingOptions,
): string {
  const above = prefix
    .split('\n')
    .slice(-CONTEXT_LINES - 1)
    .join('\n');
  const below = suffix.split('\n').slice(0, CONTEXT_LINES).join('\n');
  const shown = visibleText(text ?? '');
  const ghost = process.stdout.isTTY ? styleText(['italic', 'cyan'], shown) : `⟦${shown}⟧`;
  const location = `${visibleText(relative(process.cwd(), file))}:${String(line)}`;
  return `${location}\n\n${visibleText(above)}${ghost}${visibleText(below)}\n\n${statsTable(stats, sampling)}\n`;
}
