// What speculation saved and what it cost, for the last request and for all that are shown. Only sums of counters
// and ratios of such sums: nothing here guesses what plain decoding would have taken, comparison.ts measures that.
import type { StatsRow } from '../../server/protocol';
import { formatMs, formatPercent, formatRatio } from '../format';
import type { Translate } from '../translate';
import { html, type Html } from './html';

export interface Ledger {
  readonly emitted: number;
  readonly rounds: number;
  /** Plain decoding takes one target pass for each token after the first. */
  readonly passesAvoided: number;
  readonly tokensPerRound: number;
  readonly drafted: number;
  readonly accepted: number;
  readonly thrownAway: number;
  readonly prefillMs: number;
  readonly draftMs: number;
  readonly verifyMs: number;
}

export function ledger(rows: readonly StatsRow[]): Ledger {
  const sum = (count: (stats: StatsRow['stats']) => number): number =>
    rows.reduce((total, { stats }) => total + count(stats), 0);
  // The first token of an output comes from the prompt pass; a cancelled request may have none at all.
  const afterFirst = sum(({ emittedTokens }) => Math.max(0, emittedTokens - 1));
  const rounds = sum((stats) => stats.rounds);
  const drafted = sum(({ draftedTokens }) => draftedTokens);
  const accepted = sum(({ acceptedTokens }) => acceptedTokens);
  return {
    emitted: sum(({ emittedTokens }) => emittedTokens),
    rounds,
    passesAvoided: afterFirst - rounds,
    tokensPerRound: rounds > 0 ? afterFirst / rounds : 0,
    drafted,
    accepted,
    thrownAway: drafted - accepted,
    prefillMs: sum(({ prefillMs }) => prefillMs),
    draftMs: sum(({ draftMs }) => draftMs),
    verifyMs: sum(({ verifyMs }) => verifyMs),
  };
}

export function ledgerTable(rows: readonly StatsRow[], t: Translate): Html {
  const last = ledger(rows.slice(-1));
  const all = ledger(rows);
  const plain = String;
  const entries: readonly (readonly [keyof Ledger, string, (value: number) => string])[] = [
    ['emitted', t('Tokens given out'), plain],
    ['rounds', t('Target passes after the prompt (rounds)'), plain],
    ['passesAvoided', t('Target passes avoided (tokens - 1 - rounds)'), plain],
    ['tokensPerRound', t('Tokens per round (plain decoding: 1)'), formatRatio],
    ['drafted', t('Drafts verified'), plain],
    ['accepted', t('Drafts accepted'), plain],
    ['thrownAway', t('Drafts thrown away'), plain],
    ['prefillMs', t('Time in prompt passes'), formatMs],
    ['draftMs', t('Time in the drafter'), formatMs],
    ['verifyMs', t('Time in verifying passes'), formatMs],
  ];
  const cost = all.draftMs + all.verifyMs;
  return html`<div class="scroll">
      <table id="ledger-table">
        <thead>
          <tr>
            <td></td>
            <th scope="col" class="number">${t('Last request')}</th>
            <th scope="col" class="number">${t('All {0} requests', rows.length)}</th>
          </tr>
        </thead>
        <tbody>
          ${entries.map(
            ([name, title, format]) =>
              html`<tr data-name="${name}">
                <th scope="row" class="text">${title}</th>
                <td class="number" data-value="${last[name]}">${format(last[name])}</td>
                <td class="number" data-value="${all[name]}">${format(all[name])}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    <p class="words">
      ${
        cost > 0
          ? t('The drafter takes {0} of the time in rounds.', formatPercent(all.draftMs / cost))
          : t('No round has been measured yet.')
      }
    </p>`;
}
