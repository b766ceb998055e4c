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

  it('use the same seeds at the same place, and other seeds elsewhere', async () => {
    const seeds = async (document: string) => {
      const used = resources([['b;\n'], ['c;\n'], ['d;\n']]);
      await suggest(requestAt(document), used);
      return used.decoder.limits.flatMap(({ sampling }) => sampling?.seed ?? []);
    };
    const first = await seeds('a =(║\n');
    assert.deepEqual(await seeds('a =(║\n'), first);
    for (const document of ['b =(║\n', 'a =(║\nb\n', 'a =(║'])
      assert.notDeepEqual(await seeds(document), first, document);
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
