// Tests which brackets, strings, comments and embedded code a text leaves open, by the rules of each language, and how
// many delimiters are unmatched.
import assert from 'node:assert/strict';
import { OpenDelimiters } from '../../../server/completion/syntax/openDelimiters';
import { scan } from '../../../server/completion/syntax/scanner';

/** A text, and the closers of the delimiters that it leaves open, outermost first; in prose, brackets do not count. */
type Case = readonly [text: string, ...closers: readonly string[]];

const OPEN: Readonly<Record<string, readonly Case[]>> = {
  'typescript typescriptreact javascript javascriptreact': [
    ['f([{', ')', ']', '}'],
    ['f([{}])'],
    ['f("a (', ')', '"'],
    ["f('a (", ')', "'"],
    ['f("a\\" (', ')', '"'],
    ['f(`a ${b(`c\n', ')', '`', '}', ')', '`'],
    ["don't (", ')'],
    ['/* ( */ [', ']'],
    ['/* (\n', '*/'],
    ['// (\n[', ']'],
    ['a = /[/(]/ + (', ')'],
    ['a = /\\/(/ + [', ']'],
    ['f(/"/, [', ')', ']'],
    ['(a) => /"/ + [', ']'],
    ['return /"/ + [', ']'],
    ['a / b + "/', '"'],
    ['<p>it\'s "a</p> (', ')'],
  ],
  python: [
    ['f("a (', ')', '"'],
    ["f('a (", ')', "'"],
    ['"""a "b\n(', '"""'],
    ["'''a 'b\n(", "'''"],
    ['# (\n[', ']'],
    ['f"{a(', '"', '}', ')'],
    ["f'{a[", "'", '}', ']'],
    ['f"{{a(', '"'],
    ['f"{a}}} {b', '"', '}'],
    ['f"\\" {a', '"', '}'],
    ['f"""a\n{b', '"""', '}'],
    ["f'''a\n{b", "'''", '}'],
    ...['F', 't', 'T', 'fr', 'Rf', 'tR', 'rT'].map((prefix): Case => [`${prefix}"{a`, '"', '}']),
    ...['', 'u', 'U', 'b', 'B', 'r', 'R', 'Rb', 'bR', 'UR'].map((prefix): Case => [`${prefix}"{a`, '"']),
    ...['b', 'rb', 'u'].map((prefix): Case => [`${prefix}"""{a\n`, '"""']),
    ['deaf"{a', '"'],
  ],
  shellscript: [
    ['"a (', '"'],
    ['"a\n$(b "c', '"', ')', '"'],
    ['"${a', '"', '}'],
    ["'a\\' (", ')'],
    ["$'a\\' (\n", "'"],
    ['\\" (', ')'],
    ['# (\n[', ']'],
    ['a#(', ')'],
    ['$(a;# (\n[', ')', ']'],
    ["#[don't](\n[", ']'],
    ['cat <<EOF\n(', '\nEOF'],
    ['cat <<EOF\n(\nEOF\n[', ']'],
    ["cat <<-'EOF' | tee a\n(\n\tEOF\n[", ']'],
    ['$(cat <<EOF)\n[', ']'],
    ['cat <<<EOF\n[', ']'],
    ['cat <<<"a (\nb"\n[', ']'],
  ],
  'json jsonc jsonl': [
    ['{"a (', '}', '"'],
    ["['(", ']', ')'],
    ['/* ( */ [', ']'],
    ['// (\n[', ']'],
  ],
  'css scss less': [
    ['a { b: url(http://c', '}', ')'],
    ['// (\n[', ']'],
    ['/* ( */ [', ']'],
    ['a: "(', '"'],
    ["a: '(", "'"],
  ],
  rust: [
    ['"a\n(', '"'],
    ['r#"a" (', '"#'],
    ['r##"a"# (\n', '"##'],
    ['r"a\\" (', ')'],
    ["f::<'a>(", ')'],
    ["'(' + [", ']'],
    ["'\\'' + [", ']'],
    ["'\\u{28}' + [", ']'],
    ['/* ( */ [', ']'],
    ['// (\n[', ']'],
  ],
  go: [
    ['`a\\` (', ')'],
    ['`a\n(', '`'],
    ['"a (', '"'],
    ["'(' + [", ']'],
    ['/* ( */ [', ']'],
    ['// (\n[', ']'],
  ],
  java: [
    ['"""a "b\n(', '"""'],
    ['"a (', '"'],
    ["'(' + [", ']'],
    ['/* ( */ [', ']'],
    ['// (\n[', ']'],
  ],
  'c cpp objective-c objective-cpp': [
    ['R"(a" (', ')"'],
    ['R"x(a)" (\n', ')x"'],
    ['"a (', '"'],
    ["'(' + [", ']'],
    ["1'000 + (", ')'],
    ['/* ( */ [', ']'],
    ['// (\n[', ']'],
  ],
  csharp: [
    ['$"{a(', '"', '}', ')'],
    ['$"{{a(', '"'],
    ['@"a\\" (', ')'],
    ['@"a""b\n(', '"'],
    ...['$@"a""{{b\n{c', '@$"a""{{b\n{c'].map((text): Case => [text, '"', '}']),
    ['"""a "b\n(', '"""'],
    ['$$"""a "b\n{(', '"""'],
    ['"a (', '"'],
    ["'(' + [", ']'],
    ['/* ( */ [', ']'],
    ['// (\n[', ']'],
  ],
  'kotlin scala dart': [
    ['"${a(', '"', '}', ')'],
    ['"""a "b\n${c', '"""', '}'],
    ["'a (", "'"],
    ['/* ( */ [', ']'],
    ['// (\n[', ']'],
  ],
  swift: [
    ['"\\(a(', '"', ')', ')'],
    ['"\\" (', '"'],
    ['"""a "b\n\\(', '"""', ')'],
    ['#"a" (\n', '"#'],
    ['##"a"# (\n', '"##'],
    ['#"""a"""\n(', '"""#'],
    ['/* ( */ [', ']'],
    ['// (\n[', ']'],
  ],
  php: [
    ['"a\n{$b(', '"', '}', ')'],
    ['"{a', '"'],
    ["'a\n(", "'"],
    ['# (\n[', ']'],
    ['#[A(', ']', ')'],
    ['$a = <<<EOT\n(', '\nEOT'],
    ["$a = <<< 'EOT'\n(\n  EOT;\n[", ']'],
    ['/* ( */ [', ']'],
    ['// (\n[', ']'],
  ],
  ruby: [
    ['"#{a(', '"', '}', ')'],
    ['"a\n(', ')'],
    ["'a (", "'"],
    ['`#{a', '`', '}'],
    ["#[don't](\n[", ']'],
    ['# (\n[', ']'],
    ['a(/"/, [', ')', ']'],
    ['?" + [', ']'],
    ["$' + [", ']'],
    ['a = <<~EOS\n(', '\nEOS'],
    ['a = <<-EOS\n(\n  EOS\n[', ']'],
    ["a = <<'EOS'\n(", '\nEOS'],
    ['a << b\n(', ')'],
  ],
  elixir: [
    ['"#{a(', '"', '}', ')'],
    ['"""a "b\n#{c', '"""', '}'],
    ["'a (", "'"],
    ["#[don't](\n[", ']'],
    ['# (\n[', ']'],
  ],
  julia: [
    ['"$(a(', '"', ')', ')'],
    ['"""a "b\n(', '"""'],
    ["'(' + [", ']'],
    ["a' * (", ')'],
    ["#[don't](\n[", ']'],
    ['# (\n[', ']'],
  ],
  powershell: [
    ['<# (\n', '#>'],
    ['<# ( #> [', ']'],
    ["#[don't](\n[", ']'],
    ['# (\n[', ']'],
    ['"`" (', '"'],
    ['"$(a(', '"', ')', ')'],
    ["'a` (", "'"],
    ["'a\\' (", ')'],
  ],
  sql: [
    ['-- (\n[', ']'],
    ['/* ( */ [', ']'],
    ["'a\\' (", "'"],
    ["'a\\' , (", ')'],
    ["'a\\\\' (", ')'],
    ["'\\' (", ')'],
    ["'a\\'\n(", ')'],
    ["'a''(\n", "'"],
    ["it's users' (", ')'],
    ["N'a(", "'"],
    ["date'2(", "'"],
    ['"a\\" (', ')'],
  ],
  lua: [
    ['--[[ (\n]] [', ']'],
    ['--[[ (\n', ']]'],
    ['-- (\n[', ']'],
    ['a = [[ (\n', ']]'],
    ['a = [==[ ]] (\n', ']==]'],
    ['"a (', '"'],
    ["'a (", "'"],
  ],
  'haskell elm': [
    ['{- (\n', '-}'],
    ['{- ( -} [', ']'],
    ['-- (\n[', ']'],
    ['"a (', '"'],
    ["'(' + [", ']'],
    ["a' + (", ')'],
  ],
  toml: [
    ['a = """a "b\n(', '"""'],
    ["a = '''a 'b\n(", "'''"],
    ["a = 'b\\' # (\n[", ']'],
    ['a = "b\\" (', '"'],
    ["#[don't](\n[", ']'],
    ['# (\n[', ']'],
  ],
  yaml: [
    ['a: "b\n(', '"'],
    ["a: 'b\n(", "'"],
    ['- "b', '"'],
    ['a:\n  "b (\n   c', '"'],
    ['- !a "b (\n', '"'],
    ['a: &b !!str\n  "c (\n', '"'],
    ["a: it's [", ']'],
    ['a: b\n  "c\n[', ']'],
    ['a: |\n  b="c\n  d" | e\nf: [', ']'],
    ["['a', 'b", ']', "'"],
    ["#[don't](\n[", ']'],
    ['# (\n[', ']'],
  ],
  'r perl makefile dockerfile coffeescript': [
    ["#[don't](\n[", ']'],
    ['# (\n[', ']'],
    ['"""a "b\n(', '"""'],
    ['"a (', '"'],
    ["'a (", "'"],
  ],
  'plaintext latex tex restructuredtext git-commit': [['f("a'], [':) (']],
  markdown: [
    ["It's (a"],
    ['`a (', '`'],
    ['``a ('],
    ['```js\nf("', '\n```', ')', '"'],
    ['```js\nf(\n```\n('],
    ['~~~~js\n~~~\nf(', '\n~~~~', ')'],
    ['~~~js\nf(', '\n~~~', ')'],
    ['  ```js a=b\nf(', '\n```', ')'],
    ['```text\nf('],
    ['```jsx2\nf('],
    ...'typescript ts tsx javascript js jsx mjs csharp cs cpp c++ cc rust rs kotlin kt c css go java php scss'
      .split(' ')
      .map((word): Case => [`\`\`\`${word}\n/* (`, '\n```', '*/']),
    ...'python py shellscript sh bash zsh shell ruby rb yaml yml toml'
      .split(' ')
      .map((word): Case => [`\`\`\`${word}\n# "\n(`, '\n```', ')']),
    ...'json jsonc json5 swift'.split(' ').map((word): Case => [`\`\`\`${word}\n// (\n[`, '\n```', ']']),
    ['```sql\n-- (\n[', '\n```', ']'],
    ...'html xml vue'.split(' ').map((word): Case => [`\`\`\`${word}\n<!--`, '\n```', '-->']),
  ],
  'html xml vue svelte': [
    ['f(a'],
    ["<p>it's ("],
    ['<a href="b (\n', '"'],
    ["<a href = 'b (\n", "'"],
    ['<a [b]="c', '"'],
    ['a == "b'],
    ['<!-- "\n', '-->'],
    ['<script>\nf("', '</script', ')', '"'],
    ['<script lang="ts">\n/*', '</script', '*/'],
    ['<script>\nf(\n</script>\n('],
    ['<style>\na { /*', '</style', '}', '*/'],
    ['<scripted>('],
  ],
  svelte: [
    ['<A on:b={f(', '}', ')'],
    ['<A b={() => {', '}', '}'],
    ['<A b={{ c: `${d}` }} e="(', '"'],
    ['{#if a(}\n('],
  ],
  vue: [['<p>{{ f(', '}}', ')'], ['<p>{{ { a: "', '}}', '}', '"'], ['<p>{{ { a: {} }}} ('], ['<A :b={']],
  'a-language-without-rules': [
    ['f(`${', ')', '`', '}'],
    ['// (\n[', ']'],
  ],
};

