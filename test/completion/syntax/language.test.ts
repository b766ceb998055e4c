// Tests the facts about languages that prompts and suggestions depend on: comments, lines that open and close blocks,
// elements, names and indentation.
import assert from 'node:assert/strict';
import {
  canCloseBlock,
  closesBlock,
  commentLines,
  continuesName,
  elementsIn,
  isComment,
  opensBlock,
  usualIndentation,
} from '../../../server/completion/syntax/language';

const ELEMENTS = 'html xml vue svelte javascriptreact typescriptreact';
/** Languages by their comments, with a line that is a comment and a line that is code. */
const COMMENTS: readonly (readonly [languageIds: string, comment: string, code: string])[] = [
  [
    'python ruby shellscript yaml toml makefile dockerfile r perl elixir julia coffeescript powershell nim gdscript',
    '# a',
    '// a',
  ],
  ['sql lua haskell elm', '-- a', '# a'],
  ['html xml markdown vue svelte', '<!-- a -->', '// a'],
  ['css', '/* a */', '// a'],
  ['typescript go rust java csharp php kotlin c scss a-new-language', '// a', '# a'],
];

describe('the comments of a language', () => {
  for (const [languageIds, comment, code] of COMMENTS)
    it(`have the form ${comment} in ${languageIds}`, () => {
      for (const languageId of languageIds.split(' ')) {
        assert.equal(commentLines(' a\n', '', languageId), `${comment}\n`, languageId);
        assert.equal(
          commentLines('b\r\nc', '\t', languageId),
          `\tb\n\tc\n`.replace(/[bc]/g, (letter) => comment.replace('a', letter)),
        );
        assert.equal(isComment(`  ${comment}`, languageId), true, languageId);
        assert.equal(isComment(code, languageId), false, languageId);
      }
    });

  it('cannot be closed by their text', () => {
    assert.equal(commentLines('a --> b -->', '', 'html'), '<!-- a  b  -->\n');
    assert.equal(commentLines('a */ b', '', 'css'), '/* a  b */\n');
  });

  it('include lines within a block comment', () => {
    for (const line of ['/* a', ' * a', ' *', ' */']) {
      assert.equal(isComment(line, 'typescript'), true, line);
      assert.equal(isComment(line, 'python'), false, line);
      assert.equal(isComment(line, 'html'), false, line);
    }
    assert.equal(isComment('*a', 'css'), false);
  });
});

/** Lines that open a block and lines that do not, by language. */
const OPENERS: readonly (readonly [
  languageIds: string,
  opens: readonly string[],
  others: readonly string[],
])[] = [
  [
    'typescript python ruby go a-new-language',
    ['f(', 'a = [', 'a = {', '(a) =>', 'f( '],
    ['f()', 'a = 1', '', 'a >= b', '}'],
  ],
  ['typescript go', ['f( // why', 'f({ // {'], ['f() // (', 'case 1:']],
  ['python yaml coffeescript nim gdscript', ['if a:', 'a: # b'], ['a', '# a']],
  [
    'ruby',
    [
      ...'def class module if elsif else unless while until for case when begin rescue ensure'
        .split(' ')
        .map((word) => `${word} a`),
      'a.each do',
      'a.each do |b|',
      'if a then',
      'a = begin',
      'x else',
    ],
    ['end', 'def a; end', 'definition', 'a if b', 'redo', 'a | b |'],
  ],
  [
    'lua',
    ['while a do', 'if a then', 'else', 'repeat', 'function f(a)', 'local function f()', 'a = function(b)'],
    ['a()', 'until b', 'f(function() end)', 'redo'],
  ],
  ['shellscript', ['while a; do', 'if a; then', 'else', 'case $a in'], ['done', 'fi', 'within', 'undo']],
  ['elixir', ['def a do', 'else', 'rescue', 'after', 'a ->'], ['end', 'a - b', 'undo']],
  [
    'julia',
    [
      ...'function macro struct module if elseif else for while let begin try catch finally'
        .split(' ')
        .map((word) => `${word} a`),
      'mutable struct A',
      'map(a) do',
      'map(a) do x, y',
      'a = begin',
    ],
    ['end', 'f() = 1', 'if a b end', 'structure'],
  ],
  ['sql', ['IF a THEN', 'else', 'BEGIN', 'x begin'], ['END', 'SELECT a', 'authenthen']],
  [
    ELEMENTS,
    ['<p>', '<p class="a">', '  <a-b:c.d>', 'a <p>'],
    ['<br>', '<img src="a">', '<p/>', '<a />', '</p>', 'f<T>', 'f()<T>', '<p>a'],
  ],
  ['css typescript go', [], ['<p>', 'do', 'def a', 'begin']],
];

