// The last prompt decoded plainly and with drafts, one after the other on this machine: both times and their ratio,
// whatever it is.
import type { CompareResult, StatsRow } from '../../server/protocol';
import { formatMs, formatRate } from '../../server/rules/format';
import { t } from '../translate';
import { html, numberCell, table, type Html } from './html';

export function comparison({ plain, speculative, identical }: CompareResult): Html {
  const plainMs = totalMs(plain);
  const speculativeMs = totalMs(speculative);
  const ratio = speculativeMs > 0 && plainMs > 0 ? plainMs / speculativeMs : undefined;
  const row = (name: string, { stats, rates }: StatsRow, ms: number): Html =>
    html`<tr>
      <th scope="row" class="text">${name}</th>
      ${[
        numberCell(ms, formatMs(ms)),
        numberCell(stats.decodeMs, formatMs(stats.decodeMs)),
        numberCell(rates.decodeTokensPerSecond, formatRate(rates.decodeTokensPerSecond)),
        numberCell(stats.rounds),
        numberCell(stats.emittedTokens),
      ]}
    </tr>`;
  const rows = [row(t('Plain decoding'), plain, plainMs), row(t('With drafts'), speculative, speculativeMs)];
  const heads = [t('Time in all'), t('Decoding'), t('Tokens/s'), t('Target passes'), t('Tokens')];
  const words = identical
    ? t('Both wrote the same tokens.')
    : t(
        'The two did not write the same tokens: two of the target’s choices were nearly equal, or this is a bug.',
      );
  return html`<p id="verdict" data-ratio="${ratio ?? 0}">${verdict(ratio)}</p>
    <div class="scroll">${table('comparison-table', [[''], heads], rows)}</div>
    <p class="words">${words}</p>`;
}

/** Above a ratio of 1 drafts save time, below 1 they cost time; undefined when nothing was decoded. */
export function verdict(ratio: number | undefined): string {
  if (ratio === undefined) return t('Nothing was decoded, so there is nothing to compare.');
  const times = ratio.toFixed(2);
  if (times === '1.00') return t('Drafts made no difference for this prompt (1.00 times as fast).');
  if (ratio > 1) return t('With drafts this prompt was {0} times as fast as plainly.', times);
  return t('Drafts did not pay for this prompt: {0} times as fast as plainly, so slower.', times);
}

function totalMs({ stats }: StatsRow): number {
  return stats.prefillMs + stats.decodeMs;
}
