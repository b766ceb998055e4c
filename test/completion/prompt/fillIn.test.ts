// Tests the prompts for holes that callers describe without a document: the form of the comments that quote other
// files, the room for these files, and the text that is left out far from the hole.
import assert from 'node:assert/strict';
import { FillInPrompt, type Hole } from '../../../server/completion/prompt/fillIn';
import { FIM_TOKENS } from '../../support/fimTokens';
import { FakeDecoder } from '../fakeDecoder';
import { WordlessTokenizer } from '../wordlessTokenizer';

/** Tokens of a family that quotes other files in comments. */
const COMMENTING = [...FIM_TOKENS, '<|mask|>'];

interface Options {
  readonly tokens?: readonly string[];
  readonly contextTokens?: number;
  readonly maxTokens?: number;
}

/** Builds the prompt for a hole, with one token for each character. */
function filled(
  hole: Partial<Hole>,
  { tokens = FIM_TOKENS, contextTokens = 2000, maxTokens = 100 }: Options = {},
) {
  const tokenizer = new WordlessTokenizer(tokens);
  const prompt = new FillInPrompt(
    { prefix: '', suffix: '', ...hole },
    { tokenizer, contextTokens },
    maxTokens,
  );
  const { promptIds, ...fillIn } = prompt.build() ?? assert.fail();
  return { ...fillIn, ids: promptIds, text: tokenizer.spell(promptIds), texts: prompt.texts };
}

