// `node dist/bench/run.js nextEdit`: judges suggestions of next edits on commits of the user's repositories.
import { basename } from 'node:path';
import { parseArguments, parseChoice, parseCount } from '../../server/cli/arguments';
import { loadEngine, pairHelp, PAIR_OPTIONS, parsePair } from '../../server/cli/pairArguments';
import { interruptSignal } from '../../server/cli/interruptSignal';
import { USUAL_PROMPT_TOKENS } from '../../server/completion/prompt/promptTokens';
import { RecordingDecoder } from '../../server/hosting/recordingDecoder';
import { createModel } from '../../server/hosting/model';
import type { Engine } from '../../server/engine/engine';
import type { EditFormat } from '../../server/nextEdit/editFormat';
import { knownFormat } from '../../server/nextEdit/knownFormats';
import type { EditModel } from '../../server/nextEdit/nextEditSession';
import type { EditDecoder } from '../../server/nextEdit/proposal';
import { WrongValue } from '../../server/rules/userError';
import { percent, printReport, requireWritable, say, tableOf } from '../report';
import { percentiles } from '../replay/percentiles';
import { commitChanges } from './commitHunks';
import { editStates, STRATA, type EditState } from './editStates';
import { judgeState, type Judged } from './judgeStates';
import { Noise, ReplayRule, Truth } from './standIns';

export const HELP = `node dist/bench/run.js nextEdit --repository DIR [options]

Measures suggestions of the next edit on the commits of git repositories: some hunks of a file are done, and the next one
is to be suggested. It repeats the last replacement (same), has only names of its old lines and of the last hunk (copy)
or is any other (other); in 40 % of the states, nothing is to be suggested. Prints a table and, as its last line, JSON.

  --repository DIR      git directory, with or without a work tree; may be repeated
  --states N            number of states (default: 200)
  --commits N           newest commits of each repository that are read (default: 3000)
  --stand-in NAME       in place of a model: rule replays the last replacement, truth writes the text of the commit,
                        noise writes words in any order
  --format NAME         format of a target whose name does not show it: sweep, sweep-v2 or zeta-2.1; stand-ins write
                        sweep (by default) or zeta-2.1
  --seed N              seed of the choice of states, and of noise (default: 1)
  --json FILE           also write the JSON to this file${pairHelp('adaptive')}`;

/** Model names that select a format, by the values of --format. */
const MODEL_NAMES: Readonly<Record<string, string>> = {
  sweep: 'sweep-next-edit-1.5b',
  'sweep-v2': 'sweep-next-edit-v2-7b',
  'zeta-2.1': 'zeta-2.1',
};

type CreateStandIn = (state: EditState, format: EditFormat, seed: number) => EditDecoder;

const STAND_INS = {
  rule: () => new ReplayRule(),
  truth: (state, format) => new Truth(state, format),
  noise: (_state, _format, seed) => new Noise(seed),
} satisfies Readonly<Record<string, CreateStandIn>>;
type StandInName = keyof typeof STAND_INS;
const STAND_IN_NAMES = Object.keys(STAND_INS) as StandInName[];

/** Maximum length of a stand-in's prompt, in tokens; longer than a model's, as it takes no time to read. */
const STAND_IN_PROMPT_TOKENS = 4096;

/** Counts of each decode; empty for stand-ins, which decode nothing. */
interface Costs {
  readonly tokens: number[];
  readonly rounds: number[];
  readonly drafted: number[];
  readonly accepted: number[];
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArguments({
    args,
    options: {
      ...PAIR_OPTIONS,
      repository: { type: 'string', multiple: true },
      states: { type: 'string' },
      commits: { type: 'string' },
      'stand-in': { type: 'string' },
      format: { type: 'string' },
      seed: { type: 'string' },
      json: { type: 'string' },
    },
  });
  const { repository: repositories = [], json } = values;
  const number = (name: 'states' | 'commits' | 'seed', byDefault: number): number =>
    parseCount(`--${name}`, values[name] ?? String(byDefault), { min: 1, max: 1_000_000 });
  if (repositories.length === 0)
    throw new WrongValue({ expected: '--repository DIR', got: 'none', remedy: 'name a git directory' });
  const chosen = values['stand-in'];
  const standIn = chosen === undefined ? undefined : parseChoice('--stand-in', chosen, STAND_IN_NAMES);
  requireWritable(json);
  const changes = repositories.flatMap((directory) => commitChanges(directory, number('commits', 3000)));
  const states = editStates(changes, number('states', 200), number('seed', 1));
  say(`${String(states.length)} states from ${String(changes.length)} changed files`);
  const costs: Costs = { tokens: [], rounds: [], drafted: [], accepted: [] };
  const results =
    standIn === undefined
      ? await withModel(parsePair(values, 'adaptive'), values.format, states, costs)
      : await judgedAll(states, (state) => standInModel(standIn, state, number('seed', 1), values.format));
  const report = reportOf(results, costs);
  printReport(rendered(report, results), { model: standIn ?? modelName(values.target), ...report }, json);
}

function modelName(target: string | undefined): string {
  return target === undefined ? 'embedded' : basename(target);
}

function standInModel(name: StandInName, state: EditState, seed: number, formatName = 'sweep'): EditModel {
  const format = formatOf(formatName, undefined);
  const create: CreateStandIn = STAND_INS[name];
  return { format, decoder: create(state, format, seed), promptTokens: STAND_IN_PROMPT_TOKENS };
}

