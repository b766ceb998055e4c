// Tests outlines of definitions, in languages with brackets and in languages with indentation.
import assert from 'node:assert/strict';
import { outline } from '../../../server/completion/prompt/outline';

const CASES: readonly (readonly [definition: string, source: string, expected: string])[] = [
  [
    'a function without its body, and nothing that follows',
    'export function add(a: number, b: number): number {\n  return a + b;\n}\n\nfunction other() {}\n',
    'export function add(a: number, b: number): number',
  ],
  [
    'a signature over several lines',
    'function add(\n  a: number,\n  b: number,\n): number {\n  return a + b;\n}\n',
    'function add(\n  a: number,\n  b: number,\n): number',
  ],
  [
    'a class with its members',
    'class Cart {\n  private lines = [];\n\n  // Adds one.\n  add(line) {\n    this.lines.push(line);\n    this.count = 1;\n  }\n\n  get size() {\n    return this.lines.length;\n  }\n}\nclass Next {}\n',
    'class Cart {\n  private lines = [];\n  add(line)\n  this.count\n  get size()',
  ],
  [
    'a class of Python with the fields that it sets',
    'class Oven:\n    """Bakes."""\n\n    def __init__(self, trays: int) -> None:\n        self.trays: int = trays\n        self.celsius = 20\n\n    def preheat(self, celsius):\n        self.celsius = celsius\n\nMAX = 3\n',
    'class Oven:\n    def __init__(self, trays: int) -> None:\n    self.trays: int\n    self.celsius\n    def preheat(self, celsius):',
  ],
  [
    'a decorated class',
    '@dataclass\nclass Recipe:\n    title: str\n    servings: int = 4\n\n    def grams(self) -> int:\n        return 1\n',
    '@dataclass\nclass Recipe:\n    title: str\n    servings: int = 4\n    def grams(self) -> int:',
  ],
  ['a value', 'export const MAX = 40;\nexport const MIN = 2;\n', 'export const MAX = 40;'],
  [
    'a value of several lines',
    'const DAYS = {\n  fern: 3,\n  cactus: 14,\n};\nconst OTHER = 1;\n',
    'const DAYS = {\n  fern: 3,\n  cactus: 14,\n};',
  ],
  ['a function without braces', 'def half(x):\n    return x / 2\n', 'def half(x):'],
  ['lines that end as on Windows', 'def half(x):\r\n    return x / 2\r\n', 'def half(x):'],
  ['an empty text', '', ''],
];

describe('outline', () => {
  for (const [definition, source, expected] of CASES)
    it(`shortens ${definition}`, () => {
      assert.equal(outline(source), expected);
    });

  it('has at most 30 lines of a type and 12 of a value', () => {
    const members = Array.from({ length: 100 }, (_, i) => `  m${String(i)}() {}`).join('\n');
    assert.equal(outline(`class Large {\n${members}\n}\n`).split('\n').length, 30);
    const values = Array.from({ length: 100 }, (_, i) => `  ${String(i)},`).join('\n');
    assert.equal(outline(`const LIST = [\n${values}\n];\n`).split('\n').length, 12);
  });
});
