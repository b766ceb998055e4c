// Tests each step of cleaning, on documents with a cursor. The output of the model is in ⟦ ⟧. The second text
// is the part that the step keeps, and is missing if that is all of the output.
import assert from 'node:assert/strict';
import { balanceBrackets } from '../../../server/completion/suggestion/balanceBrackets';
import { cleanSuggestion, type Step } from '../../../server/completion/suggestion/cleanSuggestion';
import { completeEndTags } from '../../../server/completion/suggestion/completeEndTags';
import { convertIndentation } from '../../../server/completion/suggestion/convertIndentation';
import { cutOtherFileName } from '../../../server/completion/suggestion/cutOtherFileName';
import { cutRepetition } from '../../../server/completion/suggestion/cutRepetition';
import { dropLinesThatFollow } from '../../../server/completion/suggestion/dropLinesThatFollow';
import { keepWordsWhole } from '../../../server/completion/suggestion/keepWordsWhole';
import { removeSuffixOverlap } from '../../../server/completion/suggestion/removeSuffixOverlap';
import { setLastComma } from '../../../server/completion/suggestion/setLastComma';
import { trimEnd } from '../../../server/completion/suggestion/trimEnd';
import { contextAt, markedDocument } from '../../support/cursor';

type Fixture = readonly [title: string, document: string, kept?: string | undefined, language?: string];

/** Returns the rest of a fixture whose output lists one item for each value; the step keeps the first three. */
function counted<T extends string | number>(
  separator: string,
  start: string,
  values: Iterable<T>,
  itemOf: (value: T) => string,
  language = 'typescript',
): readonly [document: string, kept: string, language: string] {
  const items = Array.from(values, itemOf);
  return [`${start}${items.join(separator)}⟧\n`, items.slice(0, 3).join(separator), language];
}

const SWITCH = 'switch (a) {\n⟦';
const IDEA = '.idea/markdown-navigator.xml\n.idea/markdown-navigator-enh.xml';

/** Nine lines that have no shape in common. */
const CYCLE = 'ant(); let bee; cow++; dog = 1; eel.x(); fox[0]; gnu?.y; hen = "z"; ibis--;'
  .split(/(?<=;) /)
  .map((line) => `${line}\n`);

