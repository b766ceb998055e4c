// Tests the text that is suggested at cursors where the text around them decides: the unit of indentation, strings,
// closers and words after the cursor, lines of a merge conflict, glued keywords, lone marks, end tags and keys of YAML;
// in each of the 21 languages if the language matters.
import assert from 'node:assert/strict';
import { completionContext } from '../../../server/completion/prompt/context';
import { suggest } from '../../../server/completion/session/suggest';
import { cleanSuggestion } from '../../../server/completion/suggestion/cleanSuggestion';
import { contextAt } from '../../support/cursor';
import { at, resources } from '../suggesting';

const LANGUAGES = (
  'typescript typescriptreact javascript javascriptreact python go rust java kotlin swift c cpp csharp php ruby ' +
  'shellscript lua css scss html vue'
).split(' ');

/** Returns the text that is shown at the ║ when the model writes `text`; '' if none is. */
async function suggestedText(
  document: string,
  text: string,
  languageId = 'typescript',
  trigger: 'automatic' | 'explicit' = 'automatic',
): Promise<string> {
  const request = { ...at(contextAt(document, languageId)), trigger };
  const { texts } = await suggest(request, resources([[text]]));
  return texts[0] ?? '';
}

/** Returns the text that is shown on request. */
const requestedText = (document: string, text: string, languageId?: string): Promise<string> =>
  suggestedText(document, text, languageId, 'explicit');

/** `shown` is the part of the model's `text` that is suggested. */
type Case = readonly [document: string, text: string, shown: string, languageId?: string];

describe('a suggestion in a document without indentation', () => {
  for (const [unit, text, shown] of [
    ['  ', 'a():\n    b()\n    if c:\n        d()', 'a():\n  b()\n  if c:\n    d()'],
    ['\t', 'a():\n    b()\n    if c:\n        d()', 'a():\n\tb()\n\tif c:\n\t\td()'],
    ['    ', 'a():\n  b()\n  if c:\n    d()', 'a():\n    b()\n    if c:\n        d()'],
  ] as const)
    it(`is indented as the editor is set: ${JSON.stringify(unit)}`, () => {
      const source = { uri: 'file:///a.py', fileName: 'a.py', languageId: 'python', text: 'def ' };
      const context = completionContext(source, 4, { editorUnit: unit });
      assert.equal(cleanSuggestion(text, context), shown);
      const indented = { ...source, text: 'def e():\n   f()\n\ndef ' };
      const indentedContext = completionContext(indented, indented.text.length, { editorUnit: unit });
      assert.equal(indentedContext.unit, '   ', 'the unit of the editor replaces that of the document');
      const threeSpaces = 'a():\n   b()\n   if c:\n      d()';
      for (const kept of [threeSpaces, 'a():\n     b()'])
        assert.equal(cleanSuggestion(kept, indentedContext), kept);
    });

  for (const [unit, shown] of [
    ['  ', '  b()\n  c()'],
    ['\t', '\tb()\n\tc()'],
  ] as const)
    it(`is indented as the editor is set from the start of a line on: ${JSON.stringify(unit)}`, () => {
      const source = { uri: 'file:///a.py', fileName: 'a.py', languageId: 'python', text: 'if a:\n' };
      const context = completionContext(source, source.text.length, { editorUnit: unit });
      assert.equal(cleanSuggestion('    b()\n    c()', context), shown);
    });

  it('is indented with tabs if the line of the cursor is, whatever other lines have', async () => {
    const spaces = '  a\n    b\n'.repeat(9);
    assert.equal(
      await requestedText(`s = \`\n${spaces}\`\nfunc f() {\n\t║\n}\n`, 'a()\n\tb()', 'go'),
      'a()\n\tb()',
    );
    assert.equal(await requestedText('f {\n\t║\n}\n', 'if (a) {\n\t\tb();\n\t}'), 'if (a) {\n\t\tb();\n\t}');
  });

  it('keeps the spaces of the model if the editor reports no unit', async () => {
    const text = 'a():\n  b()\n  if c:\n    d()';
    assert.equal(await requestedText('def ║', text, 'python'), text);
  });
});

