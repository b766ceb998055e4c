// The ledger as a table: a line for each number, for the last request and for all of them.
// Each cell carries its number unrounded in `data-value`; nothing is computed here but shares.
import type { StatsRow } from '../../server/protocol';
import { formatMs, formatPercent, formatRatio } from '../../server/rules/format';
import type { Translate } from '../translate';
import { html, type Html } from './html';
import { ledger, type Ledger } from './ledger';

interface Line {
  readonly name: string;
  readonly title: string;
  /** How the number comes about, where the title does not say it. */
  readonly hint?: string;
  readonly value: (numbers: Ledger) => number;
  readonly text?: (numbers: Ledger) => string;
}

export function ledgerTable(rows: readonly StatsRow[], t: Translate): Html {
  const last = ledger(rows.slice(-1));
  const all = ledger(rows);
  const cell = ({ value, text }: Line, numbers: Ledger): Html =>
    html`<td class="number" data-value="${value(numbers)}">${text?.(numbers) ?? value(numbers)}</td>`;
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
          ${lines(all, t).map(
            (line) =>
              html`<tr data-name="${line.name}">
                <th scope="row" class="text" title="${line.hint ?? ''}">${line.title}</th>
                ${cell(line, last)}${cell(line, all)}
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

function lines(all: Ledger, t: Translate): readonly Line[] {
  const of = (part: number, whole: number): string => t('{0} of {1}', part, whole);
  const ms = (name: 'prefillMs' | 'draftMs' | 'verifyMs', title: string): Line => {
    return { name, title, value: (each) => each[name], text: (each) => formatMs(each[name]) };
  };
  return [
    { name: 'emitted', title: t('Tokens given out'), value: ({ emitted }) => emitted },
    { name: 'rounds', title: t('Target passes'), value: ({ rounds }) => rounds },
    {
      name: 'passesAvoided',
      title: t('Passes avoided'),
      hint: t('Tokens - 1 - rounds: plain decoding takes a pass for each token after the first.'),
      value: ({ passesAvoided }) => passesAvoided,
    },
    {
      name: 'tokensPerRound',
      title: t('Tokens per round'),
      hint: t('Plain decoding has 1.'),
      value: ({ tokensPerRound }) => tokensPerRound,
      text: ({ tokensPerRound }) => formatRatio(tokensPerRound),
    },
    {
      name: 'accepted',
      title: t('Drafts accepted'),
      value: ({ accepted }) => accepted,
      text: ({ accepted, drafted }) => of(accepted, drafted),
    },
    ...all.sources.map(({ name }) => sourceLine(name, t)),
    { name: 'thrownAway', title: t('Drafts thrown away'), value: ({ thrownAway }) => thrownAway },
    {
      name: 'reusedTokens',
      title: t('Prompt reused'),
      hint: t('Tokens of prompts that were still in the cache.'),
      value: ({ reusedTokens }) => reusedTokens,
      text: ({ reusedTokens, promptTokens }) => of(reusedTokens, promptTokens),
    },
    ms('prefillMs', t('Prompt pass')),
    ms('draftMs', t('Drafting')),
    ms('verifyMs', t('Verifying')),
  ];
}

function sourceLine(name: string, t: Translate): Line {
  const own = ({ sources }: Ledger) => sources.find((each) => each.name === name);
  return {
    name: `source-${name}`,
    title: t('- from {0}', name),
    hint: t('Accepted and verified drafts of this drafter.'),
    value: (numbers) => own(numbers)?.accepted ?? 0,
    text: (numbers) => t('{0} of {1}', own(numbers)?.accepted ?? 0, own(numbers)?.drafted ?? 0),
  };
}
