// `npm run bench:kept`: how well the probability that a suggestion is kept tells good suggestions from others, and the
// weights for server/completion/keepProbability.ts.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import {
  loadPair,
  pairHelp,
  PAIR_OPTIONS,
  parseArguments,
  parseCount,
  parsePair,
} from '../../server/cli/arguments';
import { interruptSignal } from '../../server/cli/interruptSignal';
import { keepFeatures } from '../../server/completion/keepProbability';
import { InputError } from '../../server/inputError';
import { mediaPath } from '../../server/mediaPath';
import { fillHoles, type Fill } from '../holes/fillHoles';
import { readHoles, spread } from '../holes/holes';
import { agreeingParts } from '../replay/agreeingParts';
import { requireWritableFile } from '../writableFile';
import { keptReport, renderKept, type FileSample } from './keptReport';

const HELP = `npm run bench:kept -- [options]

Fills the holes of bench:holes, and fits the probability that a person would accept some of an answer, from the target's
own probabilities and the length of its first line. Prints what each threshold would have hidden, by weights that were
fitted without the file in question, the weights of all files together, and, as its last line, JSON.

  --holes N             number of holes, evenly spread (default: all)
  --json FILE           write the JSON to this file (default: bench/results/kept.json)${pairHelp('full')}`;

async function main(args: string[]): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) return void process.stdout.write(`${HELP}\n`);
  const options = { ...PAIR_OPTIONS, holes: { type: 'string' }, json: { type: 'string' } } as const;
  const { values } = parseArguments({ args, options });
  const pair = parsePair(values);
  const all = readHoles(mediaPath('../bench/holes'));
  const max = all.length;
  const holes = spread(all, parseCount('--holes', values.holes ?? String(max), { min: 6, max }));
  if (values.json !== undefined) requireWritableFile('--json', values.json);
  const { draftLength } = pair;
  const signal = interruptSignal();
  const engine = await loadPair(pair, 0);
  const samples: FileSample[] = [];
  try {
    for await (const fill of fillHoles(engine, holes, { draftLength, tellsProbabilities: true, signal })) {
      if (fill.signs === undefined) continue;
      samples.push({ path: fill.hole.path, features: keepFeatures(fill.signs), isKept: isKept(fill) });
    }
  } finally {
    await engine.dispose();
  }
  if (signal.aborted) return;
  const report = keptReport(samples);
  const json = JSON.stringify({ ...report, device: engine.device });
  const file = values.json ?? mediaPath('../bench/results/kept.json');
  mkdirSync(dirname(resolve(file)), { recursive: true });
  writeFileSync(file, `${json}\n`);
  process.stdout.write(`${renderKept(report)}\n${json}\n`);
}

/** Whether a person would accept some of it: words from its start on, if that is faster than typing them. */
function isKept({ hole: { source, start }, text }: Fill): boolean {
  return agreeingParts(text, source.slice(start), 'word').length > 0;
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const known = error instanceof InputError;
  const text = known ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`bench:kept: ${text ?? ''}\n`);
  process.exitCode = known ? 2 : 1;
});
