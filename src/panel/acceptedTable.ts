// Table of accepted suggestions: a row for each day with its languages, newest first.
import type { AcceptedByDay } from '../ghostText/acceptedByDay';
import { languageName } from '../gate/documentLanguage';
import { html, numberCell, table, type Html } from './html';

export function acceptedTable(days: AcceptedByDay): Html {
  const rows = Object.entries(days).reverse();
  if (rows.length === 0) return html`<p>No suggestion has been accepted yet.</p>`;
  const body = rows.map(([day, counts]) => {
    const languages = Object.entries(counts).sort(([, a], [, b]) => b - a);
    const total = languages.reduce((sum, [, count]) => sum + count, 0);
    return html`<tr data-day="${day}">
      <th scope="row" class="text">${day}</th>
      <td class="text words">
        ${languages.map(([id, count]) => `${languageName(id)} ${String(count)}`).join(', ')}
      </td>
      ${numberCell(total)}
    </tr>`;
  });
  return html`<div class="scroll">
    ${table('accepted-table', [['Day', 'Languages'], ['Accepted']], body)}
  </div>`;
}
