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
  [
    'a class of C# with braces on their own lines',
    'public class Cart : ICart\n{\n    private readonly List<Line> _lines = new();\n\n    /// <summary>Lines.</summary>\n    public int Count { get; set; }\n\n    public void Add(Line line)\n    {\n        if (line == null)\n        {\n            return;\n        }\n        _lines.Add(line);\n    }\n\n    public Line First => _lines[0];\n}\n\npublic class Next\n{\n}\n',
    'public class Cart : ICart\n    private readonly List<Line> _lines = new();\n    public int Count { get; set; }\n    public void Add(Line line)\n    public Line First => _lines[0];',
  ],
  [
    'an indented class of C# whose lines end as on Windows',
    '  struct Point\r\n  {\r\n    public int X;\r\n\r\n    public int Y()\r\n    {\r\n      return 1;\r\n    }\r\n  }\r\n',
    '  struct Point\n    public int X;\n    public int Y()',
  ],
  [
    'a class of PHP with braces on their own lines',
    'final class Cart\n{\n    private array $lines = [];\n\n    public function add(Line $line): void\n    {\n        $this->lines[] = $line;\n    }\n}\n',
    'final class Cart\n    private array $lines = [];\n    public function add(Line $line): void',
  ],
  ['a function with braces on their own lines', 'int add(int a)\n{\n    return a;\n}\n', 'int add(int a)'],
  [
    'a function with a parameter of type object and braces on their own lines',
    'public override bool Equals(object other)\n{\n    return true;\n}\n',
    'public override bool Equals(object other)',
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

  it('recognizes types by keywords, and functions by keywords or parameters', () => {
    const types = 'class interface struct trait impl enum protocol record object module namespace'.split(' ');
    for (const word of types) assert.equal(outline(`${word} A {\n  b\n    c\n}\n`), `${word} A {\n  b`, word);
    for (const word of 'function def func fn fun sub'.split(' '))
      assert.equal(outline(`${word} a {\n  b\n}\n`), `${word} a`, word);
    for (const header of [
      'const f = (a) => {',
      'int add(int a) {',
      'add(a): A<B> {',
      'pub(crate) add() -> A {',
    ])
      assert.equal(outline(`${header}\n  b\n}\n`), header.slice(0, -2), header);
    assert.equal(outline('const f = (a) =>\n  b;\n'), 'const f = (a) =>');
    assert.equal(outline('const classes = {\n  b,\n};\n'), 'const classes = {\n  b,\n};');
  });

  it('drops comments and ends of blocks between the members of a type, and keeps attributes', () => {
    const lines = ['// a', '/* a', ' * a', '# a', '-- a', '"""a', "'''a", '', ')', '],', '};'];
    for (const line of lines)
      assert.equal(outline(`class A {\n  ${line}\n  b;\n}\n`), 'class A {\n  b;', line);
    assert.equal(outline('struct A {\n  #[serde]\n  b: C,\n}\n'), 'struct A {\n  #[serde]\n  b: C,');
  });

  it('has the fields that methods set, once, and no other assignments', () => {
    const fieldsOf = (line: string) =>
      outline(`class A:\n  def b(self):\n    ${line}\n`).split('\n').slice(2);
    for (const [line, field] of [
      ['self.a = 1', '  self.a'],
      ['this.$ä1=1', '  this.$ä1'],
      ['self.a: B[C] = 1', '  self.a: B[C]'],
    ] as const)
      assert.deepEqual(fieldsOf(line), [field]);
    for (const line of ['self.a == 1', 'self.a.b = 1', 'other.a = 1', 'self.a()', 'self.a += 1'])
      assert.deepEqual(fieldsOf(line), [], line);
    assert.deepEqual(fieldsOf('self.a = 1\n    self.a = 2'), ['  self.a']);
  });

  it('has decorators and the parameters of a signature, in up to eight lines', () => {
    const parameters = (count: number) =>
      ['def f(', ...Array.from({ length: count }, (_, i) => `    p${String(i)},`), '):'].join('\n');
    assert.equal(outline(`@a\n@b(\n  c)\ndef f(x):\n    return x\n`), '@a\n@b(\n  c)\ndef f(x):');
    assert.equal(outline(`${parameters(6)}\n    return 1\n`), parameters(6));
    assert.equal(outline(`${parameters(7)}\n    return 1\n`), 'def f(');
    assert.equal(outline('def f[\n  T\n](a):\n    return 1\n'), 'def f[\n  T\n](a):');
    assert.equal(outline('def f(a[\n  1]):\n    return 1\n'), 'def f(a[\n  1]):');
  });

  it('has at most 30 lines of a type and 12 of a value', () => {
    const members = Array.from({ length: 100 }, (_, i) => `  m${String(i)}() {}`).join('\n');
    assert.equal(outline(`class Large {\n${members}\n}\n`).split('\n').length, 30);
    const values = Array.from({ length: 100 }, (_, i) => `  ${String(i)},`).join('\n');
    assert.equal(outline(`const LIST = [\n${values}\n];\n`).split('\n').length, 12);
  });
});