describe('a string after the cursor', () => {
  for (const languageId of LANGUAGES.filter((id) => !['html', 'vue'].includes(id)))
    it(`keeps automatic suggestions away in ${languageId}`, async () => {
      assert.equal(await suggestedText('a = ║"text";\n', 'b', languageId), '');
      assert.equal(
        await suggestedText('a = "║";\n', 'b', languageId),
        'b',
        'nothing is suggested within the string',
      );
      assert.equal(
        await requestedText('a = ║"text";\n', 'b', languageId),
        '',
        'a value is joined to the string',
      );
      assert.equal(
        await requestedText('f(║"text");\n', 'b, ', languageId),
        'b, ',
        'a text that the string can follow is not suggested',
      );
    });

  const CASES: readonly Case[] = [
    ["const t = ok\n  ? 'a'\n  : ║'b';\n", 'ok ? ', ''],
    ['const a = `x`;\nconst b = ║`y`;\n', '`', '', 'javascript'],
    ["const b = [║'#fff'];\n", "'#000', ", "'#000', "],
    ["let a = &║'a str;\n", 'b', 'b', 'rust'],
    ["<p>║'tis</p>\n", 'So ', 'So ', 'html'],
    ['(see ║"foo" for more)\n', 'what is called', 'what is called', 'markdown'],
    ['<script>f(║"b");</script>\n', 'c', '', 'html'],
    ['<a href=║"b">c</a>\n', 'd', '', 'html'],
  ];
  for (const [document, text, shown, languageId] of CASES)
    it(`leaves ${JSON.stringify(shown)} of the output ${JSON.stringify(text)} at ${document.trim()}`, async () => {
      assert.equal(await requestedText(document, text, languageId), shown);
    });
});

describe('a text before a string', () => {
  it('is suggested on request if a value can follow it', async () => {
    const ends = [...', ; : = ? & | + * % < > ! ~ ^ / -'.split(' ').map((mark) => `b${mark}`), 'b ?? '];
    const words = 'return await yield throw case in of and or not import from'.split(' ');
    const spaced = [...words, 'raise', 'echo'].map((word) => `${word} `);
    for (const text of [...ends, ...words, ...spaced])
      assert.equal(await requestedText('a = ║"text";\n', text), text);
    for (const text of ['b', 'b.', 'c)', 'returned', 'b ? c', "'b'"])
      assert.equal(await requestedText('a = ║"text";\n', text), '', text);
  });

  it('is suggested automatically only if the quote after the cursor begins no string', async () => {
    for (const [text, languageId] of [
      ['$"text"', 'csharp'],
      ['@"text"', 'csharp'],
      ['#"text"#', 'swift'],
      ['"""text"""', 'python'],
      ["''", 'python'],
    ] as const)
      assert.equal(await suggestedText(`a = ║${text}\n`, 'b', languageId), '', text);
    for (const [document, languageId] of [
      ['a = b ║"\n', 'go'],
      ["a = 'b║'\n", 'python'],
      ["a = f('b║' + c)\n", 'python'],
      ["fn f<'b>(a: &║'b str, c: &'b str)\n", 'rust'],
      ['Run ║`b` (or "c")\n', 'markdown'],
      ['(see ║"b" for more)\n', 'markdown'],
      ['<p>See ║"b"</p>\n', 'html'],
    ] as const)
      assert.equal(await suggestedText(document, 'x', languageId), 'x', document);
  });
});

describe('single quotes around the cursor', () => {
  it('receive one whole character or nothing in languages where they enclose no string', async () => {
    for (const languageId of 'c cpp csharp go java julia kotlin rust scala'.split(' '))
      for (const [text, shown] of [
        ['a', 'a'],
        ['ab', ''],
        ["a' || b", 'a'],
        ['\\n', '\\n'],
        ["\\x4F' + b", '\\x4F'],
        ['\\u{1F600}', '\\u{1F600}'],
        ['\\x4', ''],
        ["'", ''],
        ['\n', ''],
      ] as const)
        assert.equal(await requestedText("a = '║'\n", text, languageId), shown, `${languageId}: ${text}`);
    assert.equal(await requestedText("a = b'║'\n", 'a', 'rust'), 'a');
    assert.equal(await requestedText("a = b'║'\n", 'ab', 'rust'), '');
    assert.equal(await requestedText("a = '║'\n", 'ab', 'python'), 'ab');
  });
});

describe('single quotes in a comment or a string', () => {
  for (const languageId of ['c', 'cpp', 'csharp', 'go', 'java', 'kotlin', 'rust'])
    it(`receive any text in ${languageId}`, async () => {
      for (const document of ["// The '║' flag\nf();\n", 'f("use \'║\' here");\n', "/* it's '║' */\n"])
        assert.equal(await requestedText(document, '--quiet', languageId), '--quiet', document);
    });
});

describe('a doubled quote in a string', () => {
  it('is a character of the string in SQL, which can also span several lines', async () => {
    assert.equal(await requestedText("a = '║';\n", "it''s", 'sql'), "it''s");
    assert.equal(await requestedText("run('select (\n  ║', a);\n", 'b) from c', 'sql'), 'b) from c');
    assert.equal(await requestedText('f(║);\n', "'a''b', ''", 'sql'), "'a''b', ''");
  });
});

