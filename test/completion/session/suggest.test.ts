// Tests the way from a cursor to ghost text, with a scripted decoder.
import assert from 'node:assert/strict';
import { prefill } from '../../../server/completion/session/promptRequest';
import { suggest } from '../../../server/completion/session/suggest';
import { toSuggestions } from '../../../server/completion/session/suggestions';
import type { SnippetBudget } from '../../../server/completion/prompt/snippets';
import { contextAt } from '../../support/cursor';
import { at, SETTINGS, resources } from '../suggesting';

describe('suggest', () => {
  it('passes the decoder a check of whether a text is complete', async () => {
    const outputs = {
      'a =║\n': '1;\nb();\n',
      'if (a) {\n  ║\n}\n': 'b();\n  c();\n}\nd();\n',
      'def f(a):\n    ║\n\ng()\n': 'b = a\n    return b\n\n\nh()\n',
      '/** ║\n': 'What it does. */\nf();\n',
      'f(║)\n': 'a, b)\n',
    };
    for (const [document, output] of Object.entries(outputs))
      for (const trigger of ['automatic', 'explicit'] as const) {
        const used = resources([[...output, '\n\n\n', 'the rest']]);
        await suggest(at(document, { trigger }), used);
        const { readCount, limits, prompts } = used.decoder;
        // The pieces are characters. A decode of the healed prompt, if there is one, ends after its first piece.
        const shortest = readCount - (prompts.length - 1);
        for (const length of output.split('').keys())
          assert.equal(limits.at(-1)?.isComplete?.(output.slice(0, length)), length >= shortest, document);
      }
  });

  it('removes a bracket that the editor has closed meanwhile', async () => {
    const used = resources([['f(b);']]);
    await suggest(at('a =║\n'), used);
    assert.deepEqual((await suggest(at('a =f(║)\n'), used)).texts, ['b']);
    assert.equal(used.decoder.prompts.length, 1);
  });

  it('keeps a probability with the text that it was judged for', () => {
    const { recent } = resources([[]]);
    recent.remember(at('a =║\n').context, ['b;', 'c;'], 0.4);
    const probabilities = ['a =║\n', 'a =b║\n', 'a =c║\n'].map(
      (document) => recent.match(at(document).context)?.keepProbability,
    );
    assert.deepEqual(probabilities, [0.4, 0.4, undefined]);
  });

  for (const [outcome, title, document, output, infill] of [
    ['empty', 'the model writes nothing', 'a =║\n', []],
    ['empty', 'the model writes white space', 'a(║\n', ['  ', '\n', '\n', '\n']],
    ['empty', 'there is nothing to continue', '║', ['a'], 'prefix'],
    ['filtered', 'the text follows the cursor already', 'a =║ b;\n', ['b', ';']],
    ['filtered', 'the next line is repeated', 'a();\n║\nb();\n', ['b();\n']],
    ['filtered', 'an empty document begins with the name of another file', '║', ['// other.ts\nimport b;']],
    ['skipped', 'the cursor is in a word', 'na║me\n', ['x']],
  ] as const)
    it(`reports the outcome "${outcome}" when ${title}`, async () => {
      const used = resources([output], { infill: infill ?? 'fim' });
      const result = await suggest(at(document), used);
      assert.deepEqual([result.outcome, result.texts], [outcome, []]);
      if (infill === 'prefix') assert.equal(used.decoder.prompts.length, 0);
    });

  it('names the step or rule that left no text', async () => {
    for (const [document, output, cause] of [
      ['a =║ b;\n', ['b', ';'], 'removeSuffixOverlap'],
      ['a();\n║\nb();\n', ['b();\n'], 'GhostTextEnd'],
      ['a();\n║\n', ['//'], 'dropLoneMarks'],
      ['a();\n║\n', ['// a'], 'filler'],
    ] as const)
      assert.equal((await suggest(at(document), resources([output]))).cause, cause);
  });

  it('completes within a word on request if that makes a name of the document', async () => {
    const here = at('let na_me;\nna║me\n', { trigger: 'explicit' });
    assert.equal((await suggest(here, resources([['_']]))).outcome, 'shown');
    assert.equal((await suggest(here, resources([['_x']]))).outcome, 'filtered');
  });

  it('waits only before automatic requests, and not for recent suggestions', async () => {
    const waits: number[] = [];
    const used = { ...resources([['b;\nc;']]), settle: (ms: number) => Promise.resolve(void waits.push(ms)) };
    const settings = { ...SETTINGS, debounceMs: 40 };
    await suggest(at('a =║\n', { settings }), used);
    await suggest(at('a =║\n', { settings }), used);
    await suggest(at('a(║\n', { settings, trigger: 'explicit' }), used);
    assert.deepEqual(waits, [40]);
  });

  it('ends a block that the token limit has cut with its last complete line', async () => {
    const settings = { ...SETTINGS, maxSuggestionTokens: 9 };
    const result = await suggest(at('if (a) {║\n', { settings }), resources([['\n  b();\n', '  c = d']]));
    assert.deepEqual(result.texts, ['\n  b();']);
  });

  it('ends a text that the token limit has cut before a line that only begins a block', async () => {
    for (const [output, shown, languageId] of [
      ['a();\n@b\nclass', 'a();', 'typescript'],
      ['a()\nif b:\n    c', 'a()', 'python'],
      ['if b:\n    c', 'if b:', 'python'],
      ['a();\nif (b) {\n  c', 'a();', 'typescript'],
      ['a();\ntry {\n  b', 'a();', 'java'],
      ['a();\n#[b]\nfn c() {\n  d', 'a();', 'rust'],
      ['a();\n[B]\nvoid C() {\n  d', 'a();', 'csharp'],
      ['if (b) {\n  c', 'if (b) {}', 'typescript'],
      ['a();\nif (b) {\n  c();\n} else {\n  d', 'a();\nif (b) {\n  c();\n} else {}', 'typescript'],
      ['void f()\n{\n  a', 'void f()\n{}', 'c'],
    ] as const) {
      const used = resources([[output]], { finishReason: 'length' });
      assert.deepEqual((await suggest(at(contextAt('║\n', languageId)), used)).texts, [shown], output);
    }
  });

  it('reports the words of an unfinished first line once, if the answer to an automatic request is late', async () => {
    const wordsOf = async (
      pieces: readonly string[],
      isLate: boolean,
      trigger: 'automatic' | 'explicit',
      document = 'a = (║\n',
    ) => {
      const parts: string[] = [];
      const listener = {
        onOutput: () => undefined,
        onCertain: ([first = '']: readonly string[]) => void parts.push(first),
      };
      const used = { ...resources([pieces]), listener, isLate: () => isLate };
      const { texts } = await suggest(at(document, { trigger }), used);
      assert.equal(parts.at(-1), texts[0]);
      return parts.filter((part) => part !== texts[0]);
    };
    const pieces = ['b', '(c', ', d', ');\n'];
    assert.deepEqual(await wordsOf(pieces, true, 'automatic'), ['b']);
    assert.deepEqual(await wordsOf(pieces, false, 'automatic'), []);
    assert.deepEqual(await wordsOf(pieces, true, 'explicit'), []);
    assert.deepEqual(await wordsOf(['""', ' + b', ';\n'], true, 'automatic'), [], 'marks are not words');
    assert.deepEqual(
      await wordsOf(['\n  b', '(c', ');\n'], true, 'automatic', 'if (a) {║\n}\n'),
      [],
      'on another line',
    );
  });

  it('keeps a part that was shown before the complete text is found to be a filler', async () => {
    const copied = "it('a', () => {\n  b();\n});\nit('c', () => ║)\n";
    for (const [document, pieces, part, shown] of [
      [copied, ['{\n', '  b();\n', '});\n'], '{', '{}'],
      ['a = (║)\n', ['b', ' and', ' c', ' +\n'], 'b', 'b'],
    ] as const) {
      const parts: string[] = [];
      const listener = {
        onOutput: () => undefined,
        onCertain: ([first = '']: readonly string[]) => void parts.push(first),
      };
      const request = at(document);
      assert.equal((await suggest(request, resources([pieces]))).outcome, 'hidden');
      const used = { ...resources([pieces]), listener, isLate: () => true };
      assert.deepEqual((await suggest(request, used)).texts, [shown]);
      assert.deepEqual(parts, [part, shown]);
    }
  });

  it('shows no half of an emoji that the token limit has cut', async () => {
    for (const [output, shown] of [
      ['🇩🇪🇮', '🇩🇪'],
      ['👨‍👩‍', '👨‍👩'],
      ['🇩🇪', '🇩🇪'],
    ] as const) {
      const result = await suggest(at('flag("║");\n'), resources([[output]], { finishReason: 'length' }));
      assert.deepEqual(result.texts, [shown]);
    }
  });

  it('shows complete lines and the first items of a list that the repetition guard has cut', async () => {
    const named = "Ann' }, { name: '".repeat(4);
    const spaces = String.raw`^|\\s|\\s|\\s|\\s|\\s|\\s|\\`;
    for (const [document, output, ...texts] of [
      ['║\n', 'a();\nb = "====', 'a();'],
      ['║\n', 'b = "===='],
      ['a = f(║)\n', `${'books[i], '.repeat(4)}bo`, 'books[i], books[i], books[i]'],
      ['a = {\n  ║\n};\n', "b => ['c', 'd', 'd', 'd', 'd', 'd', 'd', 'd', 'd', 'd"],
      ["a = [{ name: 'Ann' }, { name: '║' }];\n", named, named.slice(0, 40)],
      ["a = new RegExp('(║)');\n", spaces, spaces.slice(0, 13)],
    ] as const) {
      const used = resources([[output]], { finishReason: 'repetition' });
      assert.deepEqual((await suggest(at(document), used)).texts, texts);
    }
  });

  it('requests snippets within the budget of the prompt', async () => {
    const budgets: unknown[] = [];
    const snippets = (budget: SnippetBudget) => {
      budgets.push(budget);
      return [{ fileName: 'b.ts', text: 'export function b() {}' }];
    };
    const used = resources([['b();']], { contextTokens: 500 + SETTINGS.maxSuggestionTokens });
    await suggest(at('a(║\n'), { ...used, snippets });
    assert.match(used.decoder.prompts[0] ?? '', /^<\|file_sep\|>b\.ts\nexport function b/);
    // A short file leaves room for definitions.
    assert.deepEqual(budgets, [{ all: 750, similar: 450 }]);
  });

  it('uses the model for an explicit request with one recent text, and not for one with several', async () => {
    for (const [texts, promptCount] of [
      [['b;'], 1],
      [['b;', 'c;'], 0],
    ] as const) {
      const used = resources([['d;\n']]);
      const request = at('a =║\n', { trigger: 'explicit' });
      used.recent.remember(request.context, texts);
      assert.deepEqual((await suggest(request, used)).texts, promptCount === 0 ? texts : ['d;']);
      assert.equal(used.decoder.prompts.length, promptCount);
    }
  });

  it('shows no recent filler automatically', async () => {
    const used = resources([['b();\n']]);
    const request = at('a();\n║\n');
    used.recent.remember(request.context, ['// b']);
    assert.deepEqual((await suggest(request, used)).texts, ['b();']);
  });

  it('decodes nothing for a request that is cancelled during the pause', async () => {
    const controller = new AbortController();
    const used = {
      ...resources([['b;']]),
      settle: () => Promise.resolve(controller.abort()),
    };
    const result = await suggest(at('a =║\n', { signal: controller.signal }), used);
    assert.deepEqual(result, { outcome: 'cancelled', texts: [] });
    assert.equal(used.decoder.prompts.length, 0);
  });

  it('answers no cancelled request, not even with a recent suggestion', async () => {
    const used = resources([['b;\n']]);
    await suggest(at('a =║\n'), used);
    const cancelled = await suggest(at('a =║\n', { signal: AbortSignal.abort() }), used);
    assert.deepEqual(cancelled, { outcome: 'cancelled', texts: [] });
  });

  it('neither shows nor remembers the part that was written before a cancellation', async () => {
    const controller = new AbortController();
    const used = resources([['b;\n', 'c;\n']], {
      beforePiece: (i) => {
        if (i === 1) controller.abort();
      },
    });
    const { signal } = controller;
    const result = await suggest(at('if (a) {\n  ║\n}\n', { signal }), used);
    assert.deepEqual(result, { outcome: 'cancelled', texts: [] });
    assert.equal(used.recent.match(contextAt('if (a) {\n  ║\n}\n')), undefined);
  });

  it('sends the probability with the first text only', () => {
    assert.deepEqual(toSuggestions(['a', 'b'], contextAt('║\n'), 0.5), [
      { text: 'a', replacesAfter: 0, keepProbability: 0.5 },
      { text: 'b', replacesAfter: 0 },
    ]);
  });

  it('prefills nothing where there is nothing to continue', async () => {
    const used = resources([['a']], { infill: 'prefix' });
    await prefill(at('║'), used);
    assert.deepEqual(used.decoder.prompts, []);
    await prefill(at('a(║'), used);
    assert.deepEqual([used.decoder.prompts.length, used.decoder.limits[0]?.maxTokens], [1, 1]);
  });

  it('prefills the prompt that a request at the same cursor decodes first', async () => {
    const used = resources([['a']]);
    await prefill(at('const name║\n'), used);
    await suggest(at('const name║\n'), used);
    const [prefilled, decoded] = used.decoder.prompts;
    assert.equal(prefilled, decoded);
    assert.match(prefilled ?? '', /const<\|fim_suffix\|>/);
  });

  it('limits the output to its setting and to the part of the context that the prompt leaves', async () => {
    for (const [contextTokens, maxSuggestionTokens, promptTokens, budget, maxTokens] of [
      [4096, 64, undefined, 1024, 64],
      [4096, 64, 2000, 2000, 64],
      [564, 64, 2000, 500, 64],
      [100, 64, 2000, 50, 50],
      [101, 64, 10, 10, 64],
    ] as const) {
      const used = resources([['b();']], { contextTokens });
      const similar: number[] = [];
      const snippets = (characters: SnippetBudget) => {
        similar.push(characters.similar);
        return [];
      };
      const request = at('a(║\n', { settings: { ...SETTINGS, maxSuggestionTokens } });
      await suggest(request, { ...used, snippets, ...(promptTokens && { promptTokens }) });
      // Similar code gets 0.3 of the prompt, with three characters for each token.
      assert.deepEqual(similar, [Math.floor(budget * 0.9)]);
      assert.equal(used.decoder.limits[0]?.maxTokens, maxTokens);
    }
  });

  it('passes the decoder the text to look up drafts in: after the cursor, and the lines above it', async () => {
    const used = resources([['b();']]);
    await suggest(at('first();\nsecond(║);\nthird();\n'), used);
    const [{ promptLookupIds = [] } = {}] = used.decoder.limits;
    assert.equal(used.decoder.tokenizer.decode(promptLookupIds), ');\nthird();\n\nfirst();\n');
  });
});
