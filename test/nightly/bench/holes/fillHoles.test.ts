// Holes are asked for as the language server asks, and answered as it answers; the model never sees what is missing.
import assert from 'node:assert/strict';
import { fillHoles } from '../../../../bench/holes/fillHoles';
import type { Hole } from '../../../../bench/holes/holes';
import { languageIdOf } from '../../../../bench/replay/sources';
import type { DecodeRequest } from '../../../../server/engine/decode/decode';
import { loading, ScriptedEngine, type Answer, type Asked } from '../../../lsp/scriptedEngine';
import { serverInMemory } from '../../../lsp/serverInMemory';
import { holeOf } from './holeOf';

const ANSWERS: readonly Answer[] = [['total', 'Price;\n', 'return'], [' + b;\n}\n\nmore']];
const MARKED: readonly (readonly [what: string, path: string, marked: string])[] = [
  ['the rest of a line', 'typescript/a.ts', 'const a = 1;\nconst b = ⟦a + 1;⟧\nuse(b);\n'],
  ['the rest of a name', 'javascript/a.mjs', 'let totalPrice = 0;\nadd(to⟦talPrice);⟧\n'],
  ['a whole line', 'typescript/b.tsx', 'function f() {\n  ⟦return 1;⟧\n}\n'],
  ['arguments', 'python/a.py', 'def f(a, b):\n    return g(⟦a, b⟧)\n'],
  ['a block', 'python/b.py', 'for x in y:\n    ⟦a(x)\n    b(x)⟧\nend()\n'],
];

/** What a person would see, what the model was asked, and what it was told beside that. */
interface Played {
  readonly texts: readonly string[];
  readonly asked: readonly Pick<Asked, 'prompt'>[];
  readonly limits: readonly object[];
}

async function filled(hole: Hole): Promise<Played> {
  const engine = new ScriptedEngine(ANSWERS);
  const { signal } = new AbortController();
  const texts: string[] = [];
  for await (const { text } of fillHoles(engine, [hole], { draftLength: 'adaptive', signal }))
    texts.push(text);
  return played(engine, texts);
}

async function inEditor({ path, source, start, end }: Hole): Promise<Played> {
  const engine = new ScriptedEngine(ANSWERS);
  const client = serverInMemory(loading(engine));
  await client.start();
  const marked = `${source.slice(0, start)}║${source.slice(end)}`;
  const text = await client.text(await client.open(path, marked, languageIdOf(path)));
  return played(engine, [text ?? '']);
}

function played({ asked }: ScriptedEngine, texts: readonly string[]): Played {
  const limits = ({ options }: Asked): Partial<DecodeRequest> => ({
    ...options,
    signal: undefined,
    isComplete: undefined,
    // The benchmark hides nothing.
    tellsProbabilities: undefined,
  });
  return { texts, asked: asked.map(({ prompt }) => ({ prompt })), limits: asked.map(limits) };
}

describe('fillHoles', () => {
  for (const [what, path, marked] of MARKED)
    it(`asks for ${what} as the editor does, and gives what it would show`, async () => {
      const hole = holeOf(marked, { path });
      const here = await filled(hole);
      assert.ok(here.asked.length > 0);
      assert.deepEqual(here, await inEditor(hole));
    });

  it('does not tell the model what is missing', async () => {
    const [one, other] = ['⟦answer();⟧', '⟦question(of, another);⟧'].map((missing) =>
      holeOf(`start();\nx = ${missing}\nend();\n`),
    );
    assert.ok(one && other);
    assert.deepEqual(await filled(one), await filled(other));
  });
});
