// The page of the statistics panel: headings, places to fill, the button, and a policy that lets only its own style
// sheet and script load; and the sections that fill the places, which change with each request.
import { t } from '../translate';
import { html, type Html } from './html';
import type { StatsRow } from '../../server/protocol/messages';
import { explainedRow, explanation } from './explanation';
import { ledgerTable } from './ledger';
import { roundList } from './roundList';
import { requestTable } from './requestTable';

type PageSources = Readonly<Record<'cspSource' | 'nonce' | 'script' | 'style' | 'language', string>>;

export function page({ cspSource, nonce, script, style, language }: PageSources): string {
  const policy = `default-src 'none'; style-src ${cspSource}; script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'`;
  const compareHint = t('Runs the last prompt with and without drafts and shows both times.');
  const compare = button('compare', t('Compare with plain decoding'), compareHint);
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="stylesheet" href="${style}" />
        <title>${t('Flashline statistics')}</title>
      </head>
      <body>
        <main>
          <h1>${t('Flashline statistics')}</h1>
          ${section('ledger', t('Speed ledger'), compare)}
          <div id="comparison" aria-live="polite"></div>
          ${section('requests', t('Recent requests'))} ${section('why', t('Why this suggestion'))}
          ${section('last-rounds', t('Rounds of the last request'))}
        </main>
        <script nonce="${nonce}" src="${script}"></script>
      </body>
    </html>`.text;
}

/** A heading, the place to fill, and what is below it. */
function section(id: string, title: string, below = html``): Html {
  return html`<section aria-labelledby="${id}-title">
    <h2 id="${id}-title" tabindex="-1">${title}</h2>
    <div id="${id}"></div>
    ${below}
  </section>`;
}

function button(id: string, title: string, hint: string): Html {
  return html`<button id="${id}" type="button" title="${hint}">${title}</button>`;
}

const KEPT = 100;

/** By the id of the element that they fill. */
export function sections(rows: readonly StatsRow[]) {
  const own = rows.filter(isOwnRequest);
  return {
    requests: requestTable(rows).text,
    why: explanation(explainedRow(own)).text,
    'last-rounds': roundList(own.findLast(({ rounds }) => rounds.length > 0)).text,
    ledger: own.length === 0 ? '' : ledgerTable(own).text,
  };
}

/**
 * The server's history joined with later rows, oldest first, without duplicates. A restarted server counts its ids from
 * the start, so a row is identified by id and time.
 */
export function rowHistory(rows: readonly StatsRow[], more: readonly StatsRow[]): StatsRow[] {
  const byKey = new Map([...rows, ...more].map((row) => [`${row.at}#${row.id}`, row]));
  return [...byKey.values()].sort((a, b) => a.at - b.at || a.id - b.id).slice(-KEPT);
}

/**
 * Whether the user asked for it: not a prefetch, not an alternative, which belongs to another request, and not a
 * comparison, which repeats one.
 */
export function isOwnRequest({ kind }: StatsRow): boolean {
  return kind === 'inline' || kind === 'generate';
}
