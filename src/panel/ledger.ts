// The ledger: what speculation saved and what it cost, for the last request and for all that are shown. Only sums of
// counters and ratios of such sums: nothing here guesses what plain decoding would have taken, comparison.ts measures that.
import type { StatsRow } from '../../server/protocol';
import { formatMs, formatPercent, formatRatio } from '../format';
import { t } from '../translate';
import { html, numberCell, table, type Html } from './html';

type SourceStats = StatsRow['stats']['sources'][number];
type Ledger = ReturnType<typeof ledger>;

interface Line {
  readonly name: string;
  readonly title: string;
  /** How the number comes about, where the title does not say it. */
  readonly hint?: string;
  readonly value: (numbers: Ledger) => number;
  readonly text?: (numbers: Ledger) => string | number;
}

export function ledgerTable(rows: readonly StatsRow[]): Html {
  const last = ledger(rows.slice(-1));
  const all = ledger(rows);
  const cost = all.draftMs + all.verifyMs;
  const words =
    cost > 0
      ? t('The drafter takes {0} of the time in rounds.', formatPercent(all.draftMs / cost))
      : t('No round has been measured yet.');
  const heads = [t('Last request'), t('All {0} requests', rows.length)];
  const body = lines(all).map(({ name, title, hint = '', value, text = value }) => {
    const cells = [last, all].map((numbers) => numberCell(value(numbers), text(numbers)));
    return html`<tr data-name="${name}">
      <th scope="row" class="text" title="${hint}">${title}</th>
      ${cells}
    </tr>`;
  });
  return html`<div class="scroll">
      ${table(
        'ledger-table',
        [html`<td></td>`, ...heads.map((head) => html`<th scope="col" class="number">${head}</th>`)],
        body,
      )}
    </div>
    <p class="words">${words}</p>`;
}

function lines(all: Ledger): readonly Line[] {
  const of = (part: number, whole: number): string => t('{0} of {1}', part, whole);
  const ms = (name: 'prefillMs' | 'draftMs' | 'verifyMs', title: string): Line => {
    return { name, title, value: (each) => each[name], text: (each) => formatMs(each[name]) };
  };
  return [
    { name: 'emitted', title: t('Tokens given out'), value: ({ emitted }) => emitted },
    { name: 'rounds', title: t('Target passes'), value: ({ rounds }) => rounds },
    {
      name: 'passesAvoided',
      title: t('Passes avoided'),
      hint: t('Tokens - 1 - rounds: plain decoding takes a pass for each token after the first.'),
      value: ({ passesAvoided }) => passesAvoided,
    },
    {
      name: 'tokensPerRound',
      title: t('Tokens per round'),
      hint: t('Plain decoding has 1.'),
      value: ({ tokensPerRound }) => tokensPerRound,
      text: ({ tokensPerRound }) => formatRatio(tokensPerRound),
    },
    {
      name: 'accepted',
      title: t('Drafts accepted'),
      value: ({ accepted }) => accepted,
      text: ({ accepted, drafted }) => of(accepted, drafted),
    },
    ...all.sources.map(({ name }) => sourceLine(name)),
    { name: 'thrownAway', title: t('Drafts thrown away'), value: ({ thrownAway }) => thrownAway },
    {
      name: 'reusedTokens',
      title: t('Prompt reused'),
      hint: t('Tokens of prompts that were still in the cache.'),
      value: ({ reusedTokens }) => reusedTokens,
      text: ({ reusedTokens, promptTokens }) => of(reusedTokens, promptTokens),
    },
    ms('prefillMs', t('Prompt pass')),
    ms('draftMs', t('Drafting')),
    ms('verifyMs', t('Verifying')),
  ];
}

function sourceLine(name: string): Line {
  const own = ({ sources }: Ledger) => sources.find((each) => each.name === name);
  return {
    name: `source-${name}`,
    title: t('- from {0}', name),
    hint: t('Accepted and verified drafts of this drafter.'),
    value: (numbers) => own(numbers)?.accepted ?? 0,
    text: (numbers) => t('{0} of {1}', own(numbers)?.accepted ?? 0, own(numbers)?.drafted ?? 0),
  };
}

export function ledger(rows: readonly StatsRow[]) {
  const sum = (count: (stats: StatsRow['stats']) => number): number =>
    rows.reduce((total, { stats }) => total + count(stats), 0);
  // The first token of an output comes from the prompt pass; a cancelled request may have none at all.
  const afterFirst = sum(({ roundTokens }) => roundTokens);
  const rounds = sum((stats) => stats.rounds);
  const drafted = sum(({ draftedTokens }) => draftedTokens);
  const accepted = sum(({ acceptedTokens }) => acceptedTokens);
  return {
    promptTokens: sum(({ promptTokens }) => promptTokens),
    reusedTokens: sum(({ reusedTokens }) => reusedTokens),
    emitted: sum(({ emittedTokens }) => emittedTokens),
    rounds,
    /** Plain decoding takes one target pass for each token after the first. */
    passesAvoided: afterFirst - rounds,
    tokensPerRound: rounds > 0 ? afterFirst / rounds : 0,
    drafted,
    accepted,
    thrownAway: drafted - accepted,
    /** Of the drafts, by drafter in the order of their first appearance. */
    sources: bySource(rows.flatMap(({ stats }) => stats.sources)),
    prefillMs: sum(({ prefillMs }) => prefillMs),
    draftMs: sum(({ draftMs }) => draftMs),
    verifyMs: sum(({ verifyMs }) => verifyMs),
  };
}

function bySource(all: readonly SourceStats[]): SourceStats[] {
  const sums = new Map<string, SourceStats>();
  for (const { name, rounds, drafted, accepted } of all) {
    const before = sums.get(name) ?? { rounds: 0, drafted: 0, accepted: 0 };
    sums.set(name, {
      name,
      rounds: before.rounds + rounds,
      drafted: before.drafted + drafted,
      accepted: before.accepted + accepted,
    });
  }
  return [...sums.values()];
}
