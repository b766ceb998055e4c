'use strict';

/** Rows of cells as plain text, the columns aligned. */
class TextTable {
  constructor(headers) {
    this.headers = headers;
    this.rows = [];
  }

  addRow(cells) {
    if (cells.length !== this.headers.length) {
      throw new Error(`expected ${this.headers.length} cells, got ${cells.length}`);
    }
    this.rows.push(cells.map((cell) => String(cell)));
    return this;
  }

  widths() {
    return this.headers.map((header, column) => {
      let width = header.length;
      for (const row of this.rows) {
        width = Math.max(width, row[column].length);
      }
      return width;
    });
  }

  toString() {
    const widths = this.widths();
    const lines = [formatRow(this.headers, widths)];
    lines.push(widths.map((width) => '-'.repeat(width)).join('  '));
    for (const row of this.rows) {
      lines.push(formatRow(row, widths));
    }
    return lines.join('\n');
  }
}

function formatRow(cells, widths) {
  const padded = cells.map((cell, column) => cell.padEnd(widths[column]));
  return padded.join('  ').trimEnd();
}

module.exports = { TextTable, formatRow };