const FIXTURES: Readonly<Record<string, readonly [Step, readonly Fixture[]]>> = {
  removeSuffixOverlap: [
    removeSuffixOverlap,
    [
      ['the rest of the line', 'const x = ⟦y + 1;⟧ + 1;\n', 'y'],
      ['a semicolon', 'x = ⟦a * b;⟧;\n', 'a * b'],
      ['the rest of the line before more lines', 'f(⟦a, b);\ng()⟧, b);\n', 'a'],
      ['a copy of the rest of the word', 're⟦turn x⟧turn x;\n', ''],
      ['the rest after another space', 'a = ⟦b + c;⟧  + c;\n', 'b '],
      ['following lines', 'f()⟦;\n  g();\n}⟧\n  g();\n}\n', ';'],
      ['keeps a text with one letter in common with the rest', 'const ⟦name⟧ean = 1;\n'],
      ['keeps a letter that begins the next word', '[⟦f(i) for i⟧ in a]\n', undefined, 'python'],
      ['keeps a text that the next line repeats', 'x = ⟦g()⟧\ng()\n'],
      ['keeps a word that follows itself', 'a {\n  padding: ⟦1em⟧ 1em;\n}\n', undefined, 'css'],
      ['leaves a bracket before more lines to balanceBrackets', 'f(⟦a)\nb⟧)\n'],
      ['leaves a lone bracket to balanceBrackets', 'f(g(⟦x)⟧)\n'],
    ],
  ],
  dropLinesThatFollow: [
    dropLinesThatFollow,
    [
      ['the next line', 'a();\n⟦b();⟧\nb();\n', ''],
      ['the next line beyond blank ones', '⟦a();\nb();⟧\n\n\nb();\n', 'a();'],
      ['the next line with other white space', '⟦a();\n  f(a,  b);⟧\nf(a, b);\n', 'a();'],
      ['text that completes a copy of the next line', 'const a⟦ = 1;⟧\nconst a = 1;\n', ''],
      ['a bracket with the same indentation', '{\n  ⟦a();\n}⟧\n}\n', 'a();'],
      ['keeps a bracket that lies deeper', '{\n  ⟦if (a) {\n    b();\n  }⟧\n}\n'],
      ['keeps a word that ends a block deeper', 'if a\n  if b\n    c\n  ⟦end⟧\nend\n', undefined, 'ruby'],
      ['keeps a tag that ends an element deeper', '<a>\n  <b>\n  ⟦</b>⟧\n</b>\n', undefined, 'html'],
      ['keeps a line that a block of the text repeats', 'if ⟦(a) {\n  return b;\n}⟧\nreturn b;\n'],
      ['keeps a line that a Python block repeats', 'if ⟦a:\n    return b⟧\nreturn b\n', undefined, 'python'],
      [
        'a line that follows, at the end of a block',
        'if (a) {⟦\n  b();\n  c();\n}⟧\n  c();\n}\n',
        '\n  b();',
      ],
      ['the next line directly after an opener, whatever closes it', 'f(⟦a, b⟧\n  a, b));\n', ''],
      ['keeps a word of a line like the next', '<⟦td⟧>a</td>\n<td>a</td>\n', undefined, 'html'],
      ['keeps a text after which its line goes on', '<⟦div⟧ id="a">\n<div\n', undefined, 'html'],
      [
        'lines of a block that already has them deeper',
        'a:⟦\n  b: 1\n  c: 2⟧\n    b: 1\n    c: 2\n',
        '',
        'yaml',
      ],
      ['items that follow at the column of their key', 'a:⟦\n  - b: 1⟧\n- b: 1\n', '', 'yaml'],
      ['keeps lines that only look alike', '⟦a(1);⟧\na(2);\n'],
      ['keeps a line that comes again later', '⟦a();⟧\nb();\na();\n'],
    ],
  ],
  balanceBrackets: [
    balanceBrackets,
    [
      ['a closer that follows the cursor', 'f(⟦a);⟧)\n', 'a'],
      ['a surplus closer', 'f(g(⟦a)));⟧)\n', 'a)'],
      ['the end of a function', '{\n  ⟦a();\n}\nb();⟧\n}\n', 'a();\n'],
      ['a closer after a string', 'log("⟦hi (")⟧")\n', 'hi ('],
      ['keeps a closer that the document lacks', 'f(⟦a);⟧\n'],
      ['keeps an opening brace that later lines close', 'class A {\n  f(a⟦): void {⟧\n    b();\n  }\n}\n'],
      ['keeps the end of a block', 'if (a) {⟦\n  b();\n}⟧\n'],
      ['keeps lines that close what the editor has closed', 'if (⟦a) {\n  b();\n}⟧)\n'],
      ['keeps brackets in strings', 'f(⟦"a)", /\\)/⟧)\n'],
      ['keeps brackets in a comment', '// ⟦1) the first⟧\n'],
      ['recognizes Python comments', 'f(⟦a,  # )\n  b⟧)\n', undefined, 'python'],
      ['a comment that would swallow the rest of the line', 'f(⟦a // b⟧)\n', 'a'],
      ['a comment, and closes what is open before it', '⟦f(a, // b⟧\n', 'f(a)'],
      ['distinguishes a lifetime from a string', "fn f(⟦a: &'a str, b: &'a str⟧)\n", undefined, 'rust'],
    ],
  ],
  convertIndentation: [
    convertIndentation,
    [
      ['spaces in place of tabs', '{\n\ta();\n\t⟦if (b) {\n    c();\n  }⟧\n}\n', 'if (b) {\n\t\tc();\n\t}'],
      ['tabs in place of spaces', '{\n  a();\n  ⟦if (b) {\n\t\tc();\n\t}⟧\n}\n', 'if (b) {\n    c();\n  }'],
      ['indentation that the line already has', '{\n  ⟦  a();⟧\n}\n', 'a();'],
      [
        'indentation that the line already has, on all lines',
        '{\n  a();\n  ⟦  b();\n    c();⟧\n}\n',
        'b();\n  c();',
      ],
      [
        'indentation that the line already has, around a blank line',
        '{\n  a();\n  ⟦  b();\n\n    c();⟧\n}\n',
        'b();\n\n  c();',
      ],
      ['a single space too many', 'def f():\n    a()\n    ⟦ b()⟧\n', 'b()', 'python'],
      ['keeps correct indentation', '{\n  a();\n  ⟦if (b) {\n    c();\n  }⟧\n}\n'],
      ['keeps missing indentation', 'if a:\n⟦    b()⟧\n', undefined, 'python'],
      ['keeps a level that the line lacks', 'if (a) {\n  if (b) {\n  ⟦  c();⟧\n  }\n}\n'],
      ['a blank that was typed', 'a ⟦ || 1;⟧\n', '|| 1;'],
      ['keeps a blank after a word', 'a⟦ || 1;⟧\n'],
      ['keeps blanks that align a column', 'name      text,\nage   ⟦    int,⟧\n', undefined, 'sql'],
    ],
  ],
  cutRepetition: [
    cutRepetition,
    [
      ['the same line', '⟦a.push(1);\na.push(1);\na.push(1);\nb();⟧\n', 'a.push(1);'],
      ['the same lines', '⟦go(1);\ngo(2);\ngo(1);\ngo(2);\ngo(1);\ngo(2);⟧\n', 'go(1);\ngo(2);'],
      ['a line from above', 'call();\ncall();\n⟦call();⟧\n', ''],
      ['words in a line, which is not cut inside', `⟦a();\n// ${'and so on '.repeat(12)}⟧\n`, 'a();'],
      ['short lines', 'x += 1\nx += 1\nx += 1\n⟦x += 1\nx += 1⟧\n', ''],
      ['lines that count, after three', ...counted('\n', '⟦', [1, 2, 3, 4], (i) => `a${i} = ${i};`)],
      ['cases that count', ...counted('\n', SWITCH, [1, 2, 3, 4], (i) => `case ${i}:\n  f();`)],
      ['a list that counts', ...counted(', ', 'a = [1, 2, 3, ⟦', [4, 5, 6, 7, 8], String)],
      ['hexadecimal numbers', ...counted(', ', 'a = [0x00, 0x01, ⟦', [2, 3, 4, 5, 6, 7], (i) => `0x0${i}`)],
      // Reported in microsoft/vscode-copilot-release#3588.
      ['two alternating lines', `.idea/tasks.xml\n⟦${`${IDEA}\n`.repeat(4)}⟧`, IDEA, 'plaintext'],
      ['the same line with white space at its end', '⟦a();\na(); \na();\nb();⟧\n', 'a();'],
      [
        'lines that count, with white space at their ends',
        '⟦a1();\na2(); \na3();\na4();⟧\n',
        'a1();\na2(); \na3();',
      ],
      [
        'lines that count, after a beginning',
        '⟦b();\na1();\na2();\na3();\na4();⟧\n',
        'b();\na1();\na2();\na3();',
      ],
      [
        'lines that differ only in their numbers, with white space at an end',
        `⟦${[3, 1, 9, 2, 7, 5, 8].map((n) => `go(${String(n)});${n === 9 ? ' ' : ''}`).join('\n')}⟧\n`,
        'go(3);\ngo(1);\ngo(9); \ngo(2);\ngo(7);\ngo(5);',
      ],
      [
        'eight lines, repeated',
        `⟦${CYCLE.slice(0, 8).join('').repeat(3)}⟧`,
        CYCLE.slice(0, 8).join('').trimEnd(),
      ],
      ['keeps nine lines, repeated', `⟦${CYCLE.join('').repeat(3)}⟧`],
      ['keeps equal closers', '⟦}\n}\n}⟧\n'],
      ['keeps equal lines of numbers', '⟦0,\n0,\n0,⟧\n'],
      ['keeps versions', 'a = ⟦["1.2.3", "1.2.4", "1.3.0", "2.0.0"]⟧\n'],
      ['names that count', ...counted(', ', 'a = [o_1, o_2, ⟦', [3, 4, 5, 6, 7], (i) => `o_${i}`)],
      [
        'names that count, with the cursor inside a name',
        's = a1 + a2 + a⟦3 + a4 + a5 + a6 + a7⟧\n',
        '3 + a4 + a5',
      ],
      ['calls with two arguments', ...counted(', ', 'f(1, 2), ⟦', [3, 5, 7, 9], (i) => `f(${i}, ${i})`)],
      // The endings of Vim's swap files, as in the templates of github/gitignore, continued.
      [
        'names that count by letters',
        ...counted(', ', '"*.swp", "*.swo", ⟦', 'nmlkj', (letter) => `"*.sw${letter}"`),
      ],
      ['letters without commas', 'for x in a b c ⟦d e f g h i j k l m⟧\n', 'd e f', 'shellscript'],
      ['lines that count by letters', ...counted('\n', '⟦', 'abcde', (letter) => `let ${letter} = next();`)],
      ['the same long items', ...counted(', ', 'a = f(⟦', 'bbbbb', () => 'self.a[book]')],
      ['keeps ends of blocks', '⟦      end\n    end\n  end\nend⟧\n', undefined, 'ruby'],
      ['keeps words of one length', 'a = [⟦"cat", "bat", "rat", "hat", "mat"⟧]\n'],
      ['keeps lines of like names', '⟦use cat\nuse bat\nuse rat\nuse hat\nuse mat⟧\n', undefined, 'perl'],
      [
        'repeated objects, without leaving one open',
        "a = [{ b: 'Ann' }, { b: '⟦Ann' }, { b: 'Ann' }, { b: 'Ann' }, { b: 'Ann' }, { b: '⟧' }]\n",
        "Ann' }, { b: 'Ann' }, { b: 'Ann' }",
      ],
      ['long items that count', ...counted(' ', 'f"⟦', 'cdefgh', (letter) => `{${letter}['a']}`, 'python')],
      // PEP 701 (Python 3.12) allows the quotes of a string in its fields.
      [
        'a list in the field of a string with the same quotes',
        'print(f"{", ".join(["v1", ⟦"v2", "v3", "v4", "v5", "v6"])}"⟧)\n',
        '"v2", "v3", "v4"',
        'python',
      ],
      ['strings after an apostrophe', ...counted(', ', "f(\"it's\", 'v1', ⟦", '23456', (n) => `'v${n}'`)],
      ['keeps a few letters', 'f(⟦a, b, c, d)⟧\n'],
      ['a list that would stay open', `a = ⟦[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]⟧\n`, ''],
      // The days of the months, as a published calendar has them.
      ['keeps numbers that differ', 'd = ⟦[31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]⟧\n'],
      ['keeps a number of like digits', 'a = ⟦0xffffffff, 0x00000000⟧\n'],
      ['repeated lines after a beginning', '⟦start();\nloop();\nloop();\nloop();⟧\n', 'start();\nloop();'],
      ['keeps the same line twice', '⟦next();\nnext();⟧\n'],
      ['keeps a row of numbers', 'a = [⟦0, 0, 0, 0, 0, 0, 0, 0⟧]\n'],
      ['keeps a line of hyphens', '// ⟦--------------------------⟧\n'],
      ['keeps rows of brackets', '⟦        }\n      }\n    }\n  }\n}⟧\n'],
      [
        'lines that differ only in their numbers, after six',
        `⟦${[3, 1, 9, 2, 7, 5, 8, 4].map((n) => `go(${String(n)});`).join('\n')}⟧\n`,
        [3, 1, 9, 2, 7, 5].map((n) => `go(${String(n)});`).join('\n'),
      ],
      ['keeps lines whose numbers differ', '⟦[3, 1],\n[7, 5],\n[2, 0],\n[9, 9],\n[4, 1],⟧\n'],
      ['keeps three lines that count', '⟦a1 = 1;\na2 = 2;\na3 = 3;⟧\n'],
      ['keeps rows of a table', '⟦[1, 0, 0],\n[0, 1, 0],\n[0, 0, 1],⟧\n'],
    ],
  ],
  setLastComma: [
    setLastComma,
    [
      ['the comma before a brace', '{\n  "a": ⟦1,⟧\n}\n', '1', 'json'],
      ['the comma before a bracket', '[⟦1, 2,⟧]\n', '1, 2', 'json'],
      ['the comma after a string that the editor has closed', '{\n  "name": "⟦a",⟧"\n}\n', 'a"', 'json'],
      ['the comma in JSON with comments', '{ "a": ⟦[1],⟧ }\n', '[1]', 'jsonc'],
      ['keeps the comma between two entries', '{\n  ⟦"a": 1,⟧\n  "b": 2\n}\n', undefined, 'json'],
      ['keeps the comma in other languages', 'a = {\n  b: ⟦1,⟧\n}\n'],
      ['keeps a key whose value is missing', '{\n  ⟦"a"⟧\n  "b": 2\n}\n', undefined, 'json'],
      ['keeps a comment', '[\n  // ⟦see 1⟧\n  2\n]\n', undefined, 'jsonc'],
      ['keeps a text before more text', '[\n  ⟦1⟧2,\n  3\n]\n', undefined, 'json'],
      ['keeps a text that ends no entry', '{\n  "a": ⟦{⟧\n  "b": 2\n}\n', undefined, 'json'],
      ['keeps lines that are not a list', '⟦{ "a": 1 }⟧\n{ "a": 2 }\n', undefined, 'jsonl'],
    ],
  ],
  completeEndTags: [
    completeEndTags,
    [
      ['the end tag of an element that the editor has ended', '<p>a ⟦b</p></p>⟧</p>\n', 'b', 'html'],
      [
        'end tags that the editor has inserted, with the text between them',
        '<p><code>⟦a</code> b</p>⟧</code></p>\n',
        'a',
        'html',
      ],
      ['a half end tag before a whole one', 'return <b>⟦{a}</⟧</b>;\n', '{a}', 'javascriptreact'],
      ['a half end tag without an open element', 'a⟦b</⟧\n', 'b', 'html'],
      ['keeps the end tag of an element of the text', '<p>⟦<b>a</b> c⟧</p>\n', undefined, 'html'],
      ['keeps the end tag of another element', '<p><b>⟦a</b> c⟧</p>\n', undefined, 'html'],
      ['keeps an end tag whose bracket follows', '<p>a⟦</p⟧>\n', undefined, 'html'],
      ['keeps a half end tag in a string', 'a = `⟦</⟧`;\n'],
      ['keeps code that only resembles a tag', 'if (a ⟦< b && c</d/⟧.e)\n'],
    ],
  ],
  trimEnd: [
    trimEnd,
    [
      ['spaces', '⟦a();  ⟧\n', 'a();'],
      ['blank lines', '⟦a();\n\n  ⟧\n', 'a();'],
      ['a space that follows the cursor', 'a = ⟦b ⟧ + c\n', 'b'],
      ['blank lines before a closer', 'f({⟦\n  a,\n\n⟧});\n', '\n  a,\n'],
      ['keeps a line end before a closer', 'f({⟦\n  a,\n⟧});\n'],
      ['keeps a space before a word', 'a ⟦= ⟧b\n'],
      ['an output of spaces only', 'a⟦  ⟧\n', ''],
      ['an output of line ends only', 'a⟦\n\n⟧\n', ''],
      ['an output of a no-break space only', 'a⟦\u00a0⟧', ''],
      ['keeps leading white space', 'if a:⟦\n    b()⟧\n'],
    ],
  ],
  cutOtherFileName: [
    cutOtherFileName,
    [
      ['the name of another file', '⟦// other.ts\n// a();⟧', ''],
      ['the name of another file after code', '\n⟦a();\n\n# lib/other.py\nb()⟧', 'a();', 'python'],
      ['the name of another file as the rest of a comment', '// ⟦src/other.ts⟧\n', ''],
      ['the name of another file in an HTML comment', '⟦<!-- File: a.html -->⟧', '', 'html'],
      ['keeps the name of the document itself', '⟦// src/sample.ts\na();⟧'],
      ['keeps a sentence about a file', '⟦// See other.ts\na();⟧'],
      ['keeps the name of another file within a document', 'a();\n⟦// other.ts⟧\n'],
    ],
  ],
  keepWordsWhole: [
    keepWordsWhole,
    [
      ['text that would tear a word apart', 'const items = [];\nf(item⟦ = ⟧s[0]);\n', ''],
      ['text that makes a name the document lacks', 'f(item⟦List⟧s[0]);\n', ''],
      ['a word that the next word would join', 'f(⟦a⟧b);\n', ''],
      ['text that a word cannot follow', 'export type ⟦A = {}⟧B = {\n', ''],
      ['keeps text before a word in a template', 'const a = `${⟦b}⟧c`;\n'],
      ['keeps braces before a word of an element', '<p>⟦{{ a }}⟧b</p>\n', undefined, 'vue'],
      ['keeps text that makes a name of the document', 'const itemLists = [];\nf(item⟦List⟧s[0]);\n'],
      ['keeps text that ends before a word', 'f(⟦a, ⟧b);\n'],
      ['keeps text that follows a word', 'f(item⟦s[0]⟧);\n'],
    ],
  ],
  cleanSuggestion: [
    cleanSuggestion,
    [
      ['quote and bracket', 'log("⟦hello");\nlog("x⟧");\n', 'hello'],
      ['text that repeats the rest of the line', 'f(⟦);⟧);\n', ''],
      ['the end of a call after an object', 'f({⟦\n  a: 1,\n});\n⟧});\n', '\n  a: 1,\n'],
      ['the end of the function', '{\n  ⟦  a();\n  }\n⟧\n}\n', 'a();'],
      ['keeps a condition with both of its branches', 'if (a) {⟦\n  b();\n} else {\n  c();\n}⟧\nd();\n'],
    ],
  ],
};