describe('the prompt for a hole', () => {
  it('has the begun text before the hole, and the name that llama.cpp gives to a file without a name', () => {
    assert.equal(
      filled({ prefix: 'f(', begun: 'a', suffix: ')' }).text,
      '{<|file_sep|>}filename\n{<|fim_prefix|>}f(a{<|fim_suffix|>}){<|fim_middle|>}',
    );
    assert.match(filled({ fileName: 'a.ts' }).text, /^\{<\|file_sep\|>\}a\.ts\n/);
  });

  for (const [fileNames, comment] of [
    [
      'a.py a.pyi a.rb a.sh a.yml a.yaml a.toml a.mk a.r a.pl a.ex a.exs a.jl a.coffee a.ps1 a.nim a.gd A.PY',
      '# ',
    ],
    ['a.bash a.zsh a.pm a.psm1 Makefile lib/Makefile Dockerfile', '# '],
    ['a.sql a.lua a.hs a.elm', '-- '],
    ['a.htm a.html a.xml a.md a.vue a.svelte', '<!-- '],
    ['a.css', '/* '],
    ['a.ts a.scss a.pyx a.php myMakefile Dockerfile.ts css', '// '],
  ] as const)
    it(`quotes other files in comments of the form ${comment}for ${fileNames}`, () => {
      const other = { fileName: 'b', text: 'b' };
      for (const fileName of fileNames.split(' ')) {
        const { text } = filled({ fileName, otherFiles: [other] }, { tokens: COMMENTING });
        assert.ok(text.includes(`{<|fim_prefix|>}${comment}b`), `${fileName}: ${text}`);
        // The last other file is the nearest one, and takes the place of a missing name.
        const unnamed = { otherFiles: [other, { ...other, fileName }] };
        const nearest = filled(unnamed, { tokens: COMMENTING }).text;
        assert.ok(nearest.includes(`{<|fim_prefix|>}${comment}b`), `${fileName}: ${nearest}`);
      }
    });

  it('has the last other files that fit into their share, and none with a very long line', () => {
    const file = (fileName: string, length: number) => ({ fileName, text: 'x\n'.repeat(length / 2) });
    const otherFiles = [
      file('first', 200),
      file('long', 4000),
      file('huge', 40_000),
      { fileName: 'crlf', text: 'y\r\n'.repeat(50) },
      { fileName: 'generated', text: 'z'.repeat(20_000) },
      file('last', 100),
    ];
    const { text, texts } = filled({ otherFiles }, { contextTokens: 4000 });
    assert.deepEqual(text.match(/(?<=file_sep\|>\})\w+/g), ['first', 'crlf', 'last', 'filename']);
    assert.doesNotMatch(text, /\r/);
    assert.deepEqual(
      texts.map((part) => part.split('\n', 1).join()),
      ['first', 'long', 'crlf', 'last', '', ''],
    );
    // A limit by characters keeps the tokenizer from reading files that cannot fit.
    const many = Array.from({ length: 20 }, (_, i) => file(`f${String(i)}`, 1000));
    assert.deepEqual(
      filled({ otherFiles: many }, { contextTokens: 800 }).texts.map((part) => part.split('\n', 1).join()),
      ['f15', 'f16', 'f17', 'f18', 'f19', '', ''],
    );
  });

  it('leaves out text beyond a line of 16,000 characters, and says that it is cut', () => {
    const room = { contextTokens: 200_000 };
    const line = (length: number) => `<${'x'.repeat(length - 2)}>`;
    const [short, long] = [line(15_999), line(16_001)];
    const whole = filled({ prefix: `a\n${short}\nb`, suffix: `c\n${short}\nd` }, room);
    assert.ok(whole.text.includes(`a\n${short}\nb`) && whole.text.includes(`c\n${short}\nd`));
    assert.equal(whole.isCut, false);
    const before = filled({ prefix: `${long}\na\n${long}\nb` }, room);
    assert.ok(before.text.includes(`{<|fim_prefix|>}${long.slice(1)}\nb{`), 'the end of the last long line');
    assert.equal(before.isCut, true);
    const after = filled({ suffix: `c\n${long}\nd\n${long}` }, room);
    assert.ok(after.text.includes(`{<|fim_suffix|>}c\n${long.slice(0, -1)}{`), 'the start of the first one');
    assert.equal(after.isCut, true);
    const inside = filled({ prefix: long, suffix: '\n' }, room);
    assert.ok(inside.text.includes(`{<|fim_prefix|>}${long.slice(1)}{`), 'also in the line of the hole');
  });

  it('leaves room for the output, up to half of the context, and says if the text is cut', () => {
    const long = { prefix: 'a\n'.repeat(200), suffix: 'b\n'.repeat(200) };
    for (const [maxTokens, budget] of [
      [0, 301],
      [100, 201],
      [150, 151],
      [151, 151],
      [1000, 151],
    ] as const) {
      const { ids, isCut } = filled(long, { contextTokens: 301, maxTokens });
      assert.ok(ids.length <= budget && ids.length > budget * (7 / 8) - 2, String(ids.length));
      assert.equal(isCut, true);
    }
    assert.equal(filled(long).isCut, false);
    const otherFiles = [{ fileName: 'b', text: 'b\n'.repeat(250) }];
    assert.equal(filled({ prefix: 'a\n'.repeat(600), otherFiles }).isCut, false);
    assert.equal(filled({ prefix: 'a\n'.repeat(750), otherFiles }).isCut, true);
  });

  it('has \\n for line ends, and reports the line end of the texts', () => {
    const { text, lineEnd } = filled({ prefix: 'a\r\n', begun: 'b\r\n', suffix: '\r\nc' });
    assert.match(text, /a\nb\n\{<\|fim_suffix\|>\}\nc/);
    assert.equal(lineEnd, '\r\n');
    for (const [hole, expected] of [
      [{ begun: 'a\r\n', suffix: '\n' }, '\r\n'],
      [{ prefix: 'a', suffix: 'b\r\n' }, '\r\n'],
      [{ prefix: 'a\n', suffix: '\r\n' }, '\n'],
      [{ prefix: 'a' }, '\n'],
    ] as const)
      assert.equal(filled(hole).lineEnd, expected);
  });

  it('has a healed form without the incomplete token before the hole', () => {
    const { tokenizer } = new FakeDecoder([]);
    const build = (prefix: string) =>
      new FillInPrompt({ prefix, suffix: ';' }, { tokenizer, contextTokens: 500 }, 100).build();
    const { healed, promptIds } = build('const na') ?? assert.fail();
    assert.match(tokenizer.decode(promptIds), /<\|fim_prefix\|>const na<\|fim_suffix\|>;/);
    assert.equal(healed?.removed, ' na');
    assert.match(tokenizer.decode(healed.ids), /<\|fim_prefix\|>const<\|fim_suffix\|>;/);
    assert.equal(build('f(')?.healed, undefined);
  });

  it('does not exist for a model without fill-in-the-middle tokens', () => {
    const tokenizer = new WordlessTokenizer([]);
    const hole = { prefix: 'a', suffix: 'b' };
    assert.equal(new FillInPrompt(hole, { tokenizer, contextTokens: 500 }, 100).build(), undefined);
  });
});
