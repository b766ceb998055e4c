// Lays out text in columns, for people who read it in a terminal.

/** Formats rows of cells with aligned columns, indented by two spaces. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ');
  return rows.map((row) => `  ${line(row).trimEnd()}`).join('\n');
}
