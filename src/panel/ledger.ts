// The ledger: what speculation saved and what it cost, for the last request and for all that are shown. Only sums of
// counters and ratios of such sums: nothing here guesses what plain decoding would have taken, comparison.ts measures that.
import type { StatsRow } from '../../server/protocol';
import { formatMs, formatPercent, formatRatio } from '../../server/rules/format';
import { t } from '../translate';
import { html, numberCell, table, type Html } from './html';

type Stats = StatsRow['stats'];
type SourceStats = Stats['sources'][number];

export interface LedgerLine {
  readonly name: string;
  readonly title: string;
  /** How the number comes about, where the title does not say it. */
  readonly hint?: string;
  readonly value: number;
  readonly text?: string;
}

export function ledgerTable(rows: readonly StatsRow[]): Html {
  const all = ledger(rows);
  const last = new Map(ledger(rows.slice(-1)).map((line) => [line.name, line]));
  const heads = [t('Last request'), t('All {0} requests', rows.length)];
  const body = all.map((line) => {
    const { name, title, hint = '', text } = line;
    // A drafter that the last request has not asked.
    const own = last.get(name) ?? { value: 0, text: text && share(0, 0) };
    return html`<tr data-name="${name}">
      <th scope="row" class="text" title="${hint}">${title}</th>
      ${[own, line].map((each) => numberCell(each.value, each.text))}
    </tr>`;
  });
  return html`<div class="scroll">${table('ledger-table', [[''], heads], body)}</div>
    <p class="words">${costText(rows)}</p>`;
}

function costText(rows: readonly StatsRow[]): string {
  const draftMs = sum(rows, (stats) => stats.draftMs);
  const cost = draftMs + sum(rows, ({ verifyMs }) => verifyMs);
  if (cost <= 0) return t('No round has been measured yet.');
  return t('The drafter takes {0} of the time in rounds.', formatPercent(draftMs / cost));
}

export function ledger(rows: readonly StatsRow[]): LedgerLine[] {
  const of = (count: (stats: Stats) => number): number => sum(rows, count);
  // The first token of an output comes from the prompt pass; a cancelled request may have none at all.
  const afterFirst = of(({ roundTokens }) => roundTokens);
  const rounds = of((stats) => stats.rounds);
  const drafted = of(({ draftedTokens }) => draftedTokens);
  const accepted = of(({ acceptedTokens }) => acceptedTokens);
  const reused = of(({ reusedTokens }) => reusedTokens);
  const tokensPerRound = rounds > 0 ? afterFirst / rounds : 0;
  const time = (name: 'prefillMs' | 'draftMs' | 'verifyMs', title: string): LedgerLine => {
    const value = of((stats) => stats[name]);
    return { name, title, value, text: formatMs(value) };
  };
  return [
    { name: 'emitted', title: t('Tokens given out'), value: of(({ emittedTokens }) => emittedTokens) },
    { name: 'rounds', title: t('Target passes'), value: rounds },
    {
      name: 'passesAvoided',
      title: t('Passes avoided'),
      hint: t('Tokens - 1 - rounds: plain decoding takes a pass for each token after the first.'),
      value: afterFirst - rounds,
    },
    {
      name: 'tokensPerRound',
      title: t('Tokens per round'),
      hint: t('Plain decoding has 1.'),
      value: tokensPerRound,
      text: formatRatio(tokensPerRound),
    },
    { name: 'accepted', title: t('Drafts accepted'), value: accepted, text: share(accepted, drafted) },
    ...bySource(rows.flatMap(({ stats }) => stats.sources)).map((source) => ({
      name: `source-${source.name}`,
      title: t('- from {0}', source.name),
      hint: t('Accepted and verified drafts of this drafter.'),
      value: source.accepted,
      text: share(source.accepted, source.drafted),
    })),
    { name: 'thrownAway', title: t('Drafts thrown away'), value: drafted - accepted },
    {
      name: 'reusedTokens',
      title: t('Prompt reused'),
      hint: t('Tokens of prompts that were still in the cache.'),
      value: reused,
      text: share(
        reused,
        of(({ promptTokens }) => promptTokens),
      ),
    },
    time('prefillMs', t('Prompt pass')),
    time('draftMs', t('Drafting')),
    time('verifyMs', t('Verifying')),
  ];
}

/** In the order of their first appearance. */
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

function sum(rows: readonly StatsRow[], count: (stats: Stats) => number): number {
  return rows.reduce((total, { stats }) => total + count(stats), 0);
}

function share(part: number, whole: number): string {
  return t('{0} of {1}', part, whole);
}