describe('an escaped quote in a string of SQL', () => {
  it('is a character of the string, unless the text after it can follow the string', async () => {
    assert.equal(await requestedText("a = '║';\n", "it\\'s", 'sql'), "it\\'s");
    for (const line of [
      "a = 'it\\'s (b';",
      "-- it's",
      "# it's",
      "{# it's #}",
      "a like 'b' escape '\\' and c;",
    ])
      assert.equal(await requestedText(`${line}\nf(║);\ng('d');\n`, "'b');", 'sql'), "'b'", line);
  });
});

describe('a quote after the cursor in YAML', () => {
  it('closes the string of the cursor, however many strings follow', async () => {
    for (const quote of ["'", '"']) {
      const document = `a: ${quote}║${quote}\nb: ${quote}c${quote}\n`;
      assert.equal(await requestedText(document, `17${quote}`, 'yaml'), '17');
      assert.equal(await requestedText(document, `17${quote}\nb: ${quote}c${quote}`, 'yaml'), '17');
    }
    assert.equal(await requestedText("a: '║\nb: 'c'\n", "17'", 'yaml'), "17'");
  });
});

describe('the rest of the line after the cursor', () => {
  const CASES: readonly Case[] = [
    ['A<║> f() const {\n    b();\n}\n', 'double> f() const {\n    b();', 'double', 'cpp'],
    ['// Called "║");\n', 'b");\n// c', 'b', 'cpp'],
    ['f<║>(a,\n  b);\n', 'T>(a,\n  b);', 'T', 'cpp'],
  ];
  for (const [document, text, shown, languageId] of CASES)
    it(`is removed from a text before its brackets are closed: ${document.trim()} with ${text}`, async () => {
      assert.equal(await requestedText(document, text, languageId), shown);
    });
});

describe('a text that ends a statement', () => {
  it('is not suggested directly before text that continues a value', async () => {
    for (const [document, text, shown] of [
      ['a {\n  color: ║(0, 0, 0);\n}\n', '#000;', ''],
      ['a = ║.b;\n', 'c;', ''],
      ['if (a) ║ else b();\n', 'c();', 'c();'],
    ] as const)
      assert.equal(await requestedText(document, text, 'css'), shown);
  });
});

describe('the next line of a query', () => {
  it('is not suggested at the end of the line before', async () => {
    assert.equal(await requestedText('SELECT a, ║\nFROM c\nWHERE d;\n', 'b FROM c', 'sql'), 'b');
  });
});

describe('an angle bracket after the cursor', () => {
  const CASES: readonly Case[] = [
    ['let a: Map<║> = b;\n', 'string, Array<number>', 'string, Array<number>'],
    ['let a: Map<║> = b;\n', 'string, Array<number>> = b;', 'string, Array<number>'],
    ['let a: Promise<║>;\n', 'string>;', 'string'],
    ['let a: A<B<║>;\n', 'C<D>>', 'C<D>>'],
    ['let a: A<║>;\n', 'Map<B, () => C>', 'Map<B, () => C>'],
    ['std::map<int, ║> v;\n', 'std::vector<int>> v;', 'std::vector<int>', 'cpp'],
    ['fn f() -> Result<║> {\n}\n', 'Vec<u8>, Box<dyn Error>', 'Vec<u8>, Box<dyn Error>', 'rust'],
    ['<a ║>b</a>\n', 'href="/">', 'href="/"', 'html'],
  ];
  for (const [document, text, shown, languageId] of CASES)
    it(`closes what the text does not close: ${document.trim()} with ${text}`, async () => {
      assert.equal(await requestedText(document, text, languageId), shown);
    });
});

describe('a text within a regular expression', () => {
  for (const document of ['a = /║/;\n', 'a = /║/g;\n', 'b.replace(/║/g, c);\n'])
    it(`keeps quotes and brackets that are characters of it: ${document.trim()}`, async () => {
      assert.equal(await requestedText(document, '^["\'(]+$'), '^["\'(]+$');
    });

  for (const [document, text, shown] of [
    ['a = /b{║}/;\n', '1,3}', '1,3'],
    ['a = /[║]/;\n', 'a-z]', 'a-z'],
    ['a = /║/;\n', '[^"\\-]{1,3}\\}', '[^"\\-]{1,3}\\}'],
  ] as const)
    it(`does not repeat a closer that follows: ${document.trim()} with ${text}`, async () => {
      assert.equal(await requestedText(document, text), shown);
    });
});

describe('an empty string as the only argument', () => {
  it('is suggested before the closers of its call', async () => {
    for (const text of ['""', '"");', '"")'])
      assert.equal(await suggestedText('const a = b.split(║);\n', text, 'javascript'), '""');
  });

  it('is decoded again with the whole prompt if the output of the healed prompt lacks the string', async () => {
    // The fake tokenizer heals a word: the model repeats it, and writes no more.
    const used = resources([[' name'], ['Of("")']]);
    const { texts } = await suggest(at(contextAt('const a = name║;\n', 'javascript')), used);
    assert.deepEqual(texts, ['Of("")']);
    assert.equal(used.decoder.prompts.length, 2);
  });
});

