// What is open at the end of a text: brackets (but not those in strings, comments and regular expressions), strings and
// comments, by what closes them. A bracket in a text stands in quotes: it means nothing there.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { scan } from '../../server/completion/text/scanner';

const OPEN: readonly (readonly [text: string, language: string, closers: string, faults?: string])[] = [
  ['f(a[b], { c })', 'typescript', ''],
  ['f(() => {', 'typescript', ') }'],
  ['}); g(', 'typescript', ')', 'stray stray'],
  ['"(" + \'[\' + `{`', 'typescript', ''],
  ['"it\\"s (" + (', 'typescript', ')'],
  ['a /* ( */ // [\n{', 'typescript', '}'],
  ['a.replace(/[(`]\\/\\(/g, b', 'typescript', ')'],
  ['items.map((a) => /"/.test(', 'typescript', ') )'],
  ['a / (b / c', 'typescript', ')'],
  ["don't (", 'typescript', ')'],
  ['`unfinished (', 'typescript', "` ')'"],
  ['`${a.map((b) => `${', 'typescript', '` } ) ` }'],
  ['`a${b}c` + "', 'typescript', '"'],
  ["<p>Tom 'n (Jerry</p>, (", 'typescriptreact', ')'],
  ["f('a\n(", 'typescript', ') )', 'broken'],
  ['// f(', 'typescript', "line ')'"],
  ['/** (a) (', 'typescript', "*/ ')'"],
  ['/* :-(\n', 'typescript', '*/'],
  ['a = [  # (', 'python', "] line ')'"],
  ['"""a ( b\n"""\n(', 'python', ')'],
  ['f"{{}} {a[', 'python', '" } ]'],
  ["x = rb'\\'", 'python', "'"],
  ['f"""{a}\n"', 'python', '"""'],
  ["fn f<'a>(a: &'a str) {", 'rust', '}'],
  ['let a = \'(\'; r#"a"', 'rust', '"#'],
  ['`\\`(', 'go', ')'],
  ["f('\\''", 'java', ')'],
  ['R"x(a")', 'cpp', ')x"'],
  ['$"{a', 'csharp', '" }'],
  ['"\\(a + "', 'swift', '" ) "'],
  ['"#{a}#{', 'ruby', '" }'],
  ['echo "$(a "', 'shellscript', '" ) "'],
  ['case a in\n  b) (', 'shellscript', ')'],
  ["cat <<EOF\ndon't\nEOF\n(", 'shellscript', ')'],
  ["where a = 'it''s' and b = '", 'sql', "'"],
  ['-- [[ \n--[[ \n', 'lua', ']]'],
  ['a { background: url("', 'css', '} ) "'],
  ['{ "a": "b', 'json', '} "'],
  ["key: don't (", 'yaml', ')'],
  ["it's (fine", 'markdown', "')'"],
  ['<a class="b" href="', 'html', '"'],
  ['<p>(a\n<script>\nif (a) { b("</p>"', 'html', '</script } )'],
  ['<script>f(</script>(', 'html', "')'"],
  ['```js\nf("it\'s', 'markdown', '``` ) "'],
  ["~~~python\n'''\n```\n'''\n~~~\n(", 'markdown', "')'"],
  ["a = ['\\', ", 'toml', ']'],
  ["echo $'it\\'s' (", 'shellscript', ')'],
  ['a = $` + ?" + "#{%q(it\'s (b) )} ', 'ruby', '"'],
  ["f <<~EOS\n  it's (\nEOS\n(", 'ruby', ')'],
  ["$a = <<<'EOT'\n  it's (\n  EOT;\n(", 'php', ')'],
  ['$"""\n "{a}" it\'s (\n""" + (', 'csharp', ')'],
  ['#"a"b\\"# + "', 'swift', '"'],
  ["L'\"' + (", 'cpp', ')'],
  ['(a]', 'typescript', ')', 'stray'],
  ['[(]', 'typescript', '', 'mismatch'],
];

describe('what is open', () => {
  for (const [text, language, closers, faults = ''] of OPEN)
    it(`behind ${JSON.stringify(text)} (${language})`, () => {
      const { open, events } = scan(text, language);
      const found = open.map(({ kind, closer }) =>
        kind === 'prose' ? `'${closer}'` : closer.trim() || 'line',
      );
      assert.equal(found.join(' '), closers);
      assert.equal(events.map(({ kind }) => kind).join(' '), faults);
    });

  // Nine megabytes that nobody here wrote: nothing is open at the end, and nothing lacked a partner.
  it('is nothing behind the TypeScript compiler', () => {
    const text = readFileSync(join('node_modules', 'typescript', 'lib', 'typescript.js'), 'utf8');
    const { open, faults } = scan(text, 'javascript');
    assert.deepEqual({ open, faults }, { open: [], faults: 0 });
  });

  it('is found in a text so long that each character must be read once only', () => {
    const text = 'const a = f({ b: [1, 2], c: "(" }); // )\n'.repeat(8000) + '/'.repeat(500_000);
    assert.equal(scan(text, 'typescript').faults, 0);
  });
});
