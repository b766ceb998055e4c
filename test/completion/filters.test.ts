// Each filter on documents with a cursor: what the model gave in brackets, and what stays of it. The second text
// is missing where all stays.
import assert from 'node:assert/strict';
import { bracketBalance, closedBehind } from '../../server/completion/text/closers';
import { completionContext } from '../../server/completion/prompt/context';
import {
  duplicateLines,
  filtered,
  filterList,
  indentation,
  lastComma,
  otherFileName,
  repetition,
  endTags,
  suffixOverlap,
  trailingWhitespace,
  type Filter,
  wholeWords,
} from '../../server/completion/text/filters';
import { contextAt, markedDocument } from '../support/cursor';

interface Fixture {
  readonly title: string;
  readonly document: string;
  /** What stays of the text in brackets; all of it unless given. */
  readonly stays?: string;
  readonly language?: string;
}

const FIXTURES: Readonly<Record<string, readonly [Filter, readonly Fixture[]]>> = {
  suffixOverlap: [
    suffixOverlap,
    [
      { title: 'the rest of the line', document: 'const x = ⟦y + 1;⟧ + 1;\n', stays: 'y' },
      { title: 'a sign', document: 'a = "b⟦c!⟧!"\n', stays: 'c' },
      { title: 'a semicolon', document: 'x = ⟦a * b;⟧;\n', stays: 'a * b' },
      { title: 'the rest of the line before more lines', document: 'f(⟦a, b);\ng()⟧, b);\n', stays: 'a' },
      { title: 'all of it', document: 're⟦turn x⟧turn x;\n', stays: '' },
      { title: 'the rest after another space', document: 'a = ⟦b + c;⟧  + c;\n', stays: 'b ' },
      { title: 'following lines', document: 'f()⟦;\n  g();\n}⟧\n  g();\n}\n', stays: ';' },
      { title: 'keeps one letter in common', document: 'const ⟦name⟧ean = 1;\n' },
      { title: 'leaves a lone bracket to the balance', document: 'f(g(⟦x)⟧)\n' },
      { title: 'keeps what has nothing in common', document: 'const a = ⟦b + c⟧ * 2;\n' },
      { title: 'keeps text at the end of a document', document: 'const a = ⟦b + c;⟧' },
    ],
  ],
  duplicateLines: [
    duplicateLines,
    [
      { title: 'the next line', document: 'a();\n⟦b();⟧\nb();\n', stays: '' },
      { title: 'the next line after others', document: '⟦a();\nb();\nc();⟧\nb();\n', stays: 'a();' },
      { title: 'the next line beyond blank ones', document: '⟦a();\nb();⟧\n\n\nb();\n', stays: 'a();' },
      { title: 'other white space in it', document: '⟦a();\n  f(a,  b);⟧\nf(a, b);\n', stays: 'a();' },
      { title: 'completed to the next line', document: 'const a⟦ = 1;⟧\nconst a = 1;\n', stays: '' },
      { title: 'a bracket with the same indentation', document: '{\n  ⟦a();\n}⟧\n}\n', stays: 'a();' },
      { title: 'keeps a bracket that lies deeper', document: '{\n  ⟦if (a) {\n    b();\n  }⟧\n}\n' },
      {
        title: 'keeps what a block of the text says too',
        document: 'if ⟦(a) {\n  return b;\n}⟧\nreturn b;\n',
      },
      {
        title: 'keeps the same in Python',
        document: 'if ⟦a:\n    return b⟧\nreturn b\n',
        language: 'python',
      },
      {
        title: 'a line of a block that stands there',
        document: 'if (a) {⟦\n  b();\n  c();\n}⟧\n  c();\n}\n',
        stays: '\n  b();',
      },
      { title: 'keeps lines that only look alike', document: '⟦a(1);⟧\na(2);\n' },
      { title: 'keeps what comes again later', document: '⟦a();⟧\nb();\na();\n' },
      { title: 'keeps all at the end of a document', document: '⟦a();\nb();⟧\n' },
    ],
  ],
  bracketBalance: [
    bracketBalance,
    [
      { title: 'a closer that stands there', document: 'f(⟦a);⟧)\n', stays: 'a' },
      { title: 'one too many', document: 'f(g(⟦a)));⟧)\n', stays: 'a)' },
      { title: 'the end of a function', document: '{\n  ⟦a();\n}\nb();⟧\n}\n', stays: 'a();\n' },
      { title: 'a closer after a string', document: 'log("⟦hi (")⟧")\n', stays: 'hi (' },
      { title: 'the second of two', document: 'a[b(⟦c)]⟧]\n', stays: 'c)' },
      { title: 'keeps a closer that is lacking', document: 'f(⟦a);⟧\n' },
      {
        title: 'keeps one that later lines lack',
        document: 'class A {\n  f(a⟦): void {⟧\n    b();\n  }\n}\n',
      },
      { title: 'keeps the end of a block', document: 'if (a) {⟦\n  b();\n}⟧\n' },
      { title: 'keeps what is balanced', document: 'f(⟦g(a), [b], { c }⟧)\n' },
      { title: 'keeps lines that close what the editor has closed', document: 'if (⟦a) {\n  b();\n}⟧)\n' },
      { title: 'keeps brackets in strings', document: 'f(⟦"a)", /\\)/⟧)\n' },
      { title: 'keeps brackets in a comment', document: '// ⟦1) the first⟧\n' },
      { title: 'knows Python comments', document: 'f(⟦a,  # )\n  b⟧)\n', language: 'python' },
      { title: 'a comment that would take in what follows', document: 'f(⟦a // b⟧)\n', stays: 'a' },
      {
        title: 'knows a lifetime from a string',
        document: "fn f(⟦a: &'a str, b: &'a str⟧)\n",
        language: 'rust',
      },
    ],
  ],
  indentation: [
    indentation,
    [
      {
        title: 'spaces where there are tabs',
        document: '{\n\ta();\n\t⟦if (b) {\n    c();\n  }⟧\n}\n',
        stays: 'if (b) {\n\t\tc();\n\t}',
      },
      {
        title: 'tabs where there are spaces',
        document: '{\n  a();\n  ⟦if (b) {\n\t\tc();\n\t}⟧\n}\n',
        stays: 'if (b) {\n    c();\n  }',
      },
      { title: 'indentation that is there', document: '{\n  ⟦  a();⟧\n}\n', stays: 'a();' },
      {
        title: 'the same on all lines',
        document: '{\n  a();\n  ⟦  b();\n    c();⟧\n}\n',
        stays: 'b();\n  c();',
      },
      {
        title: 'a single space too many',
        document: 'def f():\n    a()\n    ⟦ b()⟧\n',
        stays: 'b()',
        language: 'python',
      },
      { title: 'keeps what is as it should be', document: '{\n  a();\n  ⟦if (b) {\n    c();\n  }⟧\n}\n' },
      { title: 'keeps missing indentation', document: 'if a:\n⟦    b()⟧\n', language: 'python' },
      { title: 'keeps a level that the line lacks', document: 'if (a) {\n  if (b) {\n  ⟦  c();⟧\n  }\n}\n' },
      { title: 'a blank that was typed', document: 'a ⟦ || 1;⟧\n', stays: '|| 1;' },
      { title: 'keeps a blank behind a word', document: 'a⟦ || 1;⟧\n' },
      { title: 'keeps tabs among tabs', document: '{\n\ta();\n\t⟦if (b) {\n\t\tc();\n\t}⟧\n}\n' },
    ],
  ],
  repetition: [
    repetition,
    [
      {
        title: 'the same line',
        document: '⟦a.push(1);\na.push(1);\na.push(1);\nb();⟧\n',
        stays: 'a.push(1);',
      },
      {
        title: 'the same lines',
        document: '⟦go(1);\ngo(2);\ngo(1);\ngo(2);\ngo(1);\ngo(2);⟧\n',
        stays: 'go(1);\ngo(2);',
      },
      { title: 'a line from above', document: 'call();\ncall();\n⟦call();⟧\n', stays: '' },
      {
        title: 'words in a line, which is not cut inside',
        document: `⟦a();\n// ${'and so on '.repeat(12)}⟧\n`,
        stays: 'a();',
      },
      { title: 'short lines', document: 'x += 1\nx += 1\nx += 1\n⟦x += 1\nx += 1⟧\n', stays: '' },
      { title: 'short calls', document: 'f(1)\nf(1)\n⟦f(1)\nf(1)⟧\n', stays: '' },
      {
        title: 'lines that count, after three',
        document: '⟦a1 = 1;\na2 = 2;\na3 = 3;\na4 = 4;⟧\n',
        stays: 'a1 = 1;\na2 = 2;\na3 = 3;',
      },
      {
        title: 'cases that count, after three',
        document: `switch (a) {\n⟦${[1, 2, 3, 4].map((i) => `case ${String(i)}:\n  f();\n`).join('')}⟧`,
        stays: 'case 1:\n  f();\ncase 2:\n  f();\ncase 3:\n  f();',
      },
      { title: 'a list that counts', document: 'a = [1, 2, 3, ⟦4, 5, 6, 7, 8⟧]\n', stays: '4, 5, 6' },
      { title: 'the same items', document: 'f(a, a, ⟦a, a, a, a)⟧\n', stays: 'a, a, a' },
      {
        title: 'numbers in hexadecimal that count',
        document: `a = [0x00, 0x01, ⟦${Array.from({ length: 20 }, (_, i) => `0x0${(i + 2).toString(16)}`).join(', ')}⟧]\n`,
        stays: '0x02, 0x03, 0x04',
      },
      {
        title: 'fractions that count',
        document: `a = [0.7, 0.8, ⟦${[9, 10, 11, 12, 13, 14].map((i) => (i / 10).toFixed(1)).join(', ')}⟧]\n`,
        stays: '0.9, 1.0, 1.1',
      },
      // Reported in microsoft/vscode-copilot-release#3588.
      {
        title: 'lines by turns',
        document: `.idea/tasks.xml\n⟦${'.idea/markdown-navigator.xml\n.idea/markdown-navigator-enh.xml\n'.repeat(4)}⟧`,
        language: 'plaintext',
        stays: '.idea/markdown-navigator.xml\n.idea/markdown-navigator-enh.xml',
      },
      { title: 'keeps versions', document: 'a = ⟦["1.2.3", "1.2.4", "1.3.0", "2.0.0"]⟧\n' },
      {
        title: 'names that count',
        document: 'a = [circle_1, ⟦circle_2, circle_3, circle_4, circle_5⟧]\n',
        stays: 'circle_2, circle_3, circle_4',
      },
      {
        title: 'a number that goes on in a name',
        document: 's = a1 + a2 + a⟦3 + a4 + a5 + a6 + a7⟧\n',
        stays: '3 + a4 + a5',
      },
      {
        title: 'calls with several arguments',
        document: 'f(1, 2), f(⟦3, 4), f(5, 6), f(7, 8), f(9, 10), f(11, 12)⟧\n',
        stays: '3, 4), f(5, 6), f(7, 8)',
      },
      { title: 'emoji', document: `a = "⟦${'😀😃😄😁'.repeat(4)}⟧"\n`, stays: '😀😃😄' },
      // The endings of Vim's swap files, as in the templates of github/gitignore, written on.
      {
        title: 'names that count through letters',
        document: 'ignore = "*.swp", "*.swo", ⟦"*.swn", "*.swm", "*.swl", "*.swk", "*.swj"⟧\n',
        stays: '"*.swn", "*.swm", "*.swl"',
      },
      {
        title: 'letters without commas',
        document: `for x in a b c ⟦${[...'defghijklm'].join(' ')}⟧\n`,
        language: 'shellscript',
        stays: 'd e f',
      },
      {
        title: 'lines that count through letters',
        document: `⟦${[...'abcde'].map((each) => `let ${each} = next();`).join('\n')}⟧\n`,
        stays: 'let a = next();\nlet b = next();\nlet c = next();',
      },
      {
        title: 'cases that count through letters',
        document: `switch (a) {\n⟦${[...'wxyz'].map((each) => `case '${each}':\n  f();\n`).join('')}⟧`,
        stays: "case 'w':\n  f();\ncase 'x':\n  f();\ncase 'y':\n  f();",
      },
      {
        title: 'the same long items, which no list needs',
        document: `a = Loan(⟦${Array.from({ length: 5 }, () => 'self.books[member]').join(', ')}⟧`,
        language: 'python',
        stays: 'self.books[member], self.books[member], self.books[member]',
      },
      {
        title: 'the same line, deeper each time',
        document: '⟦if ready:\n    if ready:\n        if ready:\n            if ready:⟧\n',
        language: 'python',
        stays: 'if ready:',
      },
      { title: 'keeps ends of blocks', document: '⟦      end\n    end\n  end\nend⟧\n', language: 'ruby' },
      { title: 'keeps words of one length', document: 'a = [⟦"cat", "bat", "rat", "hat", "mat"⟧]\n' },
      {
        title: 'keeps lines of like names',
        document: '⟦import cat\nimport bat\nimport rat\nimport hat\nimport mat⟧\n',
        language: 'python',
      },
      {
        title: 'objects, of which none stays open',
        document:
          "a = [{ name: 'Ann' }, { name: '⟦Ann' }, { name: 'Ann' }, { name: 'Ann' }, { name: 'Ann' }, { name: '⟧' }]\n",
        stays: "Ann' }, { name: 'Ann' }, { name: 'Ann' }",
      },
      {
        title: 'the same words of a comment',
        document: `// ⟦${Array.from({ length: 6 }, () => 'for example').join(', ')}⟧\n`,
        stays: 'for example, for example, for example',
      },
      {
        title: 'long items that count',
        document: `f"⟦${[...'cdefgh'].map((each) => `{${each}['a']}`).join(' ')}⟧"\n`,
        language: 'python',
        stays: "{c['a']} {d['a']} {e['a']}",
      },
      // As PEP 701 allows since Python 3.12: the quotes of the string come again in its field.
      {
        title: 'a list in the field of a string with the same quotes',
        document:
          `print(f"{', '.join(["v1", ⟦${[2, 3, 4, 5, 6].map((i) => `"v${String(i)}"`).join(', ')}])}"⟧)\n`.replaceAll(
            "'",
            '"',
          ),
        language: 'python',
        stays: '"v2", "v3", "v4"',
      },
      {
        title: 'a list of strings behind an apostrophe',
        document: "f(\"it's\", 'v1', ⟦'v2', 'v3', 'v4', 'v5', 'v6')⟧\n",
        stays: "'v2', 'v3', 'v4'",
      },
      { title: 'keeps a few letters', document: 'f(⟦a, b, c, d)⟧\n' },
      {
        title: 'a list that would stay open',
        document: `a = ⟦[${Array.from({ length: 20 }, (_, i) => String(i)).join(', ')}]⟧\n`,
        stays: '',
      },
      // The days of the months, as a published calendar has them.
      {
        title: 'keeps numbers that differ',
        document: 'd = ⟦[31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]⟧\n',
      },
      { title: 'keeps a short list', document: 'a = ⟦[1, 2, 3, 4, 5]⟧\n' },
      { title: 'keeps a number of like digits', document: 'a = ⟦0xffffffff, 0x00000000⟧\n' },
      {
        title: 'a circle after a beginning',
        document: '⟦start();\nloop();\nloop();\nloop();⟧\n',
        stays: 'start();\nloop();',
      },
      { title: 'keeps the same line twice', document: '⟦next();\nnext();⟧\n' },
      { title: 'keeps a row of numbers', document: 'a = [⟦0, 0, 0, 0, 0, 0, 0, 0⟧]\n' },
      { title: 'keeps a rule', document: '// ⟦--------------------------⟧\n' },
      { title: 'keeps rows of brackets', document: '⟦        }\n      }\n    }\n  }\n}⟧\n' },
      {
        title: 'keeps lines whose numbers differ',
        document: '⟦[3, 1],\n[7, 5],\n[2, 0],\n[9, 9],\n[4, 1],⟧\n',
      },
      { title: 'keeps three lines that count', document: '⟦a1 = 1;\na2 = 2;\na3 = 3;⟧\n' },
      { title: 'keeps rows of a table', document: '⟦[1, 0, 0],\n[0, 1, 0],\n[0, 0, 1],⟧\n' },
    ],
  ],
  lastComma: [
    lastComma,
    [
      { title: 'it before a brace', document: '{\n  "a": ⟦1,⟧\n}\n', language: 'json', stays: '1' },
      { title: 'it before a bracket', document: '[⟦1, 2,⟧]\n', language: 'json', stays: '1, 2' },
      {
        title: 'it behind a string that the editor has closed',
        document: '{\n  "name": "⟦a",⟧"\n}\n',
        language: 'json',
        stays: 'a"',
      },
      { title: 'it with comments allowed', document: '{ "a": ⟦[1],⟧ }\n', language: 'jsonc', stays: '[1]' },
      { title: 'keeps it between two', document: '{\n  ⟦"a": 1,⟧\n  "b": 2\n}\n', language: 'json' },
      { title: 'keeps it elsewhere', document: 'a = {\n  b: ⟦1,⟧\n}\n' },
    ],
  ],
  endTags: [
    endTags,
    [
      {
        title: 'what ends the element that the editor has ended',
        document: '<p>a ⟦b</p></p>⟧</p>\n',
        language: 'html',
        stays: 'b',
      },
      {
        title: 'it where the text goes on',
        document: '<p><code>⟦a</code> b</p>⟧</code></p>\n',
        language: 'html',
        stays: 'a',
      },
      {
        title: 'a half end tag before a whole one',
        document: 'return <b>⟦{a}</⟧</b>;\n',
        language: 'javascriptreact',
        stays: '{a}',
      },
      { title: 'a half end tag of nothing', document: 'a⟦b</⟧\n', language: 'html', stays: 'b' },
      {
        title: 'keeps what ends an element of its own',
        document: '<p>⟦<b>a</b> c⟧</p>\n',
        language: 'html',
      },
      { title: 'keeps what is no tag', document: 'if (a ⟦< b && c</d/⟧.e)\n' },
    ],
  ],
  trailingWhitespace: [
    trailingWhitespace,
    [
      { title: 'spaces', document: '⟦a();  ⟧\n', stays: 'a();' },
      { title: 'lines', document: '⟦a();\n\n  ⟧\n', stays: 'a();' },
      { title: 'a space that is there', document: 'a = ⟦b ⟧ + c\n', stays: 'b' },
      { title: 'blank lines before a closer', document: 'f({⟦\n  a,\n\n⟧});\n', stays: '\n  a,\n' },
      { title: 'keeps a line end before a closer', document: 'f({⟦\n  a,\n⟧});\n' },
      { title: 'keeps a space before a word', document: 'a ⟦= ⟧b\n' },
      { title: 'keeps text without any', document: '⟦a();⟧\n' },
      { title: 'all of it: spaces', document: 'a⟦  ⟧\n', stays: '' },
      { title: 'all of it: lines', document: 'a⟦\n\n⟧\n', stays: '' },
      { title: 'all of it: tabs', document: 'a⟦\t⟧', stays: '' },
      { title: 'all of it: a no-break space', document: 'a⟦\u00a0⟧', stays: '' },
      { title: 'keeps one character', document: 'a⟦;⟧\n' },
      { title: 'keeps leading white space', document: 'if a:⟦\n    b()⟧\n' },
    ],
  ],
  otherFileName: [
    otherFileName,
    [
      { title: 'the name of another file', document: '⟦// other.ts\n// a();⟧', stays: '' },
      {
        title: 'it behind code',
        document: '\n⟦a();\n\n# lib/other.py\nb()⟧',
        language: 'python',
        stays: 'a();',
      },
      { title: 'it as the rest of a comment', document: '// ⟦src/other.ts⟧\n', stays: '' },
      { title: 'it in a comment of HTML', document: '⟦<!-- File: a.html -->⟧', language: 'html', stays: '' },
      { title: 'keeps the own name', document: '⟦// src/sample.ts\na();⟧' },
      { title: 'keeps what is said of a file', document: '⟦// See other.ts\na();⟧' },
      { title: 'keeps it within a document', document: 'a();\n⟦// other.ts⟧\n' },
    ],
  ],
  wholeWords: [
    wholeWords,
    [
      {
        title: 'what would become part of a word',
        document: 'const items = [];\nf(item⟦ = ⟧s[0]);\n',
        stays: '',
      },
      { title: 'what makes an unknown name', document: 'f(item⟦List⟧s[0]);\n', stays: '' },
      { title: 'a word that the next one would join', document: 'f(⟦a⟧b);\n', stays: '' },
      { title: 'keeps what makes a known name', document: 'const itemLists = [];\nf(item⟦List⟧s[0]);\n' },
      { title: 'keeps what ends before a word', document: 'f(⟦a, ⟧b);\n' },
      { title: 'keeps what follows a word', document: 'f(item⟦s[0]⟧);\n' },
    ],
  ],
  filtered: [
    filtered,
    [
      { title: 'quote and bracket', document: 'log("⟦hello");\nlog("x⟧");\n', stays: 'hello' },
      { title: 'all that stands there', document: 'f(⟦);⟧);\n', stays: '' },
      { title: 'an object in a call', document: 'f({⟦\n  a: 1,\n});\n⟧});\n', stays: '\n  a: 1,\n' },
      { title: 'the end of the function', document: '{\n  ⟦  a();\n  }\n⟧\n}\n', stays: 'a();' },
      { title: 'only what follows', document: 'a();\n⟦b();\n⟧\nb();\n', stays: '' },
      { title: 'keeps a good suggestion', document: 'if (a) {⟦\n  b();\n} else {\n  c();\n}⟧\nd();\n' },
    ],
  ],
};