async function withModel(
  pair: ReturnType<typeof parsePair>,
  format: string | undefined,
  states: readonly EditState[],
  costs: Costs,
): Promise<readonly Judged[]> {
  const engine = await loadEngine(pair, 0);
  try {
    return await judgedAll(states, () => modelOf(engine, pair, format, costs));
  } finally {
    await engine.dispose();
  }
}

function modelOf(
  engine: Engine,
  { target = '', draftLength }: ReturnType<typeof parsePair>,
  format: string | undefined,
  costs: Costs,
): EditModel {
  const { tokenizer } = engine;
  if (tokenizer === undefined)
    throw new WrongValue({
      expected: 'tokenizer.json in the target directory',
      got: 'none',
      remedy: 'add it',
    });
  const model = createModel('bench', { engine, target, drafter: undefined });
  const recording = new RecordingDecoder(model, { kind: 'nextEdit', draftLength, repetitionGuard: true });
  const record = (): void => {
    const stats = recording.decodes.at(-1)?.stats;
    costs.tokens.push(stats?.emittedTokens ?? 0);
    costs.rounds.push(stats?.rounds ?? 0);
    costs.drafted.push(stats?.draftedTokens ?? 0);
    costs.accepted.push(stats?.acceptedTokens ?? 0);
  };
  const decoder = Object.assign(recording, { record });
  return {
    format: formatOf(format ?? basename(target), tokenizer),
    decoder,
    promptTokens: USUAL_PROMPT_TOKENS,
  };
}

function formatOf(name: string, tokenizer: Engine['tokenizer']): EditFormat {
  const format = knownFormat(MODEL_NAMES[name] ?? name, tokenizer, tokenizer === undefined);
  if (format) return format;
  const expected = 'a target that was trained for next edits, or --format sweep, sweep-v2 or zeta-2.1';
  throw new WrongValue({ expected, got: `"${name}"`, remedy: 'name a format whose tokens the target has' });
}

async function judgedAll(
  states: readonly EditState[],
  model: (state: EditState) => EditModel,
): Promise<readonly Judged[]> {
  const signal = interruptSignal();
  const results: Judged[] = [];
  for (const state of states) {
    if (signal.aborted) break;
    results.push(await judgeState(state, model(state)));
  }
  return results;
}

function reportOf(results: readonly Judged[], { tokens, rounds, drafted, accepted }: Costs) {
  const shown = results.filter(({ isShown }) => isShown);
  const withEdit = results.filter(({ stratum }) => stratum !== 'nothing');
  const withoutEdit = results.filter(({ stratum }) => stratum === 'nothing');
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return {
    states: results.length,
    exact: share(withEdit, ({ isExact }) => isExact),
    exactText: share(withEdit, ({ isExactText }) => isExactText),
    usefulFires: share(shown, ({ isUseful }) => isUseful),
    wrongFires: share(shown, ({ isUseful }) => !isUseful),
    correctSilence: share(withoutEdit, ({ isShown }) => !isShown),
    reversals: share(shown, ({ isReversal }) => isReversal),
    tokens: percentiles(tokens),
    rounds: percentiles(rounds),
    tokensPerRound: sum(rounds) === 0 ? null : sum(tokens) / sum(rounds),
    accepted: sum(drafted) === 0 ? null : sum(accepted) / sum(drafted),
    ms: percentiles(results.map(({ ms }) => ms)),
  };
}

/** Returns the share of results that meet a condition; 0 without results. */
function share(results: readonly Judged[], is: (result: Judged) => boolean): number {
  return results.length === 0 ? 0 : results.filter(is).length / results.length;
}

function rendered(report: ReturnType<typeof reportOf>, results: readonly Judged[]): string {
  const rows = STRATA.map((stratum) => ({
    stratum,
    ofStratum: results.filter((result) => result.stratum === stratum),
  }));
  const cell = (of: readonly Judged[], is: (result: Judged) => boolean): string =>
    of.length === 0 ? '' : percent(share(of, is));
  const table = tableOf(rows, {
    stratum: ({ stratum }) => stratum,
    states: ({ ofStratum }) => String(ofStratum.length),
    shown: ({ ofStratum }) => cell(ofStratum, ({ isShown }) => isShown),
    exact: ({ ofStratum }) => cell(ofStratum, ({ isExact }) => isExact),
    'exact text': ({ ofStratum }) => cell(ofStratum, ({ isExactText }) => isExactText),
    useful: ({ ofStratum }) => cell(ofStratum, ({ isUseful }) => isUseful),
  });
  const { wrongFires, correctSilence, reversals, tokens, rounds, tokensPerRound, ms } = report;
  const p50AndP95 = ({ p50, p95 }: { p50: number | null; p95: number | null }): string =>
    p50 === null || p95 === null ? 'none' : `p50 ${p50.toFixed(0)}, p95 ${p95.toFixed(0)}`;
  return [
    table,
    `wrong of all shown: ${percent(wrongFires)}; correct silence: ${percent(correctSilence)}; reversals: ${percent(reversals)}`,
    `tokens to the end of the change: ${p50AndP95(tokens)}; rounds: ${p50AndP95(rounds)}; tokens a round: ${tokensPerRound?.toFixed(1) ?? 'none'}`,
    `ms: ${p50AndP95(ms)}`,
  ].join('\n');
}
