// Files in the README's picture of ghost text, in the order in which they are opened. The last one is visible.
interface PicturedFile {
  readonly name: string;
  readonly languageId: string;
  /** Text with ‸ at the cursor. */
  readonly marked: string;
  /** Ghost text in the picture. */
  readonly ghost?: string;
}

export const PICTURED: readonly PicturedFile[] = [
  {
    name: 'stack.ts',
    languageId: 'typescript',
    marked: `export class Stack<T> {
  private readonly items: T[] = [];

  push(item: T): void {
    this.items.push(item);
  }

  pop(): T | undefined {
    ‸
  }
}
`,
  },
  {
    name: 'statistics.py',
    languageId: 'python',
    marked: `def mean(values):
    return sum(values) / len(values)


def variance(values):
    center = mean(values)
    ‸
`,
  },
  {
    name: 'fetchJson.js',
    languageId: 'javascript',
    marked: `// Reads JSON from a server, or says why there is none.

export async function fetchJson(url) {
  const response = await fetch(url);
  if (!response.ok) {
    ‸
  }
  return response.json();
}
`,
    ghost: 'throw new Error(`Failed to fetch ${url}: ${response.status}`);',
  },
];