describe('an output with a backslash before the quote after the cursor', () => {
  const CASES: readonly Case[] = [
    ["c == '║'\n", '\\', '', 'rust'],
    ["c == '║'\n", '\\n', '\\n', 'rust'],
    ["a = '║';\n", 'x\\', 'x'],
    ["a = '║';\n", 'x\\\\', 'x\\\\'],
    ["a = '║'\n", 'x\\', 'x', 'python'],
    ['a := `║`\n', 'C:\\', 'C:\\', 'go'],
  ];
  for (const [document, text, shown, languageId] of CASES)
    it(`is suggested as ${JSON.stringify(shown)}: ${JSON.stringify(text)} at ${document.trim()} in ${languageId ?? 'typescript'}`, async () => {
      assert.equal(await requestedText(document, text, languageId), shown);
    });
});

describe('a combining mark after the cursor', () => {
  for (const rest of ['\u0301e', '\u093f', '\u200dx', '\ufe0f'])
    it(`keeps suggestions away like the rest of a word: U+${(rest.codePointAt(0) ?? 0).toString(16)}`, async () => {
      assert.equal(await suggestedText(`const e║${rest} = 1;\n`, 'x'), '');
      assert.equal(await requestedText(`const e║${rest} = 1;\n`, 'x'), '');
    });
});

describe('a text that ends in an operator before a closer', () => {
  const CASES: readonly Case[] = [
    ['a(`${║}`);\n', "isOn ? 'active' : ", ''],
    ['if (a║)\n', ' && ', ''],
    ['f(a║)\n', ' + ', ''],
    ['f(a║)\n', ' + b', ' + b'],
    ['void f(║)\n', 'char *', 'char *', 'c'],
    ['f(a║)\n', ' and ', '', 'python'],
  ];
  for (const [document, text, shown, languageId] of CASES)
    it(`is ${shown === '' ? 'not ' : ''}suggested automatically: ${document.trim()} with ${text}`, async () => {
      assert.equal((await suggestedText(document, text, languageId)).trimEnd(), shown.trimEnd());
    });

  const OPERATORS =
    '- + / % = ^ | == === != !== <== >== && || ?? ? -= += *= /= %= |= &= <= >= => and or not instanceof in is'.split(
      ' ',
    );
  it('is not suggested, whichever operator ends it and whichever bracket follows', async () => {
    for (const operator of OPERATORS)
      for (const brackets of ['()', '[]', '{}']) {
        const [open = '', close = ''] = brackets;
        const document = `f${open}a║ ${close}\n`;
        assert.equal(await suggestedText(document, ` ${operator} `), '', operator);
        assert.equal(await suggestedText(document, ` ${operator} b`), ` ${operator} b`, operator);
      }
    for (const end of ['*', '&', 'a?', 'a!'])
      assert.notEqual(await suggestedText('f(║)\n', `a ${end}`), '', end);
    assert.notEqual(await suggestedText('f(║\n', 'a +'), '');
  });
});

describe('a closing bracket after the cursor', () => {
  for (const languageId of LANGUAGES)
    it(`gets a line of its own after a text of several lines in ${languageId}`, async () => {
      const isMarkup = languageId === 'vue' || languageId === 'html';
      const [head, tail] = isMarkup ? ['<style>\n', '</style>\n'] : ['b {\n  c\n}\n', ''];
      for (const indentation of ['', '  ']) {
        const text = `\n${indentation}  a: 1;\n${indentation}  b: 2;`;
        const result = await suggestedText(`${head}${indentation}x {║}\n${tail}`, text, languageId);
        assert.equal(result, `${text}\n${indentation}`, indentation);
      }
    });

  const CASES: readonly Case[] = [
    ['body {║}\n', '\n  margin: 0;\n', '\n  margin: 0;\n', 'css'],
    ['a = [║];\n', '\n  1,\n  2,', '\n  1,\n  2,\n'],
    ['f(║)\n', '\n  a,\n  b', '\n  a,\n  b\n'],
    ['f(a,║)\n', '\n  b', '\n  b'],
    ['\tf(║)\n', '\n\t\ta,\n\t\tb', '\n\t\ta,\n\t\tb,\n\t', 'go'],
    ['\ts := []int{║}\n', '\n\t\t1,\n\t\t2', '\n\t\t1,\n\t\t2,\n\t', 'go'],
    ['x {║ }\n', '\n  a: 1;', '\n  a: 1;\n}', 'css'],
    ['x { a: 1;║}\n', '\n  b: 2;', '\n  b: 2;\n', 'css'],
    ['a = `${b║}`;\n', '.map(\n  c\n)', '.map(\n  c\n)'],
  ];
  for (const [document, text, shown, languageId] of CASES)
    it(`gives ${JSON.stringify(shown)} for the output ${JSON.stringify(text)} at ${document.trim()}`, async () => {
      assert.equal(await requestedText(document, text, languageId), shown);
    });
});

