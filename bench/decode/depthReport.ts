// The report of `flashline bench --depth`: JSON and text.
import { benchMachine } from '../benchMachine';
import { tableOf } from '../report';
import type { Circumstances } from './decodeReport';
import type { DepthFigures } from './depthBench';

export type DepthReport = ReturnType<typeof depthReport>;

export function depthReport(depths: readonly DepthFigures[], circumstances: Circumstances) {
  return { depths, ...circumstances, ...benchMachine() };
}

export function renderDepths({ depths, prompts, maxTokens, repeats }: DepthReport): string {
  const title = `By depth of context (${String(prompts)} prompts, ${String(maxTokens)} tokens each, ${String(repeats)} repeats)`;
  const rows = tableOf(depths, {
    'tokens before': ({ depth }) => String(depth),
    'prefill tok/s': ({ prefillTokensPerSecond }) => prefillTokensPerSecond.toFixed(0),
    'plain tok/s': ({ plainTokensPerSecond }) => plainTokensPerSecond.toFixed(1),
    'adaptive tok/s': ({ adaptiveTokensPerSecond }) => adaptiveTokensPerSecond.toFixed(1),
    'tokens/round': ({ tokensPerRound }) => tokensPerRound.toFixed(2),
    'speed-up': ({ plainTokensPerSecond, adaptiveTokensPerSecond }) =>
      (adaptiveTokensPerSecond / plainTokensPerSecond).toFixed(2),
  });
  return `${title}\n${rows}\n`;
}
