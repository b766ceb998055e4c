// The way from a cursor to ghost text, with a decoder that answers as written down.
import assert from 'node:assert/strict';
import { suggest } from '../../server/completion/session/suggest';
import type { SnippetBudget } from '../../server/completion/prompt/snippets';
import { contextAt } from '../support/cursor';
import { at, SETTINGS, tools } from './suggesting';

describe('suggest', () => {
  it('shows the rest of the line at the cursor', async () => {
    const result = await suggest(at('f(║);\n'), tools([['a', ', b', ');\n', 'g();']]));
    assert.deepEqual(result, {
      outcome: 'shown',
      texts: ['a, b'],
    });
  });

  it('tells the decoder from which text on it reads no further', async () => {
    const outputs = {
      'a =║\n': '1;\nb();\n',
      'if (a) {\n  ║\n}\n': 'b();\n  c();\n}\nd();\n',
      'def f(a):\n    ║\n\ng()\n': 'b = a\n    return b\n\n\nh()\n',
      '/** ║\n': 'What it does. */\nf();\n',
      'f(║)\n': 'a, b)\n',
    };
    for (const [document, output] of Object.entries(outputs))
      for (const trigger of ['automatic', 'explicit'] as const) {
        const used = tools([[...output, '\n\n\n', 'the rest']]);
        await suggest(at(document, { trigger }), used);
        const { given, limits, prompts } = used.decoder;
        // Of a decode after a prompt that ends earlier, one piece is enough.
        const read = given - (prompts.length - 1);
        for (const length of output.split('').keys())
          assert.equal(limits.at(-1)?.isComplete?.(output.slice(0, length)), length >= read, document);
      }
  });

  it('answers typing along the suggestion without the model', async () => {
    const used = tools([['b + c;']]);
    await suggest(at('a =(║\n'), used);
    for (const typed of ['b', 'b +', 'b + c', 'b + ']) {
      const result = await suggest(at(`a =(${typed}║\n`), used);
      assert.deepEqual(result.texts, ['b + c;'.slice(typed.length)]);
    }
    assert.equal(used.decoder.prompts.length, 1);
  });

  it('takes off a bracket that the editor has closed meanwhile', async () => {
    const used = tools([['f(b);']]);
    await suggest(at('a =║\n'), used);
    assert.deepEqual((await suggest(at('a =f(║)\n'), used)).texts, ['b']);
    assert.equal(used.decoder.prompts.length, 1);
  });

  it('goes on beyond a bracket that the editor has closed meanwhile where it opens a block', async () => {
    const used = tools([['(a) {\n', '  b();\n', '}\n', 'c();']]);
    assert.deepEqual((await suggest(at('if ║\n'), used)).texts, ['(a) {\n  b();\n}']);
    const asked = used.decoder.prompts.length;
    assert.deepEqual((await suggest(at('if (║)\n'), used)).texts, ['a) {\n  b();\n}']);
    assert.equal(used.decoder.prompts.length, asked);
  });

  const outcomes: readonly (readonly [
    outcome: string,
    title: string,
    document: string,
    output: readonly string[],
  ])[] = [
    ['empty', 'the model says nothing', 'a =║\n', []],
    ['empty', 'the model gives white space', 'a(║\n', ['  ', '\n', '\n', '\n']],
    ['filtered', 'the text stands there already', 'a =║ b;\n', ['b', ';']],
    ['filtered', 'the next line is repeated', 'a();\n║\nb();\n', ['b();\n']],
    ['skipped', 'the cursor is in a word', 'na║me\n', ['x']],
  ];
  for (const [outcome, title, document, output] of outcomes)
    it(`is ${outcome} when ${title}`, async () => {
      const result = await suggest(at(document), tools([output]));
      assert.equal(result.outcome, outcome);
      assert.deepEqual(result.texts, []);
    });

  it('is skipped without anything to continue', async () => {
    const used = tools([['a']], { infill: 'prefix' });
    assert.equal((await suggest(at('║'), used)).outcome, 'empty');
    assert.equal(used.decoder.prompts.length, 0);
  });

  it('completes in the middle of a word when asked to, where that makes a known name', async () => {
    const here = at('let na_me;\nna║me\n', { trigger: 'explicit' });
    assert.equal((await suggest(here, tools([['_']]))).outcome, 'shown');
    assert.equal((await suggest(here, tools([['_x']]))).outcome, 'filtered');
  });

  it('begins an empty document without the name of another file', async () => {
    assert.equal((await suggest(at('║'), tools([['// other.ts\nimport b;']]))).outcome, 'filtered');
  });

  describe('when cancelled', () => {
    it('while the person types on, asks nothing', async () => {
      const controller = new AbortController();
      const used = tools([['a']]);
      const settings = { ...SETTINGS, debounceMs: 10_000 };
      const waiting = suggest(at('a(║\n', { signal: controller.signal, settings }), used);
      controller.abort();
      assert.equal((await waiting).outcome, 'cancelled');
      assert.equal(used.decoder.prompts.length, 0);
    });

    it('while it decodes, shows and remembers nothing', async () => {
      const controller = new AbortController();
      const used = tools([['a', 'b', 'c', 'd']], { beforePiece: (i) => i === 2 && controller.abort() });
      const result = await suggest(at('a(║\n', { signal: controller.signal }), used);
      assert.equal(result.outcome, 'cancelled');
      assert.equal(used.recent.match(contextAt('a(║\n')), undefined);
    });
  });

  it('waits only before automatic requests, and never for what is known', async () => {
    const waits: number[] = [];
    const used = { ...tools([['b;\nc;']]), settle: (ms: number) => Promise.resolve(void waits.push(ms)) };
    const settings = { ...SETTINGS, debounceMs: 40 };
    await suggest(at('a =║\n', { settings }), used);
    await suggest(at('a =║\n', { settings }), used);
    await suggest(at('a(║\n', { settings, trigger: 'explicit' }), used);
    assert.deepEqual(waits, [40]);
  });

  it('gives different widths of the same output as alternatives', async () => {
    const output = [' ', 'if (a) {\n', '    b();\n', '  }\n', '\n', '  c();\n', '}'];
    const used = tools([output]);
    const result = await suggest(at('{\n  ║\n}\n', { trigger: 'explicit' }), used);
    assert.deepEqual(result.texts, ['if (a) {\n    b();\n  }', 'if (a) {}']);
    assert.equal(used.decoder.prompts.length, 1);
    const again = await suggest(at('{\n  ║\n}\n', { trigger: 'explicit' }), used);
    assert.deepEqual(again, result);
  });

  it('ends a block that the token limit has cut with its last whole line', async () => {
    const settings = { ...SETTINGS, maxSuggestionTokens: 9 };
    const result = await suggest(at('if (a) {║\n', { settings }), tools([['\n  b();\n', '  c = d']]));
    assert.deepEqual(result.texts, ['\n  b();']);
  });

  it('shows no half of an emoji that the token limit has cut', async () => {
    for (const [output, whole] of [
      ['🇩🇪🇮', '🇩🇪'],
      ['👨‍👩‍', '👨‍👩'],
      ['🇩🇪', '🇩🇪'],
    ] as const) {
      const result = await suggest(at('flag("║");\n'), tools([[output]], { finishReason: 'length' }));
      assert.deepEqual(result.texts, [whole]);
    }
  });

  it('shows no part of a line that the guard against repetition has cut', async () => {
    const cut = (output: string) => suggest(at('║\n'), tools([[output]], { finishReason: 'repetition' }));
    assert.deepEqual((await cut('a();\nb = "====')).texts, ['a();']);
    assert.deepEqual((await cut('b = "====')).texts, []);
  });

  it('shows the first items of a list that the guard against repetition has cut', async () => {
    const cut = (document: string, output: string) =>
      suggest(at(document), tools([[output]], { finishReason: 'repetition' }));
    const lent = 'books[i], '.repeat(4);
    assert.deepEqual((await cut('a = f(║)\n', `${lent}bo`)).texts, ['books[i], books[i], books[i]']);
    const named = "Ann' }, { name: '".repeat(4);
    assert.deepEqual((await cut("a = [{ name: 'Ann' }, { name: '║' }];\n", named)).texts, [
      named.slice(0, 40),
    ]);
    const spaces = String.raw`^|\\s|\\s|\\s|\\s|\\s|\\s|\\`;
    assert.deepEqual((await cut("a = new RegExp('(║)');\n", spaces)).texts, [spaces.slice(0, 13)]);
  });

  it('writes the line ends of the document', async () => {
    const result = await suggest(at('if (a) {║\r\nc();\r\n'), tools([['\n  b();\n}']]));
    assert.deepEqual(result.texts, ['\r\n  b();\r\n}']);
  });

  it('asks for snippets within the prompt', async () => {
    const budgets: unknown[] = [];
    const snippets = (budget: SnippetBudget) => {
      budgets.push(budget);
      return [{ fileName: 'b.ts', text: 'export function b() {}' }];
    };
    const used = tools([['b();']], { contextTokens: 500 + SETTINGS.maxSuggestionTokens });
    await suggest(at('a(║\n'), { ...used, snippets });
    assert.match(used.decoder.prompts[0] ?? '', /^<\|file_sep\|>b\.ts\nexport function b/);
    // A short file leaves room for definitions.
    assert.deepEqual(budgets, [{ all: 750, similar: 450 }]);
  });
});