describe('the markers of a merge conflict', () => {
  const CONFLICT = 'a\n<<<<<<< HEAD\nb\n=======\n║\n>>>>>>> feature\n';
  for (const languageId of LANGUAGES)
    it(`prevent automatic suggestions, and are not suggested on request, in ${languageId}`, async () => {
      assert.equal(await suggestedText(CONFLICT, 'c', languageId), '');
      for (const marker of ['=======', '>>> feature =', '  <<<<<<< HEAD', '||||||| base'])
        assert.equal(await requestedText(CONFLICT, marker, languageId), '');
      assert.equal(await requestedText(CONFLICT, 'c\n>>>>>>> feature', languageId), 'c');
      assert.equal(await requestedText('<<<<<<< HE║\nb\n=======\n', 'AD', languageId), '');
    });

  it('are recognized, also far above the cursor', async () => {
    const far = 'b();\n'.repeat(20_000);
    for (const marker of ['<<<<<<< HEAD', '>>>>>>> feature', '|||||||', '  >>>>>>> moved']) {
      assert.equal(await suggestedText(`${marker}\n║\n`, 'c'), '', marker);
      assert.equal(await suggestedText(`║\n${marker}\n`, 'c'), '', marker);
      assert.equal(await suggestedText(`${marker}\n${far}║\n`, 'c'), '', marker);
    }
    for (const line of ['<<<<<<<< a', '<<<<<<', 'a <<<<<<< b', '>>>>>>>a', '=======', '|||||||| a'])
      assert.equal(await suggestedText(`${line}\n║\n`, 'c'), 'c', line);
  });

  it('are cut from a suggestion, unless equals signs underline a heading', async () => {
    for (const marker of ['<<<<<<< HEAD', '>>>>>>>', '=======', '||||||| a', '  <<<<<<<< a', '========'])
      assert.equal(await requestedText('║\n', `c\n${marker}`), 'c', marker);
    for (const line of ['<<<<<< a', '=======a', 'a =======', '======'])
      assert.equal(await requestedText('║\n', `c\n${line}`), `c\n${line}`, line);
    for (const languageId of ['markdown', 'restructuredtext'])
      assert.equal(await requestedText('║\n', 'c\n=======', languageId), 'c\n=======');
    const conflict = 'a\n<<<<<<< HEAD\n║\n';
    for (const part of ['<<<', '>>>', '===', '|||', '    ===='])
      assert.equal(await requestedText(conflict, `c\n${part}`), 'c', part);
    assert.equal(await requestedText(conflict, 'c\n>>>>>>> feature', 'markdown'), 'c');
    for (const line of ['== d', '<<', 'd === e'])
      assert.equal(await requestedText(conflict, `c\n${line}`), `c\n${line}`, line);
  });

  it('do not include the underline of a heading', async () => {
    assert.equal(await suggestedText('Summary\n=======\n\n║\n', 'Text', 'markdown'), 'Text');
  });
});

describe('a text within a closed bracket or string', () => {
  const CASES: readonly Case[] = [
    ['f(`in ${del║} ms`);\n', 'ayMs}ms, but failed to retry ${name', 'ayMs'],
    ['f(a║) + c;\n', '1) + g(b', '1'],
    ['x = [a║, b];\n', '1], [2', '1'],
    ['s = f"{na║} is here"\n', 'me} and {other', 'me', 'python'],
    ['s = "#{na║} is here"\n', 'me} and #{other', 'me', 'ruby'],
    ['s = "a║ b";\n', 'x", "y', 'x'],
    ['<p><b>del║ more</b></p>\n', 'ete</b> and <b>x', 'ete', 'html'],
    ['<div cla║>a</div>\n', 'ss="x">b</div><div id="y"', 'ss="x"', 'html'],
  ];
  for (const [document, text, shown, languageId] of CASES)
    it(`does not go on after its end: ${document.trim()} with ${text}`, async () => {
      assert.equal(await requestedText(document, text, languageId), shown);
    });
});

describe('a text that is in no tag and no regular expression', () => {
  for (const [document, text] of [
    ['if (a <b║ || c > d) {}\n', 'c || e > f'],
    ['a = /b║\n', 'c/g;'],
  ] as const)
    it(`stays as it is: ${document.trim()} with ${text}`, async () => {
      assert.equal(await requestedText(document, text), text);
    });
});

describe('a text within a bracket that the editor can have closed', () => {
  it('can close the bracket and open another one', async () => {
    assert.equal(await requestedText('f(║);\n', 'a) + g(b'), 'a) + g(b');
  });
});

