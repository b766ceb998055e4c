// The ledger: what speculation saved and what it cost, for the last request and for all that are shown. Only sums of
// counters and their ratios: nothing here guesses how long plain decoding would take, which the comparison below measures.
import type { StatsRow } from '../../server/protocol/messages';
import { formatMs, formatPercent, formatRatio } from '../../server/rules/formatNumber';
import { known, html, numberCell, table, type Html } from './html';

type Stats = StatsRow['stats'];

interface LedgerLine {
  readonly name: string;
  readonly title: string;
  /** What the number means, on hover. */
  readonly hint: string;
  /** Null if it is not known of each request. */
  readonly value: number | null;
  readonly format?: (value: number) => string;
}

export function ledgerTable(rows: readonly StatsRow[]): Html {
  // With the same drafters, even if the last request did not use them.
  const last = ledger(rows.slice(-1), rows);
  const heads = ['Last request', `All requests (${rows.length})`];
  const body = ledger(rows).map((line, i) => {
    const { name, title, hint } = line;
    return html`<tr data-name="${name}">
      <th scope="row" class="text" title="${hint}">${title}</th>
      ${[last[i] ?? line, line].map((each) => numberCell(each.value, each.format))}
    </tr>`;
  });
  return html`<div class="scroll">${table('ledger-table', [[''], heads], body)}</div>
    <p class="words">${costText(rows)}</p>`;
}

function costText(rows: readonly StatsRow[]): string {
  const draftMs = sum(rows, (stats) => stats.draftMs);
  const verifyMs = sum(rows, (stats) => stats.verifyMs);
  if (draftMs === null || verifyMs === null) return 'What a remote engine spends on drafting is not known.';
  const cost = draftMs + verifyMs;
  if (cost <= 0) return 'No round has been measured yet.';
  return `Drafting takes ${formatPercent(draftMs / cost)} of the time spent in rounds.`;
}

/** With a line for each drafter in `all`, in the order of their first appearance. */
export function ledger(rows: readonly StatsRow[], all = rows): LedgerLine[] {
  const of = (count: (stats: Stats) => number | null): number | null => sum(rows, count);
  const drafters = new Set(all.flatMap(({ stats }) => stats.sources.map(({ name }) => name)));
  // The first token of an output comes from prefill; a cancelled request may have none.
  const afterFirst = of(({ roundTokens }) => roundTokens);
  const rounds = of((stats) => stats.rounds);
  const drafted = of(({ draftedTokens }) => draftedTokens);
  const accepted = of(({ acceptedTokens }) => acceptedTokens);
  const reused = of(({ reusedTokens }) => reusedTokens);
  const promptTokens = of((stats) => stats.promptTokens);
  const tokensPerRound = both(afterFirst, rounds, (tokens, passes) => (passes > 0 ? tokens / passes : 0));
  const time = (name: 'prefillMs' | 'draftMs' | 'verifyMs', title: string, hint: string): LedgerLine => {
    const value = of((stats) => stats[name]);
    return { name, title, hint, value, format: formatMs };
  };
  return [
    {
      name: 'emitted',
      title: 'Tokens emitted',
      hint: 'Tokens of the output.',
      value: of(({ emittedTokens }) => emittedTokens),
    },
    {
      name: 'rounds',
      title: 'Target passes',
      hint: 'Rounds: in each, the target verifies a draft in one pass and adds a token of its own.',
      value: rounds,
    },
    {
      name: 'passesAvoided',
      title: 'Passes saved',
      hint: 'Plain decoding needs one pass per token after the first; this is how many of those were not needed.',
      value: both(afterFirst, rounds, (tokens, passes) => tokens - passes),
    },
    {
      name: 'tokensPerRound',
      title: 'Tokens per round',
      hint: 'Tokens per pass of the target, on average. Plain decoding has 1.',
      value: tokensPerRound,
      format: formatRatio,
    },
    {
      name: 'accepted',
      title: 'Draft tokens accepted',
      hint: 'Draft tokens that the target agreed with, out of those it verified.',
      value: accepted,
      format: (part) => share(part, drafted),
    },
    ...[...drafters].map((drafter) => {
      const own = rows.flatMap(({ stats }) => stats.sources.filter(({ name }) => name === drafter));
      const value = own.reduce((total, source) => total + source.accepted, 0);
      const verified = own.reduce((total, source) => total + source.drafted, 0);
      const hint =
        drafter === 'ngram'
          ? 'Copied from earlier text that looks the same, without running a model.'
          : 'Draft tokens of this drafter: accepted, out of those verified.';
      const title = `- from ${drafter}`;
      return {
        name: `source-${drafter}`,
        title,
        hint,
        value,
        format: (part: number) => share(part, verified),
      };
    }),
    {
      name: 'thrownAway',
      title: 'Draft tokens discarded',
      hint: 'In each round, the first token that the target disagreed with and those after it.',
      value: both(drafted, accepted, (all, part) => all - part),
    },
    {
      name: 'wholeRounds',
      title: 'Drafts accepted whole',
      hint: 'Rounds whose draft tokens were all accepted, out of those that verified any.',
      value: of(({ wholeRounds }) => wholeRounds),
      format: (part) =>
        share(
          part,
          of(({ draftedByPosition }) => draftedByPosition[0] ?? 0),
        ),
    },
    {
      name: 'mismatches',
      title: 'Drafts with a mismatch',
      hint: 'Rounds in which the target disagreed with a draft token, and how many by the position of the first one.',
      value: of(({ mismatchesByPosition }) =>
        mismatchesByPosition.reduce((total, count) => total + count, 0),
      ),
      format: (count) => mismatchText(count, rows),
    },
    {
      name: 'reusedTokens',
      title: 'Prompt tokens reused',
      hint: 'Prompt tokens that were still in the KV cache and were not read again.',
      value: reused,
      format: (part) => share(part, promptTokens),
    },
    time('prefillMs', 'Prefill', 'Time to read the prompt before the first token.'),
    time('draftMs', 'Drafting', 'Time that drafters took to propose tokens.'),
    time('verifyMs', 'Verifying', 'Time that the target took in its passes.'),
  ];
}

/** The count, and in brackets its parts by position. */
function mismatchText(count: number, rows: readonly StatsRow[]): string {
  const lists = rows.map(({ stats }) => stats.mismatchesByPosition);
  const widest = Math.max(0, ...lists.map((list) => list.length));
  const parts = Array.from({ length: widest }, (_, i) =>
    lists.reduce((total, list) => total + (list[i] ?? 0), 0),
  );
  return count > 0 ? `${count} (${parts.join(' ')})` : `${count}`;
}

/** Null if one of them is not known. */
function sum(rows: readonly StatsRow[], count: (stats: Stats) => number | null): number | null {
  return rows.reduce<number | null>(
    (total, { stats }) => both(total, count(stats), (before, own) => before + own),
    0,
  );
}

function both(a: number | null, b: number | null, of: (a: number, b: number) => number): number | null {
  return a === null || b === null ? null : of(a, b);
}

function share(part: number, whole: number | null): string {
  return `${part} of ${known(whole)}`;
}