for (const [name, [filter, fixtures]] of Object.entries(FIXTURES))
  describe(`filter ${name}`, () => {
    for (const { title, document, stays, language } of fixtures)
      it(stays === undefined ? title : `takes ${title}`, () => {
        const context = contextAt(document, language);
        const { inserted } = markedDocument(document);
        const result = filter(inserted, context);
        assert.equal(result, stays ?? inserted);
        assert.equal(filter(result, context), result, 'a second time');
      });
  });

describe('filterList', () => {
  it('has fixtures for every filter', () => {
    for (const { name } of filterList) assert.ok((FIXTURES[name]?.[1].length ?? 0) >= 6, name);
  });
});

describe('endTags', () => {
  it('goes on to the end of a tag that the text begins', () => {
    const list = '  return <ul>{items.map((item) => (║))}</ul>;\n';
    const item = '<li key={item}>{item}</li';
    assert.equal(endTags(item, contextAt(list, 'typescriptreact')), `${item}>`);
    const script = contextAt('<body>\n  <script>║\n', 'html');
    assert.equal(endTags('\n    run();\n  </', script), '\n    run();\n  </script>');
    assert.equal(endTags('a<br>b</', contextAt('<p>║\n', 'html')), 'a<br>b</p>');
  });
});

describe('closedBehind', () => {
  for (const [marked, expected] of [
    ['if (⟦a) {\n  b();\n}⟧)\n', 1],
    ['f({⟦\n  a,\n}, b);⟧})\n', 2],
    ['f({⟦\n  a,\n});⟧})\n', 2],
    ['f({⟦\n  a,\n});\ng();⟧});\n', 2],
    ['f({⟦\n  a,\n});⟧});\n', 0],
    ['f(⟦(a) => {\n  b();\n}⟧)\n', 0],
    ['f(⟦a);⟧)\n', 0],
    ['f(⟦a) {\n  b();\n}⟧, c)\n', 0],
    ['f([⟦\n  a,\n});⟧])\n', 0],
  ] as const)
    it(`is ${String(expected)} at ${JSON.stringify(marked)}`, () => {
      const { text, offset, inserted } = markedDocument(marked);
      const document = { uri: 'a', fileName: 'a.ts', languageId: 'typescript', version: 1, text };
      assert.equal(closedBehind(inserted, completionContext(document, offset)), expected);
    });
});
