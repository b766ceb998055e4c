// The ledger: savings and cost of speculation, for the last request and for all requests in the panel. Only sums of
// counters and their ratios; it does not guess the time of plain decoding, which the comparison measures.
import type { StatsRow } from '../../server/protocol/messages';
import { formatMs, formatPercent, formatRatio } from '../../server/rules/formatNumber';
import { valueText, html, numberCell, table, type Html } from './html';

interface LedgerLine {
  readonly name: string;
  readonly title: string;
  /** Meaning of the number, on hover. */
  readonly hint: string;
  /** Null if it is unknown for any of the requests. */
  readonly value: number | null;
  readonly format?: (value: number) => string;
}

export function ledgerTable(rows: readonly StatsRow[]): Html {
  // The drafters of all requests are listed, even if the last one did not use them.
  const last = ledger(rows.slice(-1), rows);
  const heads = ['Last request', `All requests (${rows.length})`];
  const body = ledger(rows).map((line, i) => {
    const { name, title, hint } = line;
    return html`<tr data-name="${name}">
      <th scope="row" class="text" title="${hint}">${title}</th>
      ${[last[i] ?? line, line].map((cell) => numberCell(cell.value, cell.format))}
    </tr>`;
  });
  return html`<div class="scroll">${table('ledger-table', [[''], heads], body)}</div>
    <p class="words">${costText(rows)}</p>`;
}

function costText(rows: readonly StatsRow[]): string {
  const draftMs = sum(rows, (stats) => stats.draftMs);
  const verifyMs = sum(rows, (stats) => stats.verifyMs);
  if (draftMs === null || verifyMs === null)
    return 'A remote engine does not report the time it spends on drafting.';
  const cost = draftMs + verifyMs;
  if (cost <= 0) return 'No round has been measured yet.';
  return `Drafting takes ${formatPercent(draftMs / cost)} of the time spent in rounds.`;
}

/** Returns the lines of the ledger, with one for each drafter in `all`, in the order of their first appearance. */
export function ledger(rows: readonly StatsRow[], all = rows): LedgerLine[] {
  return [...passLines(rows), ...draftLines(rows, all), ...costLines(rows)];
}

function passLines(rows: readonly StatsRow[]): LedgerLine[] {
  // The first token of an output comes from prefill; a cancelled request can have none.
  const afterFirst = sum(rows, ({ roundTokens }) => roundTokens);
  const rounds = sum(rows, (stats) => stats.rounds);
  return [
    {
      name: 'emitted',
      title: 'Tokens emitted',
      hint: 'Tokens of the output.',
      value: sum(rows, ({ emittedTokens }) => emittedTokens),
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
      value: both(afterFirst, rounds, (tokens, passes) => (passes > 0 ? tokens / passes : 0)),
      format: formatRatio,
    },
  ];
}

function draftLines(rows: readonly StatsRow[], all: readonly StatsRow[]): LedgerLine[] {
  const drafters = new Set(all.flatMap(({ stats }) => stats.sources.map(({ name }) => name)));
  const drafted = sum(rows, ({ draftedTokens }) => draftedTokens);
  const accepted = sum(rows, ({ acceptedTokens }) => acceptedTokens);
  // Each draft has a token at the first position, so this counts drafts.
  const drafts = sum(rows, ({ draftedByPosition }) => draftedByPosition[0] ?? 0);
  return [
    {
      name: 'accepted',
      title: 'Draft tokens accepted',
      hint: 'Draft tokens that the target agreed with, out of those it verified.',
      value: accepted,
      format: (part) => share(part, drafted),
    },
    ...[...drafters].map((drafter) => drafterLine(rows, drafter)),
    {
      name: 'thrownAway',
      title: 'Draft tokens discarded',
      hint: 'In each round, the first token that the target disagreed with and those after it.',
      value: both(drafted, accepted, (total, part) => total - part),
    },
    {
      name: 'wholeRounds',
      title: 'Drafts accepted whole',
      hint: 'Rounds whose draft tokens were all accepted, out of those that verified any.',
      value: sum(rows, ({ wholeRounds }) => wholeRounds),
      format: (part) => share(part, drafts),
    },
    {
      name: 'mismatches',
      title: 'Drafts with a mismatch',
      hint: 'Rounds in which the target disagreed with a draft token, and how many by the position of the first one.',
      value: sum(rows, ({ mismatchesByPosition }) =>
        mismatchesByPosition.reduce((total, count) => total + count, 0),
      ),
      format: (count) => mismatchText(count, rows),
    },
  ];
}

function drafterLine(rows: readonly StatsRow[], drafter: string): LedgerLine {
  const sources = rows.flatMap(({ stats }) => stats.sources.filter(({ name }) => name === drafter));
  const verified = sources.reduce((total, source) => total + source.drafted, 0);
  const hint =
    drafter === 'ngram'
      ? 'Copied from earlier text that looks the same, without running a model.'
      : 'Draft tokens of this drafter: accepted, out of those verified.';
  return {
    name: `source-${drafter}`,
    title: `- from ${drafter}`,
    hint,
    value: sources.reduce((total, source) => total + source.accepted, 0),
    format: (part) => share(part, verified),
  };
}

function costLines(rows: readonly StatsRow[]): LedgerLine[] {
  const promptTokens = sum(rows, (stats) => stats.promptTokens);
  const time = (name: 'prefillMs' | 'draftMs' | 'verifyMs', title: string, hint: string): LedgerLine => {
    return { name, title, hint, value: sum(rows, (stats) => stats[name]), format: formatMs };
  };
  return [
    {
      name: 'reusedTokens',
      title: 'Prompt tokens reused',
      hint: 'Prompt tokens that were still in the KV cache and were not read again.',
      value: sum(rows, ({ reusedTokens }) => reusedTokens),
      format: (part) => share(part, promptTokens),
    },
    time('prefillMs', 'Prefill', 'Time to read the prompt before the first token.'),
    time('draftMs', 'Drafting', 'Time that drafters took to propose tokens.'),
    time('verifyMs', 'Verifying', 'Time that the target took in its passes.'),
  ];
}

/** Formats the count, with its parts by position in brackets. */
function mismatchText(count: number, rows: readonly StatsRow[]): string {
  const lists = rows.map(({ stats }) => stats.mismatchesByPosition);
  const positionCount = Math.max(0, ...lists.map((list) => list.length));
  const parts = Array.from({ length: positionCount }, (_, i) =>
    lists.reduce((total, list) => total + (list[i] ?? 0), 0),
  );
  return count > 0 ? `${count} (${parts.join(' ')})` : `${count}`;
}

/** Adds a counter over rows; null if it is unknown for one of them. */
function sum(rows: readonly StatsRow[], count: (stats: StatsRow['stats']) => number | null): number | null {
  return rows.reduce<number | null>(
    (total, { stats }) => both(total, count(stats), (before, value) => before + value),
    0,
  );
}

/** Combines two numbers; null if one of them is unknown. */
function both(a: number | null, b: number | null, combine: (a: number, b: number) => number): number | null {
  return a === null || b === null ? null : combine(a, b);
}

function share(part: number, total: number | null): string {
  return `${part} of ${valueText(total)}`;
}
