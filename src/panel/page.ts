// Page of the statistics panel: headings, empty sections, the button, and a policy that allows only its own style sheet
// and script.
import { html, type Html } from './html';

export function page({
  cspSource,
  nonce,
  script,
  style,
}: Readonly<Record<'cspSource' | 'nonce' | 'script' | 'style', string>>): string {
  const policy = `default-src 'none'; style-src ${cspSource}; script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'`;
  const compareHint = 'Runs the last prompt with and without drafts and shows both times.';
  const compare = button('compare', 'Compare with plain decoding', compareHint);
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="stylesheet" href="${style}" />
        <title>Flashline statistics</title>
      </head>
      <body>
        <main>
          <h1>Flashline statistics</h1>
          ${section('accepted', 'Accepted suggestions')} ${section('requests', 'Recent requests')}
          ${section('why', 'Why this suggestion')} ${section('ledger', 'Speed ledger', compare)}
          <div id="comparison" aria-live="polite"></div>
          ${section('last-rounds', 'Rounds of the last request')}
        </main>
        <script nonce="${nonce}" src="${script}"></script>
      </body>
    </html>`.text;
}

/** Renders a heading, the element to fill, and the content below it. */
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
