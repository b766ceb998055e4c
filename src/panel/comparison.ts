// The last prompt decoded plainly and with drafts, one after the other on this machine: both times and their ratio,
// good or bad.
import type { CompareDifference, CompareResult, StatsRow } from '../../server/protocol/messages';
import { formatMs, formatRate } from '../../server/rules/format';
import { t } from '../translate';
import { html, numberCell, table, type Html } from './html';

export function comparison({ plain, speculative, difference }: CompareResult): Html {
  const plainMs = totalMs(plain);
  const speculativeMs = totalMs(speculative);
  const ratio = speculativeMs > 0 && plainMs > 0 ? plainMs / speculativeMs : undefined;
  const row = (name: string, { stats, rates }: StatsRow, ms: number): Html =>
    html`<tr>
      <th scope="row" class="text">${name}</th>
      ${[
        numberCell(ms, formatMs),
        numberCell(stats.decodeMs, formatMs),
        numberCell(rates.decodeTokensPerSecond, formatRate),
        numberCell(stats.rounds),
        numberCell(stats.emittedTokens),
      ]}
    </tr>`;
  const rows = [row(t('Plain decoding'), plain, plainMs), row(t('With drafts'), speculative, speculativeMs)];
  const heads = [
    { title: t('Total time'), hint: t('Reading the prompt and decoding.') },
    { title: t('Decode time'), hint: t('Without reading the prompt.') },
    t('Tokens/s'),
    t('Target passes'),
    t('Tokens'),
  ];
  return html`<p id="verdict" data-ratio="${ratio ?? 0}">${verdict(ratio)}</p>
    <div class="scroll">${table('comparison-table', [[''], heads], rows)}</div>
    <p class="words">${sameness(difference)}</p>`;
}

function sameness(difference: CompareDifference | undefined): string {
  if (difference === undefined) return t('Both runs produced the same tokens.');
  const number = String(difference.position + 1);
  if (difference.nearTie)
    return t(
      'The two runs differ from token {0} on, where the model finds two tokens equally good: rounding decides such ties. The setting "flashline.strict" avoids them.',
      number,
    );
  return t(
    'The two runs differ from token {0} on, by more than rounding explains. This is a bug: please report it.',
    number,
  );
}

/** Above a ratio of 1 drafts save time, below 1 they cost time; undefined when nothing was decoded. */
export function verdict(ratio: number | undefined): string {
  if (ratio === undefined) return t('Nothing was decoded, so there is nothing to compare.');
  const times = ratio.toFixed(2);
  if (times === '1.00') return t('Drafting made no difference for this prompt (1.00 times as fast).');
  if (ratio > 1) return t('With drafts, this prompt ran {0} times as fast as with plain decoding.', times);
  return t(
    'Drafting did not pay off for this prompt: it ran at {0} times the speed of plain decoding.',
    times,
  );
}

function totalMs({ stats }: StatsRow): number {
  // Of a model in this process, so both are known.
  return (stats.prefillMs ?? 0) + (stats.decodeMs ?? 0);
}