describe('a keyword glued to a name', () => {
  const CASES: readonly Case[] = [
    ['func f(parcel P) {\n\t║\n}\n', 'returnparcel, nil', '', 'go'],
    ['func f(parcel P) {\n\treturn║\n}\n', 'parcel, nil', '', 'go'],
    ['func f(parcel P) {\n\t║\n}\n', 'save(parcel)\n\treturnparcel, nil', 'save(parcel)', 'go'],
    ['let code;\n║\n', 'returncode = 1;', 'returncode = 1;'],
    ['f(returnparcel);\nlet parcel;\n║\n', 'returnparcel();', 'returnparcel();'],
    ['f(parcel); ║\n', 'returnparcel();', 'returnparcel();'],
    ['if (a) {\n} ║\n', 'elseif (b) {\n}', 'elseif (b) {\n}', 'php'],
    ['int expr = 1;\n║\n', 'constexpr int a = 2;', 'constexpr int a = 2;', 'cpp'],
    ['int eval(int a);\n║\n', 'consteval int b() {\n}', 'consteval int b() {\n}', 'cpp'],
    ['void init();\n║\n', 'constinit int a = 2;', 'constinit int a = 2;', 'cpp'],
    ['ln := 1\n║\n', 'println(ln)', 'println(ln)', 'go'],
    ['val arg = 1\nfun f(\n  ║\n)\n', 'vararg b: Int', 'vararg b: Int', 'kotlin'],
    ['this._items = 1;\n║\n', 'print_items();', 'print_items();'],
  ];
  for (const [document, text, shown, languageId] of CASES)
    it(`is cut unless it can be a name: ${JSON.stringify(text)} becomes ${JSON.stringify(shown)}`, async () => {
      assert.equal(await requestedText(document, text, languageId), shown);
    });

  const KEYWORDS =
    'return await yield throw raise defer delete import const let var case typeof export elif else assert echo print'.split(
      ' ',
    );
  it('is cut for each keyword of a statement', async () => {
    for (const keyword of KEYWORDS) {
      const document = 'load(parcel);\n║\nload(x);\n';
      assert.equal(await requestedText(document, `save();\n${keyword}parcel`), 'save();', keyword);
      assert.equal(await requestedText(document, `save();\n${keyword}x`), `save();\n${keyword}x`, keyword);
    }
  });

  for (const [text, shown] of [
    ['returnparcel', ''],
    ['b(); returnparcel', ''],
    ['(b) => returnparcel', ''],
    ['if (b) { returnparcel; }', ''],
    ['return awaitparcel', ''],
    ['b(returnparcel)', 'b(returnparcel)'],
    ['returnparcels()', 'returnparcels()'],
    ['returnparcel = 1', 'returnparcel = 1'],
    ['returnparcel: 1', 'returnparcel: 1'],
    ['returnparcel == 1', ''],
    ['returnParcel()', 'returnParcel()'],
    ['return$x', 'return$x'],
  ] as const)
    it(`is ${shown === '' ? 'cut at the start of a statement' : 'kept as a possible name'}: ${text}`, async () => {
      assert.equal(await requestedText('load(parcel, Parcel, $x);\n║\n', text), shown);
    });
});

describe('a lone punctuation mark', () => {
  const MARKS =
    '// /// //! /* /** /*! * ** . .. # ## #! <!-- -- ++ - + = & && | || < > => @ ~ ^ % \\ $ , /'.split(' ');
  for (const mark of [...MARKS, ' +'])
    it(`is not suggested: ${mark}`, async () => {
      assert.equal(await requestedText('a\n║\n', mark), '');
    });
  for (const [document, mark, languageId] of [
    ['a\n║\n', '<!--', 'html'],
    ['i║\n', '--', 'sql'],
    ['i = ║\n', '++', 'java'],
    ['if (a < b║)\n', '>', 'java'],
    ['f(║)\n', '*', 'java'],
  ] as const)
    it(`is not suggested where it completes nothing: ${mark} at ${document.trim()} in ${languageId}`, async () => {
      assert.equal(await requestedText(document, mark, languageId), '');
    });
  for (const [document, text, languageId] of [
    ['if x║\n', ':', 'python'],
    ['f()║\n', ';', 'c'],
    ['i║\n', '++', 'java'],
    ['i║\n', '--', 'java'],
    ['a[i]║\n', '++', 'java'],
    ['/* a *║\n', '/', 'java'],
    ['<!-- a ║\n', '-->', 'html'],
    ['<a║\n', '>', 'html'],
    ['def f(): ║\n', '...', 'python'],
    ['let a = f()║;\n', '?', 'rust'],
    ['<br ║\n', '/>', 'html'],
    ['SELECT count(║) FROM a;\n', '*', 'sql'],
    ['select ║\nfrom a;\n', '*', 'sql'],
    ['a:is(║) {}\n', '*', 'css'],
  ] as const)
    it(`is suggested where it completes code: ${text} at ${document.trim()} in ${languageId}`, async () => {
      assert.equal(await requestedText(document, text, languageId), text);
    });
});