/** Lines that close a block and lines that do not, by language. */
const CLOSERS: readonly (readonly [
  languageIds: string,
  closes: readonly string[],
  others: readonly string[],
])[] = [
  ['ruby', ['end', '  elsif a', 'else', 'when b', 'rescue', 'ensure', 'end.map'], ['ending', 'a end', 'if']],
  ['lua', ['end', 'elseif a', 'else', 'until b', 'end)'], ['ended', 'a = 1']],
  ['shellscript', ['done', 'fi', 'esac', 'elif a', 'else', 'done < a'], ['file', 'if']],
  ['elixir', ['end', 'else', 'rescue', 'catch', 'after'], ['ends', 'do']],
  ['julia', ['end', 'elseif a', 'else', 'catch', 'finally'], ['ends', 'for']],
  ['sql', ['END', 'end;', 'else', 'WHEN a'], ['ends', 'SELECT']],
  [ELEMENTS, ['</p>', '  </'], ['<p>', 'a</p>']],
  ['typescript python constructor', [], ['}', 'end', '</p>', 'else']],
];

describe('a line', () => {
  for (const [languageIds, opens, others] of OPENERS)
    for (const [isOpener, lines] of [
      [true, opens],
      [false, others],
    ] as const)
      if (lines.length > 0)
        it(`opens ${isOpener ? 'a' : 'no'} block in ${languageIds}: ${lines.join(' ¦ ')}`, () => {
          for (const languageId of languageIds.split(' '))
            for (const line of lines)
              assert.equal(opensBlock(line, languageId), isOpener, `${languageId}: ${line}`);
        });

  for (const [languageIds, closes, others] of CLOSERS)
    for (const [isCloser, lines] of [
      [true, closes],
      [false, others],
    ] as const)
      if (lines.length > 0)
        it(`closes ${isCloser ? 'a' : 'no'} block in ${languageIds}: ${lines.join(' ¦ ')}`, () => {
          for (const languageId of languageIds.split(' '))
            for (const line of lines)
              assert.equal(closesBlock(line, languageId), isCloser, `${languageId}: ${line}`);
        });

  it('can still close a block while its first word is incomplete', () => {
    for (const [languageId, line, isPossible] of [
      ['ruby', '  en', true],
      ['ruby', '', true],
      ['ruby', 'en ', false],
      ['html', '  <', true],
      ['html', '<p', false],
      ['typescript', 'en', false],
    ] as const)
      assert.equal(canCloseBlock(line, languageId), isPossible, `${languageId}: ${line}`);
  });
});

describe('elementsIn', () => {
  for (const [text, open, foreignEnds] of [
    ['<a><b>', ['a', 'b'], []],
    ['<a><b></b>', ['a'], []],
    ['<a><b></a>', [], []],
    ['a</b>c</d>', [], [1, 6]],
    ['<a/><b c="d" />', [], []],
    ['<a b="<c>" d=\'<e>\'>', ['a'], []],
    ['<a-b.c:d>', ['a-b.c:d'], []],
    ['<a b={() => c} />', [], []],
    ['<a b={() => ({ c: { d: 1 > 0 } })}>', ['a'], []],
    ['1 < 2 > 3', [], []],
    ...'area base br col embed hr img input link meta source track wbr'
      .split(' ')
      .map((name) => [`<${name}>`, [], []] as const),
    ['<brand>', ['brand'], []],
  ] as const)
    it(`finds ${open.length} open elements and ${foreignEnds.length} foreign end tags in ${text}`, () => {
      assert.deepEqual(elementsIn(text), { open, foreignEnds });
    });
});

describe('one level of indentation in a text that shows none', () => {
  it('is the usual one of the language', () => {
    for (const [unit, languageIds] of [
      ['\t', 'go makefile gdscript'],
      ['    ', 'python c cpp csharp java kotlin php rust swift perl plaintext'],
      ['  ', 'typescript ruby html json a-new-language'],
    ] as const)
      for (const languageId of languageIds.split(' '))
        assert.equal(usualIndentation(languageId), unit, languageId);
  });
});

describe('a text after a name', () => {
  it('continues it with letters, digits and, in some languages, hyphens', () => {
    for (const languageId of 'css scss sass less stylus html xml vue svelte clojure lisp scheme'.split(' '))
      assert.equal(continuesName('-a', languageId), true, languageId);
    for (const [text, isContinued] of [
      ['a', true],
      ['1', true],
      ['_', true],
      ['$', true],
      ['ä', true],
      ['-a', false],
      [' a', false],
      ['(', false],
      ['', false],
    ] as const)
      assert.equal(continuesName(text, 'typescript'), isContinued, text);
  });
});
