// The next edit: each case makes edits in a document, from one text to the next, and says what the hint would lead to.
import assert from 'node:assert/strict';
import { Edits, type TextChange } from '../../server/completion/edits';
import { nextEdit } from '../../server/completion/nextEdit';

/** A document in which ⟦old→new⟧ marks are edits, made in the order of their numbers or else of the text. */
class Typing {
  readonly edits = new Edits();
  constructor(
    public text: string,
    private readonly languageId = 'typescript',
  ) {}

  change(...changes: readonly TextChange[]): this {
    this.edits.changed('file:///a.ts', { before: this.text, changes });
    for (const { start, end, text } of changes)
      this.text = this.text.slice(0, start) + text + this.text.slice(end);
    return this;
  }

  /** Selects the first `old` behind `after` and types `text` over it, key by key. */
  replace(after: string, old: string, text: string): this {
    const start = this.text.indexOf(old, this.text.indexOf(after) + after.length);
    assert.ok(this.text.includes(after) && start >= 0, `no ${old} behind ${after}`);
    if (text === '') return this.change({ start, end: start + old.length, text });
    [...text].forEach((key, i) => {
      this.change({ start: start + i, end: start + i + (i === 0 ? old.length : 0), text: key });
    });
    return this;
  }

  /** The line of the hint with the edit in it, or undefined. */
  get hint(): string | undefined {
    const { edits, text, languageId } = this;
    const recent = edits.recent('file:///a.ts', text);
    const found = recent && nextEdit(recent, { text, languageId });
    if (found === undefined) return undefined;
    const from = text.lastIndexOf('\n', found.start - 1) + 1;
    const line = text.slice(from, found.start) + `⟦${found.text}⟧` + text.slice(found.end);
    return line.split('\n', 1).join().trim();
  }
}

const SUM = `function sum(values: number[]) {
  let count = 0;
  for (const value of values) count += value;
  console.log('count', counts, count); // count
  return count;
}
`;

