// All statistics of one request as lines of name and value, for the tooltip and the panel's ledger.
// Names are translated; values come from the row and nothing else.
import type { StatsRow } from '../server/protocol';
import { formatMs, formatPercent, formatRate, formatRatio, formatSize } from '../server/rules/format';
import type { Translate } from './translate';

export interface StatsLine {
  readonly name: string;
  readonly value: string;
}

export function statsLines({ stats, rates, outcome }: StatsRow, t: Translate): StatsLine[] {
  const line = (name: string, value: string | number): StatsLine => ({ name, value: String(value) });
  const positions = stats.acceptedByPosition.map((count, i) => `${count}/${stats.draftedByPosition[i] ?? 0}`);
  return [
    line(t('Outcome'), outcomeText(outcome, t)),
    line(t('Decode speed'), t('{0} tokens/s', formatRate(rates.decodeTokensPerSecond))),
    line(t('End-to-end speed'), t('{0} tokens/s', formatRate(rates.endToEndTokensPerSecond))),
    line(t('Tokens per round'), formatRatio(rates.tokensPerRound)),
    line(t('Time to first token'), formatMs(stats.timeToFirstTokenMs)),
    line(t('Tokens given out'), stats.emittedTokens),
    line(t('Rounds (target passes)'), stats.rounds),
    line(t('Drafts verified'), stats.draftedTokens),
    line(t('Drafts accepted'), `${stats.acceptedTokens} (${formatPercent(rates.acceptanceRate)})`),
    ...stats.sources.map(({ name, rounds, drafted, accepted }) =>
      line(t('Accepted from {0}', name), t('{0} of {1} in {2} rounds', accepted, drafted, rounds)),
    ),
    ...(positions.length > 0 ? [line(t('Accepted by position'), positions.join(' '))] : []),
    line(t('Prompt tokens reused'), t('{0} of {1}', stats.reusedTokens, stats.promptTokens)),
    line(t('Prompt pass'), formatMs(stats.prefillMs)),
    line(t('Drafting'), formatMs(stats.draftMs)),
    line(t('Verifying'), formatMs(stats.verifyMs)),
    line(t('Building graphs'), formatMs(stats.buildMs)),
    line(t('Decoding in all'), formatMs(stats.decodeMs)),
    line(t('Peak memory'), formatSize(stats.peakMemoryBytes)),
    ...(stats.seed === undefined ? [] : [line(t('Seed'), stats.seed)]),
    ...(stats.speculationOff ? [line(t('No drafts because'), offText(stats.speculationOff, t))] : []),
  ];
}

export function outcomeText(outcome: StatsRow['outcome'], t: Translate): string {
  switch (outcome) {
    case 'shown':
      return t('shown');
    case 'empty':
      return t('nothing to suggest');
    case 'filtered':
      return t('filtered out');
    case 'stop':
      return t('complete');
    case 'length':
      return t('limit reached');
    case 'repetition':
      return t('went round in circles');
    case 'cancelled':
      return t('cancelled');
    case 'superseded':
      return t('superseded');
    case 'abandoned':
      return t('ended early');
  }
}

function offText(reason: NonNullable<StatsRow['stats']['speculationOff']>, t: Translate): string {
  switch (reason) {
    case 'no_drafter':
      return t('there is no drafter');
    case 'drafter_mismatch':
      return t('the drafter does not fit the model');
    case 'draft_length_zero':
      return t('the draft length is 0');
    case 'logprobs_requested':
      return t('probabilities were asked for');
    case 'context_limit':
      return t('the text is longer than the drafter can read');
  }
}