describe('a lone punctuation mark in a string', () => {
  for (const [document, mark, languageId] of [
    ['a.join("║")\n', ', ', 'python'],
    ["app.get('║', f);\n", '/', 'javascript'],
    ["select split_part(a, '║', 1);\n", '.', 'sql'],
    ['<a href="║">b</a>\n', '/', 'html'],
    ['a = `${b}/${c}║`;\n', '/', 'typescript'],
  ] as const)
    it(`is suggested: ${mark} at ${document.trim()}`, async () => {
      assert.equal(await suggestedText(document, mark, languageId), mark);
    });
});

describe('a text that begins with the next line', () => {
  /** Entries of a list or a class, each with its name in place of N. */
  const ENTRIES: readonly (readonly [entry: string, languageId: string])[] = [
    ['@Test\nvoid N() {\n  run();\n}', 'java'],
    ['[Fact]\npublic void N()\n{\n    Run();\n}', 'csharp'],
    ['#[test]\nfn N() {\n    run();\n}', 'rust'],
    ['@property\ndef N(self):\n    return 1', 'python'],
    ['@pytest.mark.parametrize("a", [1])\ndef test_N(a):\n    assert a', 'python'],
    ['@Component({\n  selector: "N",\n})\nclass A {}', 'typescript'],
    ['@media print {\n  .N {\n    margin: 0;\n  }\n}', 'css'],
    ['/**\n * @test\n */\nfunction N() {}', 'php'],
    ['/**\n * N.\n */\nfunction f() {}', 'typescript'],
    ['{\n  name: "N",\n},', 'typescript'],
    ['<li>\n  <a>N</a>\n</li>', 'html'],
    ['<Field\n  name="N"\n/>', 'typescriptreact'],
  ];
  for (const [entry, languageId] of ENTRIES) {
    const named = (name: string): string => entry.replace('N', name);
    const document = `${named('a')}\n\n║\n\n${named('c')}\n`;
    it(`is suggested if it becomes another entry: ${entry.split('\n', 1).join()} in ${languageId}`, async () => {
      assert.equal(await requestedText(document, named('b'), languageId), named('b'));
      assert.equal(await requestedText(document, named('c'), languageId), '');
    });
  }

  it('is not suggested if the line is a statement, a body or the end of a comment', async () => {
    assert.equal(await requestedText('a();\n║\nc();\n', 'c();\nd();'), '');
    assert.equal(await requestedText('a();\n║\n// Sort\nc();\n', '// Sort\nd();'), '');
    assert.equal(await requestedText('void A()║\n{\n    B();\n}\n', '\n{\n    C();\n}', 'csharp'), '');
    for (const [document, text, languageId] of [
      ['@a = a\n║\n@b = b\nend\n', '@b = b\n@c = c', 'ruby'],
      ['def a\n  ║\n  @b\nend\n', '@b\n  @c', 'ruby'],
      ['@import "a";\n║\n@import "c";\n', '@import "c";\n@import "d";', 'css'],
      [
        '@Input() a: string;\n║\n@Input() c: string;\n',
        '@Input() c: string;\n@Input() d: string;',
        'typescript',
      ],
      ['@Test void a() {}\n║\n@Test void b() {\n}\n', '@Test void b() {\n  c();\n}', 'java'],
      ['@a 1\n║\n@timeout 5\n', '@timeout 5\n@b 2', 'elixir'],
      ['- (void)a;\n║\n@end\n', '@end\n@interface B', 'objective-c'],
      ['<br>\n║\n<input name="a">\n', '<input name="a">\n<input name="b">', 'html'],
      ['<p>a</p>\n║\n<br>\nb\n', '<br>\n<p>c</p>', 'html'],
    ] as const)
      assert.equal(await requestedText(document, text, languageId), '', text);
    const comment = '/**\n║\n */\nfunction a() {}\n';
    assert.equal(await requestedText(comment, ' * A.\n */\nfunction b() {}'), ' * A.');
  });
});

describe('a fragment without a name', () => {
  it('keeps its end tag', async () => {
    const text = '<>\n    <B />\n    <C>\n      d\n    </C>\n  </>';
    assert.equal(await requestedText('return (\n  ║\n);\n', text, 'typescriptreact'), text);
  });
});