describe('the next edit', () => {
  it('renames a variable at the next place, and at the one after that', () => {
    const typing = new Typing(SUM).replace('let ', 'count', 'total');
    assert.equal(typing.hint, 'for (const value of values) ⟦total⟧ += value;');
    typing.replace('values) ', 'count', 'total');
    assert.equal(typing.hint, "console.log('⟦total⟧', counts, count); // count");
  });

  it('leaves longer words, strings and comments out of a rename', () => {
    const text = "const a = size;\nsizes(resize, 'size'); // size\n/* size */\nreturn size;\n";
    assert.equal(new Typing(text).replace('a = ', 'size', 'width').hint, 'return ⟦width⟧;');
  });

  it('renames what a template fills in', () => {
    const text = 'const size = 1;\nlog(`size ${size}`);\n';
    assert.equal(new Typing(text).replace('const ', 'size', 'width').hint, 'log(`size ${⟦width⟧}`);');
  });

  it('takes members for members and variables for variables', () => {
    const text = 'use(box.size);\nconst size = 1;\nuse(other.size);\n';
    assert.equal(new Typing(text).replace('box.', 'size', 'width').hint, 'use(other.⟦width⟧);');
    assert.equal(new Typing(text).replace('const ', 'size', 'width').hint, undefined);
  });

  it('goes on from the top of the file', () => {
    const text = 'import { read } from "fs";\n\nread();\n';
    assert.equal(new Typing(text).replace('\n\n', 'read', 'load').hint, 'import { ⟦load⟧ } from "fs";');
  });

  it('takes a name that was made longer as renamed', () => {
    const text = 'getUser(1);\ngetUser(2);\n';
    const typing = new Typing(text);
    [...'ById'].forEach((key, i) => typing.change({ start: 7 + i, end: 7 + i, text: key }));
    assert.equal(typing.hint, '⟦getUserById⟧(2);');
  });

  it('knows names of other languages, and their comments', () => {
    const text = 'größe = 1  # größe\nprint("größe")\nprint(größe)\n';
    assert.equal(new Typing(text, 'python').replace('', 'größe', 'weite').hint, 'print(⟦weite⟧)');
  });

  it('needs two edits of another kind', () => {
    const typing = new Typing('draw(1, red);\ndraw(2, red);\ndraw(3, red);\nfill(red);\nconst blue = 1;\n');
    assert.equal(typing.replace('draw(1, ', 'red', 'blue').hint, undefined);
    assert.equal(typing.replace('draw(2, ', 'red', 'blue').hint, 'draw(3, ⟦blue⟧);');
  });

  it('goes on with a type that was added twice, and not where it is', () => {
    const text = 'const a = load(x);\nconst b = load(x);\nconst c = await load(x);\nconst d = load(x);\n';
    const typing = new Typing(text).replace('a = ', '', 'await ').replace('b = ', '', 'await ');
    assert.equal(typing.hint, 'const d = ⟦await ⟧load(x);');
    const types = new Typing('f(a, key);\ng(b, key);\nh(c, key);\n');
    types.replace('f(a, key', '', ': string').replace('g(b, key', '', ': string');
    assert.equal(types.hint, 'h(c, key⟦: string⟧);');
  });

  it('goes on with quotes that were changed twice', () => {
    const typing = new Typing("use(a, 'x');\nuse(b, 'x');\nuse(c, 'x');\n");
    typing.replace('use(a, ', "'x'", '"x"').replace('use(b, ', "'x'", '"x"');
    assert.equal(typing.hint, 'use(c, ⟦"x"⟧);');
  });

  it('goes on with what was deleted twice', () => {
    const typing = new Typing('use(a, 1, true);\nuse(b, 1, true);\nuse(c, 1, true);\n');
    typing.replace('a, 1', ', true', '').replace('b, 1', ', true', '');
    assert.equal(typing.hint, 'use(c, 1⟦⟧);');
  });

  for (const [what, typed] of [
    ['a new line', 'const total = count * 2;\n'],
    ['more of a line', ' + count'],
    ['a closing bracket', ')'],
    ['white space', '  '],
  ] as const)
    it(`says nothing after ${what} was typed`, () => {
      assert.equal(new Typing(SUM).replace('count = 0;\n', '', typed).hint, undefined);
    });

  it('says nothing after keywords and numbers were changed once', () => {
    assert.equal(new Typing(SUM).replace('{\n  ', 'let', 'var').hint, undefined);
    assert.equal(new Typing('a(1);\nb(1);\n').replace('a(', '1', '2').hint, undefined);
  });

  it('says nothing after an undo, nor does what was undone count', () => {
    const typing = new Typing(SUM).replace('let ', 'count', 'total');
    const start = typing.text.indexOf('total');
    assert.equal(typing.change({ start, end: start + 5, text: 'count' }).hint, undefined);
    const later = new Typing(SUM).replace('let ', 'count', 'total').replace('return ', 'count', 'total');
    assert.equal(later.replace('return ', 'total', 'count').hint, undefined);
  });

  it('says nothing after several lines were changed at once', () => {
    const typing = new Typing('size();\nsize();\nsize();\n');
    typing.change({ start: 8, end: 12, text: 'width' }, { start: 0, end: 4, text: 'width' });
    assert.equal(typing.hint, undefined);
  });

  it('forgets a document that was replaced', () => {
    const typing = new Typing(SUM).replace('let ', 'count', 'total');
    typing.edits.forget('file:///a.ts');
    assert.equal(typing.hint, undefined);
  });

  it('keeps line ends of Windows out of the edit', () => {
    const typing = new Typing(SUM.replaceAll('\n', '\r\n')).replace('let ', 'count', 'total');
    assert.equal(typing.hint, 'for (const value of values) ⟦total⟧ += value;');
  });

  it('looks at neither long texts nor long lines', () => {
    const far = `${'other();\n'.repeat(50_000)}`;
    assert.equal(new Typing(`size();\n${far}size();\n`).replace('', 'size', 'width').hint, undefined);
    assert.equal(
      new Typing(`size();\nsize(${'1, '.repeat(400)});\n`).replace('', 'size', 'width').hint,
      undefined,
    );
  });
});
