// Comparison of plain and speculative decoding of the last prompt on this machine: both times and their ratio.
import type { CompareResult, StatsRow, CompareDifference } from '../../server/protocol/messages';
import { type Html, html, numberCell, table } from './html';
import { formatMs, formatRate } from '../../server/rules/formatNumber';

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
  const rows = [row('Plain decoding', plain, plainMs), row('With drafts', speculative, speculativeMs)];
  const heads = [
    { title: 'Total time', hint: 'Reading the prompt and decoding.' },
    { title: 'Decode time', hint: 'Without reading the prompt.' },
    'Tokens/s',
    'Target passes',
    'Tokens',
  ];
  return html`<p id="verdict" data-ratio="${ratio ?? 0}">${verdict(ratio)}</p>
    <div class="scroll">${table('comparison-table', [[''], heads], rows)}</div>
    <p class="words">${sameness(difference)}</p>`;
}

/** Says whether both runs produced the same tokens, and if not, why. */
function sameness(difference: CompareDifference | undefined): string {
  if (difference === undefined) return 'Both runs produced the same tokens.';
  const number = String(difference.position + 1);
  if (difference.nearTie)
    return `The two runs differ from token ${number} on, where the model finds two tokens equally good: rounding decides such ties. The setting "flashline.strict" makes them very rare.`;
  return `The two runs differ from token ${number} on, by more than rounding explains. This is a bug: please report it.`;
}

/** Describes the ratio: above 1 drafts save time, below 1 they cost time; undefined when nothing was decoded. */
export function verdict(ratio: number | undefined): string {
  if (ratio === undefined) return 'Nothing was decoded, so there is nothing to compare.';
  const times = ratio.toFixed(2);
  if (times === '1.00') return 'Drafting made no difference for this prompt (1.00 times as fast).';
  if (ratio > 1) return `With drafts, this prompt ran ${times} times as fast as with plain decoding.`;
  return `Drafting did not pay off for this prompt: it ran at ${times} times the speed of plain decoding.`;
}

function totalMs({ stats }: StatsRow): number {
  // A model in memory, unlike a remote engine, always reports both.
  return (stats.prefillMs ?? 0) + (stats.decodeMs ?? 0);
}
