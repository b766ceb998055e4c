export interface CsvOptions {
  delimiter?: string;
  quote?: string;
  header?: boolean;
}

export type CsvRow = Record<string, string>;

const DEFAULTS: Required<CsvOptions> = { delimiter: ',', quote: '"', header: true };

export function parseCsv(text: string, options: CsvOptions = {}): CsvRow[] {
  const { delimiter, quote, header } = { ...DEFAULTS, ...options };
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const rows = lines.map((line) => splitLine(line, delimiter, quote));
  const [first] = rows;
  if (first === undefined) return [];
  const names = header ? first : first.map((_, index) => `column${index + 1}`);
  const body = header ? rows.slice(1) : rows;
  return body.map((cells) => toRow(names, cells));
}

function splitLine(line: string, delimiter: string, quote: string): string[] {
  const cells: string[] = [];
  let cell = '';
  let quoted = false;
  for (let i = 0; i < line.length; i++) {
    const char = line[i];
    if (char === quote) {
      if (quoted && line[i + 1] === quote) {
        cell += quote;
        i++;
      } else {
        quoted = !quoted;
      }
    } else if (char === delimiter && !quoted) {
      cells.push(cell);
      cell = '';
    } else {
      cell += char;
    }
  }
  cells.push(cell);
  return cells;
}

function toRow(names: string[], cells: string[]): CsvRow {
  const row: CsvRow = {};
  names.forEach((name, index) => {
    row[name] = cells[index] ?? '';
  });
  return row;
}

export function formatCsv(rows: CsvRow[], delimiter = DEFAULTS.delimiter): string {
  const [first] = rows;
  if (first === undefined) return '';
  const names = Object.keys(first);
  const body = rows.map((row) => names.map((name) => row[name] ?? '').join(delimiter));
  return [names.join(delimiter), ...body].join('\n');
}
