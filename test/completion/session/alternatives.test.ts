// Tests the alternatives of an explicit request: they are drawn at random from one prompt, and are the same each time.
import assert from 'node:assert/strict';
import { suggest } from '../../../server/completion/session/suggest';
import type { SuggestionRequest } from '../../../server/completion/session/suggestionRequest';
import { contextAt } from '../../support/cursor';
import { at, SETTINGS, resources } from '../suggesting';

describe('alternatives', () => {
  const drawing = { ...SETTINGS, alternatives: { temperature: 0.8 } };
  const requestAt = (document: string, more: Partial<SuggestionRequest> = {}) =>
    at(document, { trigger: 'explicit', settings: drawing, ...more });
  const textsOf = async (document: string, used: ReturnType<typeof resources>) =>
    (await suggest(requestAt(document), used)).texts;

  const samplingsAt = async (document: string, answers = ['b;\n', 'c;\n', 'd;\n']) => {
    const used = resources(answers.map((answer) => [answer]));
    await suggest(requestAt(document), used);
    return used.decoder.limits.flatMap(({ sampling }) => sampling ?? []);
  };

  it('use the same seeds at the same place, and other seeds elsewhere', async () => {
    const first = await samplingsAt('a =(║\n');
    assert.deepEqual(await samplingsAt('a =(║\n'), first);
    for (const document of ['b =(║\n', 'a =(║\nb\n', 'a =(║'])
      assert.notDeepEqual(await samplingsAt(document), first, document);
    // Seeds depend on 4096 characters on each side.
    const [near, far] = ['\n'.repeat(4095), '\n'.repeat(4096)];
    assert.deepEqual(await samplingsAt(`a${far}║${far}b`), await samplingsAt(`b${far}║${far}c`));
    assert.notDeepEqual(await samplingsAt(`a${near}║`), await samplingsAt(`b${near}║`));
    assert.notDeepEqual(await samplingsAt(`║${near}a`), await samplingsAt(`║${near}b`));
  });

  it('are three draws from the tokens of 95 % probability, at the temperature of the settings', async () => {
    const samplings = await samplingsAt('a =(║\n', ['b;\n']);
    const [{ seed = NaN } = {}] = samplings;
    const expected = [0, 1, 2].map((i) => ({ temperature: 0.8, topP: 0.95, seed: seed + i }));
    assert.deepEqual(samplings, expected);
  });

  it('come before other extents of the most probable text, up to three texts', async () => {
    const block = [' ', 'if (a) {\n', '    b();\n', '  }\n', '\n', '  c();\n', '}'];
    const extents = ['if (a) {\n    b();\n  }', 'if (a) {}'];
    const [x, y] = [[' x();\n\n\n'], [' y();\n\n\n']];
    for (const [answers, texts] of [
      [[block], extents],
      [
        [block, x, block],
        [extents[0], 'x();', extents[1]],
      ],
      [
        [block, x, y],
        [extents[0], 'x();', 'y();'],
      ],
    ] as const)
      assert.deepEqual(await textsOf('{\n  ║\n}\n', resources(answers)), texts);
  });

  it('leave out a draw without text', async () => {
    const used = resources([['b;\n'], [' \n'], ['c;\n'], ['d;\n']]);
    assert.deepEqual(await textsOf('a =(║\n', used), ['b;', 'c;', 'd;']);
  });

  it('use the prompt that led to the first text', async () => {
    // The output does not repeat the removed text of the healed prompt, so the whole prompt follows.
    const used = resources([['nothing'], ['ult = 1;\n'], ['ort();\n'], ['olve();\n']]);
    assert.deepEqual(await textsOf('const res║\n', used), ['ult = 1;', 'ort();', 'olve();']);
    const [healed, ...afterHealed] = used.decoder.prompts;
    assert.equal(afterHealed.length, 3);
    assert.deepEqual([...new Set(afterHealed)], [afterHealed[0]]);
    assert.notEqual(healed, afterHealed[0]);
  });

  it('are not drawn at temperature 0, for automatic requests, or when the model writes nothing', async () => {
    const cold = { ...SETTINGS, alternatives: { temperature: 0 } };
    for (const [request, answer] of [
      [requestAt('a =(║\n', { settings: cold }), 'b;\n'],
      [requestAt('a =(║\n', { trigger: 'automatic' }), 'b;\n'],
      [requestAt('a =(║\n'), ' '],
    ] as const) {
      const used = resources([[answer]]);
      await suggest(request, used);
      assert.equal(used.decoder.prompts.length, 1);
    }
  });

  it('drawn before a cancellation are returned but not remembered', async () => {
    for (const drawn of [0, 1]) {
      const controller = new AbortController();
      const used = resources([['b;\n'], ['c', ';\n'], ['d', ';\n']], {
        beforePiece: (i) => {
          if (i === 1 && used.decoder.prompts.length === 2 + drawn) controller.abort();
        },
      });
      const { signal } = controller;
      const texts = (await suggest(requestAt('a =(║\n', { signal }), used)).texts;
      assert.deepEqual(texts, ['b;', 'c;'].slice(0, 1 + drawn));
      assert.equal(used.decoder.prompts.length, 2 + drawn, 'no further decode begins');
      assert.deepEqual(used.recent.match(contextAt('a =(║\n'))?.texts, ['b;']);
    }
  });
});
