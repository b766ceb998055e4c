// `npm run bench:lengths`: adaptive draft lengths compared with fixed ones on three kinds of prompts, as a table and,
// in the last line, as JSON.
import { basename } from 'node:path';
import {
  loadPair,
  pairHelp,
  PAIR_OPTIONS,
  parseArguments,
  parseCount,
  parsePair,
} from '../../server/cli/arguments';
import { InputError } from '../../server/inputError';
import { mediaPath } from '../../server/mediaPath';
import { usableModel } from '../../server/lsp/usableModel';
import { benchPrompts, continuationPrompt, type Place } from '../decode/benchPrompts';
import { decodeBench, type DecodeBenchResult } from '../decode/decodeBench';
import { readHoles, spread, type Hole } from '../holes/holes';
import { TEXT_PROMPTS } from './textPrompts';

const HELP = `npm run bench:lengths -- [options]

Compares draft lengths: decodes plainly, with several fixed lengths and adaptively, interleaved in one run. The prompts
are holes in bundled files, with and without the text after them, and 8 texts that are not code. Prints a table and, as
its last line, JSON. The slowest prompt is chosen among those whose answer has at least 8 tokens.

  --holes N             number of the holes of bench:holes to use, evenly spread; with few, the best fixed length is
                        down to luck (default: 32)
  --repeats N           number of repeats (default: 3)
  --max-tokens N        tokens per prompt (default: 40)${pairHelp('full')}

--draft-length is ignored.`;

const DRAFT_LENGTHS = [3, 5, 7, 11];

async function main(args: string[]): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) return void process.stdout.write(`${HELP}\n`);
  const options = {
    ...PAIR_OPTIONS,
    holes: { type: 'string' },
    repeats: { type: 'string' },
    'max-tokens': { type: 'string' },
  } as const;
  const { values } = parseArguments({ args, options });
  const pair = parsePair(values);
  const repeats = parseCount('--repeats', values.repeats ?? '3', { min: 1, max: 1000 });
  const maxTokens = parseCount('--max-tokens', values['max-tokens'] ?? '40', { min: 2, max: 1000 });
  const all = readHoles(mediaPath('../bench/holes'));
  const holes = spread(all, parseCount('--holes', values.holes ?? '32', { min: 1, max: all.length }));
  const engine = await loadPair(pair);
  try {
    const { layout } = usableModel('', { engine, target: '', drafter: undefined });
    const code = benchPrompts(engine, maxTokens, layout, holes.map(placeOf));
    const kinds = {
      holes: code.filter((_, i) => i % 2 === 0),
      continuations: code.filter((_, i) => i % 2 === 1),
      texts: TEXT_PROMPTS.map((prefix) => continuationPrompt(engine, { prefix }, maxTokens)),
    };
    const draftLengths = DRAFT_LENGTHS.filter((length) => length <= engine.maxDraftTokens);
    const report: Record<string, DecodeBenchResult> = {};
    for (const [kind, prompts] of Object.entries(kinds)) {
      const progress = (text: string): void => void process.stderr.write(`${kind}: ${text}\n`);
      report[kind] = await decodeBench(engine, { prompts, draftLengths, maxTokens, repeats, progress });
    }
    process.stdout.write(`${Object.entries(report).map(line).join('\n')}\n${JSON.stringify(report)}\n`);
  } finally {
    await engine.dispose();
  }
}

function placeOf({ path, source, start, end }: Hole): Place {
  return { fileName: basename(path), prefix: source.slice(0, start), suffix: source.slice(end) };
}

function line([kind, { plainMsPerToken, lengths, adaptive }]: readonly [string, DecodeBenchResult]): string {
  const fixed = lengths.map(({ draftLength, speedup }) => `${String(draftLength)}: ${speedup.toFixed(2)}`);
  const { speedup, overBestFixed, worstPrompt } = adaptive;
  return [
    `${kind}: plain ${plainMsPerToken.toFixed(2)} ms/token, times plain: ${fixed.join(', ')}, adaptive: ${speedup.toFixed(2)}`,
    `  adaptive / best fixed length      ${overBestFixed.toFixed(2)}`,
    `  adaptive / plain, slowest prompt  ${worstPrompt.toFixed(2)}`,
  ].join('\n');
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const known = error instanceof InputError;
  const text = known ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`bench:lengths: ${text ?? ''}\n`);
  process.exitCode = known ? 2 : 1;
});
