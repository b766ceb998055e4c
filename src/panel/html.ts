// Tagged templates for HTML, which escape every value that is not HTML already: html`<td>${value}</td>`. The panel is
// rendered as text, so that its numbers can be tested without a browser.

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
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Head of a column; `hint` explains it on hover. */
export interface Head {
  readonly title: string;
  readonly hint: string;
}

/** Renders a table with columns of text, then of numbers, by their heads; row names have an empty head. */
export function table(
  id: string,
  [texts, numbers]: readonly [readonly string[], readonly (string | Head)[]],
  rows: readonly Html[],
): Html {
  const heading = (kind: string, head: string | Head): Html => {
    if (head === '') return html`<td></td>`;
    const { title, hint } = typeof head === 'string' ? { title: head, hint: '' } : head;
    return html`<th scope="col" class="${kind}" title="${hint}">${title}</th>`;
  };
  return html`<table id="${id}">
    <thead>
      <tr>
        ${[...texts.map((head) => heading('text', head)), ...numbers.map((head) => heading('number', head))]}
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;
}

/** Renders a cell with the unrounded number in `data-value`, which is empty for an unknown one. */
export function numberCell(value: number | null, format?: (value: number) => string): Html {
  return html`<td class="number" data-value="${value ?? ''}">${valueText(value, format)}</td>`;
}

/** Formats a number; "unknown" for null. */
export function valueText(value: number | null, format: (value: number) => string = String): string {
  return value === null ? 'unknown' : format(value);
}