describe('setLastComma', () => {
  const cases: readonly (readonly [title: string, document: string, text: string])[] = [
    ['before a key', '{\n  "a": "║\n  "b": 2\n}\n', 'x"'],
    ['after a string of a list', '[\n  ║\n  "b"\n]\n', '"a"'],
    ['before an item', '[\n  1,\n  ║\n  3\n]\n', '2'],
    ['after an object', '{\n  "a": ║\n  "b": 2\n}\n', '{\n    "c": true\n  }'],
  ];
  for (const [title, document, text] of cases)
    it(`adds a comma ${title}`, () => {
      assert.equal(cleanSuggestion(text, contextAt(document, 'json')), `${text},`);
    });
});

for (const [name, [step, fixtures]] of Object.entries(FIXTURES))
  describe(`the step ${name}`, () => {
    for (const [title, document, kept, language] of fixtures)
      it(kept === undefined ? title : `removes ${title}`, () => {
        const context = contextAt(document, language);
        const { inserted } = markedDocument(document);
        const result = step(inserted, context);
        assert.equal(result, kept ?? inserted);
        assert.equal(step(result, context), result, 'a second application changes the text');
      });
  });

describe('completeEndTags', () => {
  it('completes an end tag that the text begins', () => {
    const list = '  return <ul>{items.map((item) => (║))}</ul>;\n';
    const item = '<li key={item}>{item}</li';
    assert.equal(completeEndTags(item, contextAt(list, 'typescriptreact')), `${item}>`);
    const script = contextAt('<body>\n  <script>║\n', 'html');
    assert.equal(completeEndTags('\n    run();\n  </', script), '\n    run();\n  </script>');
    assert.equal(completeEndTags('a<br>b</', contextAt('<p>║\n', 'html')), 'a<br>b</p>');
  });
});
