// HTML text in which every value is escaped unless it is HTML already: html`<td>${value}</td>`.
// The panel is drawn here, as text, so that its numbers can be tested without a browser.

export class Html {
  constructor(readonly text: string) {}
}

type Value = string | number | Html | readonly Html[];

export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  let text = parts[0] ?? '';
  values.forEach((value, i) => {
    text += `${rendered(value)}${parts[i + 1] ?? ''}`;
  });
  return new Html(text);
}

function rendered(value: Value): string {
  if (value instanceof Html) return value.text;
  if (typeof value === 'string') return escaped(value);
  if (typeof value === 'number') return String(value);
  return value.map(({ text }) => text).join('');
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (each) => `&#${each.charCodeAt(0)};`);
}

/** The head of a column; `hint` explains it on hover. */
export interface Head {
  readonly title: string;
  readonly hint: string;
}

/** A table with columns of text, then of numbers, by their heads; an empty head is for the names of the rows. */
export function table(
  id: string,
  [texts, numbers]: readonly [readonly string[], readonly (string | Head)[]],
  rows: readonly Html[],
): Html {
  const head = (kind: string, of: string | Head): Html => {
    if (of === '') return html`<td></td>`;
    const { title, hint } = typeof of === 'string' ? { title: of, hint: '' } : of;
    return html`<th scope="col" class="${kind}" title="${hint}">${title}</th>`;
  };
  return html`<table id="${id}">
    <thead>
      <tr>
        ${[...texts.map((title) => head('text', title)), ...numbers.map((title) => head('number', title))]}
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;
}

/** Carries the number unrounded in `data-value`, which is empty for one that is not known. */
export function numberCell(value: number | null, format?: (value: number) => string): Html {
  return html`<td class="number" data-value="${value ?? ''}">${known(value, format)}</td>`;
}

/** In the given form; a word for one that is not known. */
export function known(value: number | null, format: (value: number) => string = String): string {
  return value === null ? 'unknown' : format(value);
}
