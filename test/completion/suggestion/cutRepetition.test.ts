// Tests texts that repeat lines or items, or count on.
import { cutRepetition } from '../../../server/completion/suggestion/cutRepetition';
import { describeStep } from './describeStep';

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

describeStep(cutRepetition, [
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
]);
