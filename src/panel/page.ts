// The page of the statistics panel, without numbers: headings, the places that sections.ts fills, the compare
// button, and a policy under which only its own style sheet and script load.
import { t } from '../translate';
import { html } from './html';

type PageSources = Readonly<Record<'cspSource' | 'nonce' | 'script' | 'style' | 'language', string>>;

export function page({ cspSource, nonce, script, style, language }: PageSources): string {
  const policy = `default-src 'none'; style-src ${cspSource}; script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'`;
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
          <div class="columns">
            <section aria-labelledby="ledger-title">
              <h2 id="ledger-title">${t('Speed ledger')}</h2>
              <div id="ledger"></div>
              <button
                id="compare"
                type="button"
                title="${t('Runs the last prompt twice, without and with drafts, and shows both times.')}"
              >
                ${t('Compare with plain decoding')}
              </button>
            </section>
            <div class="charts">
              <section aria-labelledby="speed-title">
                <h2 id="speed-title">${t('Decode speed (tokens per second)')}</h2>
                <div id="speed"></div>
              </section>
              <section aria-labelledby="latency-title">
                <h2 id="latency-title">${t('Time to first token')}</h2>
                <div id="latency"></div>
              </section>
              <section aria-labelledby="positions-title">
                <h2 id="positions-title">${t('Acceptance by position')}</h2>
                <div id="positions"></div>
              </section>
            </div>
          </div>
          <div id="comparison" aria-live="polite"></div>
          <section aria-labelledby="requests-title">
            <h2 id="requests-title">${t('Last requests')}</h2>
            <div id="requests"></div>
          </section>
          <section aria-labelledby="rounds-title">
            <h2 id="rounds-title">${t('Rounds of the last request')}</h2>
            <div id="last-rounds"></div>
          </section>
        </main>
        <script nonce="${nonce}" src="${script}"></script>
      </body>
    </html>`.text;
}