describe('a string of several lines', () => {
  it('is suggested whole from the line that begins a heredoc', async () => {
    for (const [text, languageId] of [
      ['<<~SQL\n  select 1\nSQL', 'ruby'],
      ['<<<EOT\n  a\nEOT;', 'php'],
    ] as const)
      assert.equal(await requestedText('$x = ║\n', text, languageId), text);
  });

  it('is closed on a line of its own only where the language demands it', async () => {
    const text = 'a = """\n    b\n    c';
    for (const languageId of ['swift', 'csharp', 'elixir'])
      assert.equal(await requestedText('  ║\n', text, languageId), `${text}\n  """`, languageId);
    for (const languageId of ['java', 'kotlin', 'python', 'toml'])
      assert.equal(await requestedText('  ║\n', text, languageId), `${text}"""`, languageId);
    const single = text.replaceAll('"""', "'''");
    assert.equal(await requestedText('  ║\n', single, 'python'), `${single}'''`);
  });
});

describe('an end tag', () => {
  it('is not suggested if all elements of its name end below the cursor', async () => {
    const DOCUMENT = '<body>\n  <p>a</p>║\n  <b>c</b>\n</body>\n';
    for (const languageId of ['html', 'xml', 'vue']) {
      assert.equal(await requestedText(DOCUMENT, '\n</body>\n</html>', languageId), '');
      assert.equal(await requestedText(`<body>\n${DOCUMENT}`, '\n</body>', languageId), '\n</body>');
    }
    assert.equal(await requestedText('<p>a</p>\n║\n', '</div>', 'html'), '');
    assert.equal(await requestedText('<b id="║\n<i>c</i>\n', 'a"></b>', 'html'), 'a"></b>');
    assert.equal(await requestedText('<ul>\n  <li>a║\n  <li>b</li>\n</ul>\n', '</li>', 'html'), '</li>');
  });
});

describe('a completed end tag', () => {
  it('is dropped if the next line is the same', async () => {
    assert.equal(await requestedText('<div>\n  <p>a</p>\n  ║\n</div>\n', '\n</d', 'html'), '');
    assert.equal(await requestedText('<ul>\n  <li>a</li>\n║\n</ul>\n', '</u', 'typescriptreact'), '');
  });
});

describe('a key in YAML', () => {
  const CASES: readonly Case[] = [
    ['a:\n  b: 1\n║\n', '   c: 2', '  c: 2'],
    ['a:\n  b: 1\n   ║\n', 'c: 2', ''],
    ['a:\n  b: 1\n  ║\n', 'c: 2', 'c: 2'],
    ['a:\n  b: 1\n║\n', 'c: 2', 'c: 2'],
    ['a:\n║\n', '    b: 1', '    b: 1'],
    ['a:\n  ║\n    c: 1\n', 'b:', 'b:'],
    ['a:\n  ║\n    c: 1\n', 'b: |', 'b: |'],
    ['a:\n  ║\n    c: 1\n', 'b: 2', '  b: 2'],
    ['a:\n  ║\n    c: 1\n', '- b: 2', '- b: 2'],
    ['a:\n    ║\n  c: 2\n', 'b: 1', ''],
    ['a:\n║\n  c: 2\n', '    b: 1', '  b: 1'],
    ['a:\n║\nb: 2\n', '    c: 1', '    c: 1'],
    ['║\n', '  a: 1', 'a: 1'],
    ['a: |\n║\n', '     text', '     text'],
    ['a: # b\n║\n', '    c: 1', '    c: 1'],
    ['-\n║\n', '   c: 1', '   c: 1'],
    ['a:\n  b: 1\n# c\n║\n', '   d: 2', '  d: 2'],
    ['a:\n  b: 1\n║\n', '   c:\n     d: 2', '  c:\n    d: 2'],
    ['a:\n  b: 1\n║\n', '\n   c: 2', '\n  c: 2'],
    ['- a: 1\n║\n', '   b: 2', '  b: 2'],
    ['- a\n║\n', '   - b', '- b'],
    ['- a: 1\n  ║\n', 'b: 2', 'b: 2'],
    ['- a: 1\n ║\n', 'b: 2', ' b: 2'],
    ['a:\n  - b: 1\n  ║\n    d: 3\n', 'c:\n  e: 2', '  c:\n    e: 2'],
    ['a:\n- b: 1\n║\n', 'c: 2', 'c: 2'],
    ['a:\n  - b: 1\n  ║\n', '# c', '# c'],
    ['a:\n  b:\n  ║\n    d: 1\n', '- c: 2', '- c: 2'],
    ['a:\n  b:\n  ║\n    d: 1\n', 'c: 2', '  c: 2'],
    ['a: |\n  text\n     ║\n', 'more', 'more'],
    ['a: |2-\n  text\n     ║\n', 'more', 'more'],
  ];
  for (const [document, text, shown] of CASES)
    it(`is ${shown === '' ? 'dropped if it cannot be ' : ''}aligned with its siblings: ${JSON.stringify(document)} with ${JSON.stringify(text)}`, async () => {
      assert.equal(await requestedText(document, text, 'yaml'), shown);
    });
});
