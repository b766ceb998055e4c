// The last prompt decoded plainly and with drafts, one after the other on this machine: both times and their ratio,
// whatever it is.
import type { CompareResult, StatsRow } from '../../server/protocol';
import { formatMs, formatRate } from '../../server/rules/format';
import type { Translate } from '../translate';
import { html, type Html } from './html';

export interface ComparisonNumbers {
  readonly plainMs: number;
  readonly speculativeMs: number;
  /** Above 1 drafts save time, below 1 they cost time; undefined when nothing was decoded. */
  readonly ratio: number | undefined;
}

export function comparisonNumbers({ plain, speculative }: CompareResult): ComparisonNumbers {
  const plainMs = totalMs(plain);
  const speculativeMs = totalMs(speculative);
  return {
    plainMs,
    speculativeMs,
    ratio: speculativeMs > 0 && plainMs > 0 ? plainMs / speculativeMs : undefined,
  };
}

export function comparison(result: CompareResult, t: Translate): Html {
  const { plainMs, speculativeMs, ratio } = comparisonNumbers(result);
  const line = (name: string, { stats, rates }: StatsRow, ms: number): Html =>
    html`<tr>
      <th scope="row" class="text">${name}</th>
      <td class="number" data-value="${ms}">${formatMs(ms)}</td>
      <td class="number" data-value="${stats.decodeMs}">${formatMs(stats.decodeMs)}</td>
      <td class="number" data-value="${rates.decodeTokensPerSecond}">
        ${formatRate(rates.decodeTokensPerSecond)}
      </td>
      <td class="number" data-value="${stats.rounds}">${stats.rounds}</td>
      <td class="number" data-value="${stats.emittedTokens}">${stats.emittedTokens}</td>
    </tr>`;
  const heads = [t('Time in all'), t('Decoding'), t('Tokens/s'), t('Target passes'), t('Tokens')];
  return html`<p id="verdict" data-ratio="${ratio ?? 0}">${verdict(ratio, t)}</p>
    <div class="scroll">
      <table id="comparison-table">
        <thead>
          <tr>
            <td></td>
            ${heads.map((head) => html`<th scope="col" class="number">${head}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${line(t('Plain decoding'), result.plain, plainMs)}
          ${line(t('With drafts'), result.speculative, speculativeMs)}
        </tbody>
      </table>
    </div>
    <p class="words">
      ${
        result.identical
          ? t('Both wrote the same tokens.')
          : t(
              'The two did not write the same tokens: two of the target’s choices were nearly equal, or this is a bug.',
            )
      }
    </p>`;
}

export function verdict(ratio: number | undefined, t: Translate): string {
  if (ratio === undefined) return t('Nothing was decoded, so there is nothing to compare.');
  const times = ratio.toFixed(2);
  if (times === '1.00') return t('Drafts made no difference for this prompt (1.00 times as fast).');
  if (ratio > 1) return t('With drafts this prompt was {0} times as fast as plainly.', times);
  return t('Drafts did not pay for this prompt: {0} times as fast as plainly, so slower.', times);
}

function totalMs({ stats }: StatsRow): number {
  return stats.prefillMs + stats.decodeMs;
}
