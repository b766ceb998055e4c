// The figures of the drafters with the circumstances of the run, as JSON and as text.
import { table } from '../../server/cli/statsTable';
import { benchMachine } from '../benchMachine';
import { sameTokens } from '../decode/decodeReport';
import type { Comparison, DraftedResult, DrafterResult } from './compareDrafters';
import { BITS, type BitsResult } from './drafterBits';

export interface Circumstances {
  readonly target: string;
  readonly prompts: number;
  readonly maxTokens: number;
  readonly repeats: number;
  /** Load average of the last minute before the first decode: well below 1 on an idle machine. */
  readonly loadBefore: number;
}

/** By the drafter's name. */
export type BitsResults = Readonly<Record<string, BitsResult>>;

export type DraftersReport = ReturnType<typeof draftersReport>;

/** The JSON of a run: ratios are medians of ratios taken within one repeat. */
export function draftersReport(circumstances: Circumstances, compared: Comparison, bits: BitsResults) {
  return { ...circumstances, ...benchMachine(), bitsInOrder: ['stored', ...BITS], ...compared, bits };
}

export function renderDrafters(report: DraftersReport): string {
  const { prompts, maxTokens, repeats, drafters, bits, bitsInOrder } = report;
  const speeds = table([
    [
      ...['drafter', 'draft length', 'tokens/round', 'speed-up', 'accepted'],
      ...['draft ms/round', 'verify ms/round'],
    ],
    ['none', '0 (plain)', '1.00', '1.00', '', '', (drafters[0]?.plainVerifyMs ?? NaN).toFixed(2)],
    ...drafters.flatMap(speedRows),
  ]);
  const widths = bitsInOrder.map((each) => (typeof each === 'number' ? `${String(each)} bits` : each));
  const losses = table([
    ['tokens/round', 'draft length', ...widths],
    ...Object.entries(bits).map(([name, { draftLength, tokensPerRound }]) => [
      name,
      String(draftLength),
      ...tokensPerRound.map((each) => each.toFixed(2)),
    ]),
  ]);
  const counts = `${String(prompts)} prompts, ${String(maxTokens)} tokens each, ${String(repeats)} repeats`;
  const same = `same tokens with all drafters at all lengths: ${sameTokens(report.identical)}`;
  return `Drafters (${counts})\n${speeds}\n\n  ${same}\n\nDrafters in other bits\n${losses}\n`;
}

/** The best fixed length, if it has any, and adaptive lengths. */
function speedRows({ name, lengths }: DrafterResult): string[][] {
  const fixed = lengths.filter(({ draftLength }) => draftLength !== 'adaptive').toSorted(bySpeed);
  const adaptive = lengths.filter(({ draftLength }) => draftLength === 'adaptive');
  return [...fixed.slice(0, 1), ...adaptive].map((each) => [
    name,
    each.draftLength === 'adaptive' ? 'adaptive' : `${String(each.draftLength)} (best)`,
    each.tokensPerRound.toFixed(2),
    each.speedup.toFixed(2),
    acceptedText(each),
    each.draftMs.toFixed(2),
    each.verifyMs.toFixed(2),
  ]);
}

function bySpeed(a: DraftedResult, b: DraftedResult): number {
  return b.speedup - a.speedup;
}

/** Of all sources together. */
function acceptedText({ sources }: DraftedResult): string {
  const total = (count: 'accepted' | 'drafted'): number =>
    sources.reduce((sum, source) => sum + source[count], 0);
  return `${String(total('accepted'))} of ${String(total('drafted'))}`;
}
