// `node dist/bench/run.js infill FILE`: runs a published benchmark of infilling from a file of the user.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArguments, parseCount } from '../../server/cli/arguments';
import { loadEngine, pairHelp, PAIR_OPTIONS, parsePair } from '../../server/cli/pairArguments';
import { interruptSignal } from '../../server/cli/interruptSignal';
import { decodeFillIn, holePrompt, tokenizerOf } from '../../server/cli/fillIn';
import { fimEndTokenIds } from '../../server/completion/prompt/fimForm';
import type { DraftLength } from '../../server/engine/decode/decode';
import type { Engine } from '../../server/engine/engine';
import { WrongValue } from '../../server/rules/userError';
import { spread } from '../holes/holes';
import { percent, printReport, requireWritable, say } from '../report';
import { areSingleLines, inPlace, isExact, readProblems, type Problem } from './problems';
import { passes } from './runTests';

export const HELP = `node dist/bench/run.js infill FILE [options]

Fills in the problems of a file of HumanEval infilling (JSON lines), greedily and without the editor's rules, and prints
how many answers are exactly what was there. Answers of the single-line set end with their line. Lists the answers that
are not exact on stderr; the last line is JSON.

  --run                 also run the tests of each problem with its answer, with python3. A model
                        wrote the answers; limits of time, memory and files stop accidents, not attacks
  --problems N          use only N problems, evenly spread (default: all)
  --max-tokens N        maximum length of an answer (default: 128)
  --json FILE           also write the JSON to this file${pairHelp('full')}`;

interface Judged {
  readonly isExact: boolean;
  readonly passes?: boolean | undefined;
}

export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArguments({
    args,
    allowPositionals: true,
    options: {
      ...PAIR_OPTIONS,
      run: { type: 'boolean', default: false },
      problems: { type: 'string' },
      'max-tokens': { type: 'string', default: '128' },
      json: { type: 'string' },
    },
  });
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0)
    throw new WrongValue({
      expected: 'one FILE',
      got: positionals.join(' ') || 'none',
      remedy: 'name one file',
    });
  requireWritable(values.json);
  const all = readProblems(readFileSync(file, 'utf8'));
  if (all.length === 0)
    throw new WrongValue({
      expected: `problems in ${file}`,
      got: 'an empty file',
      remedy: 'give a file of the HumanEval infilling sets, unpacked',
    });
  const max = all.length;
  const problems = spread(all, parseCount('--problems', values.problems ?? String(max), { min: 1, max }));
  const maxTokens = parseCount('--max-tokens', values['max-tokens'], { min: 1, max: 2048 });
  const pair = parsePair(values);
  const engine = await loadEngine(pair, 0);
  try {
    const signal = interruptSignal();
    const options = { maxTokens, isLine: areSingleLines(problems), draftLength: pair.draftLength, signal };
    const judged: Judged[] = [];
    for (const problem of problems) {
      const answer = await answerOf(engine, problem, options);
      if (signal.aborted) return;
      reportMiss(answer, problem, `${String(judged.length + 1)}/${String(problems.length)}`);
      judged.push({
        isExact: isExact(answer, problem),
        passes: values.run ? await passes(problem, inPlace(answer, problem, options.isLine)) : undefined,
      });
    }
    report(basename(file), judged, values.json);
  } finally {
    await engine.dispose();
  }
}

interface AnswerOptions {
  readonly maxTokens: number;
  readonly isLine: boolean;
  readonly draftLength: DraftLength;
  readonly signal: AbortSignal;
}

async function answerOf(
  engine: Engine,
  { prompt: prefix, suffix }: Problem,
  { isLine, ...options }: AnswerOptions,
): Promise<string> {
  const prompt = holePrompt(engine, { fileName: 'solution.py', prefix, suffix }, options.maxTokens);
  const stopTokenIds = fimEndTokenIds(tokenizerOf(engine));
  const { text } = await decodeFillIn(engine, prompt, {
    ...options,
    stopTokenIds,
    stopStrings: isLine ? ['\n'] : [],
  });
  return text ?? '';
}

/** Prints an answer that is not exact. `progress` is the number of its problem, such as 3/40. */
function reportMiss(answer: string, problem: Problem, progress: string): void {
  if (isExact(answer, problem)) return;
  const [expected, got] = [problem.canonical_solution, answer].map((text) => JSON.stringify(text));
  say(`${progress} ${problem.task_id}: expected ${String(expected)}, got ${String(got)}`);
}

function report(file: string, judged: readonly Judged[], json: string | undefined): void {
  const share = (isCounted: (answer: Judged) => boolean | undefined): number =>
    judged.filter(isCounted).length / judged.length;
  const ran = judged.some((answer) => answer.passes !== undefined);
  const exact = share((answer) => answer.isExact);
  const passed = share((answer) => answer.passes);
  const text = `${file}: ${String(judged.length)} problems, ${percent(exact)} exact`;
  const figures = { file, problems: judged.length, exact, ...(ran && { passed }) };
  printReport(ran ? `${text}, ${percent(passed)} pass` : text, figures, json);
}
