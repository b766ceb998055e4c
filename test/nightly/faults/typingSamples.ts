// Texts for which the built-in pair suggests something at the cursor ║; tests type them repeatedly.
import type { TypingSample } from './editedDocument';

const MARKED: readonly (readonly [name: string, languageId: string, text: string])[] = [
  ['add.ts', 'typescript', 'function add(a: number, b: number) {\n  return a +║;\n}\n'],
  ['area.py', 'python', 'def area(width, height):\n    return width *║\n\n\nprint(area(2, 3))\n'],
  [
    'stack.ts',
    'typescript',
    'class Stack {\n  items: number[] = [];\n\n  push(item: number): void {\n    ║\n  }\n}\n',
  ],
  ['mean.py', 'python', 'def mean(values):\n    """Returns the average."""\n    ║\n'],
];

export const TYPING_SAMPLES: readonly TypingSample[] = MARKED.map(([name, languageId, text]) => {
  const [before = '', after = ''] = text.split('║');
  return { name, languageId, before, after };
});
