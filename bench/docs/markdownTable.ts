// Formats a Markdown table like prettier. Escapes bars in cells.
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const escaped = rows.map((cells) => cells.map((cell) => cell.replaceAll('|', '\\|')));
  const [heads = [], ...body] = escaped;
  const widths = heads.map((_, i) => Math.max(3, ...escaped.map((cells) => cells[i]?.length ?? 0)));
  const line = (cells: readonly string[], fill = ' '): string =>
    `| ${widths.map((width, i) => (cells[i] ?? '').padEnd(width, fill)).join(' | ')} |`;
  return [line(heads), line([], '-'), ...body.map((cells) => line(cells))].join('\n');
}
