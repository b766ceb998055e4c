// `flashline bench`: what speculation gives on this machine, as a table and, in the last line, as JSON.
import { writeFileSync } from 'node:fs';
import { InputError } from '../../inputError';
import { pairHelp, PAIR_OPTIONS, parseArguments, parseCount, parsePair } from '../arguments';
import { bundledExamples, promptFor } from '../complete';
import { loadPair } from '../loadPair';
import { readSourceLocation } from '../sourceLocation';
import { requireWritableFile } from '../writableFile';

export const BENCH_HELP = `flashline bench [options]

Decodes the bundled prompts plainly, with several draft lengths and adaptively, interleaved in one run after a warm-up, and
measures single steps. Prints a table and, as its last line, JSON. Takes some minutes.

  --json FILE           write the JSON to a file too
  --repeats N           repeats, at least 5 for figures worth quoting (default: 5)
  --max-tokens N        tokens per prompt (default: 64)${pairHelp('full')}

With --draft-length N only that fixed length is measured.`;

const DRAFT_LENGTHS = [3, 5, 7, 11];

export async function bench(args: string[]): Promise<void> {
  const { values } = parseArguments({
    args,
    options: {
      ...PAIR_OPTIONS,
      json: { type: 'string' },
      repeats: { type: 'string', default: '5' },
      'max-tokens': { type: 'string', default: '64' },
    },
  });
  const pair = parsePair(values);
  const repeats = parseCount('--repeats', values.repeats, { min: 1, max: 1000 });
  const maxTokens = parseCount('--max-tokens', values['max-tokens'], { min: 2, max: 1000 });
  if (values.json !== undefined) requireWritableFile('--json', values.json);
  const engine = await loadPair(pair);
  const draftLengths = lengthsToMeasure(engine.maxDraftTokens, values['draft-length'] && pair.draftLength);
  const prompts = bundledExamples().map((place) => promptFor(engine, readSourceLocation(place), maxTokens));
  const [longest = []] = [...prompts].sort((a, b) => b.length - a.length);
  const progress = (text: string): void => void process.stderr.write(`${text}\n`);
  // Not at the top of the file, as they load the native addon like the engine does.
  const { decodeBench } = await import('./decodeBench');
  const { prefillSpeed } = await import('./prefillSpeed');
  const { verifyCost } = await import('./verifyCost');
  const { benchReport, renderReport } = await import('./report');
  await engine.calibrate(new AbortController().signal);
  const report = benchReport({
    decoded: await decodeBench(engine, { prompts, draftLengths, maxTokens, repeats, progress }),
    verify: await verifyCost(engine.target, longest, repeats),
    prefillTokensPerSecond: await prefillSpeed(engine, longest, repeats),
    prompts: prompts.length,
    maxTokens,
    repeats,
  });
  const json = JSON.stringify(report);
  if (values.json !== undefined) writeFileSync(values.json, `${json}\n`);
  process.stdout.write(`${renderReport(report)}\n${json}\n`);
}

/** The usual lengths that the drafter can do and its full block, or only the one asked for. */
function lengthsToMeasure(longest: number, wanted: number | string | undefined): number[] {
  const usual = wanted === undefined || wanted === '' || wanted === 'adaptive';
  const given = usual || wanted === 'full' ? longest : Number(wanted);
  const lengths = usual ? [...DRAFT_LENGTHS, longest] : [given];
  const possible = lengths.filter((length) => length > 0 && length <= longest);
  if (possible.length > 0) return [...new Set(possible)];
  if (longest === 0)
    throw new InputError({ expected: 'a drafter to measure', got: 'none', remedy: 'give --drafter DIR' });
  throw new InputError({
    expected: `a --draft-length from 1 to ${String(longest)} to measure`,
    got: String(given),
    remedy: 'give a length that the drafter can do',
  });
}