describe('the delimiters that a text leaves open', () => {
  for (const [languageIds, cases] of Object.entries(OPEN))
    it(`are found in ${languageIds}`, () => {
      for (const languageId of languageIds.split(' '))
        for (const [text, ...closers] of cases) {
          const open = scan(text, languageId).open.filter(
            ({ kind }) => kind !== 'prose' && kind !== 'lineComment',
          );
          assert.deepEqual(
            open.map(({ closer }) => closer),
            closers,
            `${languageId}: ${text}`,
          );
        }
    });
});

describe('scan', () => {
  for (const [what, languageId, text, faults] of [
    ['balanced brackets', 'typescript', 'f(["a"])', 0],
    ['closers without openers', 'typescript', 'a) + b]', 2],
    ['openers before the closer of an outer bracket', 'typescript', 'f([{)', 2],
    ['a string that its line ends', 'typescript', 'a = "b\nc', 1],
    ['a comment that its line ends', 'typescript', '// a\nb', 0],
    ['a quote directly after a value', 'typescript', 'a"b"', 1],
    ['a quote directly after a number', 'python', '1"b"', 1],
    ['a quote directly after a closer', 'json', '[]"b"', 1],
    ['quotes after keywords', 'python', 'return"a" if b in"c" else"d"', 0],
    ['a backquote after a tag', 'javascript', 'css`a`', 0],
    ['the pattern of a case in the shell', 'shellscript', 'case a in b) c ;; esac', 0],
    ['a smiley in prose', 'markdown', 'Hello :)', 0],
    ['brackets in strings and comments', 'typescript', '")" + `]` /* } */', 0],
    ['a bracket that a field leaves open', 'typescript', '`${f(}`', 1],
    ['a quote after the value of an attribute', 'html', '<a b="c""', 1],
    ['brackets that a script leaves open', 'html', '<script>f([</script>', 2],
  ] as const)
    it(`counts ${faults} unmatched delimiters for ${what}: ${JSON.stringify(text)}`, () => {
      assert.equal(scan(text, languageId).faults, faults);
    });
});

describe('a long line of spaces', () => {
  it('is scanned in time that grows with its length', () => {
    for (const languageId of Object.keys(OPEN).flatMap((ids) => ids.split(' '))) {
      const started = performance.now();
      scan(`a:${' '.repeat(100_000)}b`, languageId);
      assert.ok(performance.now() - started < 2000, languageId);
    }
  });
});

describe('OpenDelimiters', () => {
  it('returns the open delimiters of each text, whether it continues the text before or not', () => {
    const delimiters = new OpenDelimiters();
    for (const [text, languageId, ...closers] of [
      ['f(', 'typescript', ')'],
      ['f([', 'typescript', ')', ']'],
      ['g{', 'typescript', '}'],
      ['g{# (', 'typescript', '}', ')'],
      ['g{# (', 'python', '}'],
      ['g{# (\n[', 'python', '}', ']'],
      ['', 'python'],
    ] as const) {
      const open = delimiters.after(text, languageId).filter(({ closer }) => closer !== '');
      assert.deepEqual(
        open.filter(({ kind }) => kind !== 'prose').map(({ closer }) => closer),
        closers,
        text,
      );
    }
  });
});
