// The page of the statistics panel, without numbers: headings, the places that sections.ts fills, the
// buttons, and a policy that lets only its own style sheet and script load.
import { t } from '../translate';
import { html, type Html } from './html';

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
