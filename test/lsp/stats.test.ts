// Tests the cost of requests as the client sees it: one row per decode, sent and stored, and comparisons. The engine is
// a fake; embedded.test.ts checks real numbers.
import assert from 'node:assert/strict';
import { CancellationTokenSource } from 'vscode-languageserver/node';
import type { Decode, DecodeRequest, DecodeResult } from '../../server/engine/decode/decode';
import type { EditorClient } from './editorClient';
import { loading, ScriptedEngine, type Answer } from './scriptedEngine';
import { scripted, serverInMemory } from './serverInMemory';

const session = async (...answers: readonly Answer[]): Promise<EditorClient> =>
  (await scripted(answers, { stepMs: 1 })).client;

describe('the statistics', () => {
  it('have one row for each decode, with increasing ids and its outcome', async () => {
    const client = await session(['1', '23;\n'], [' '], [')'], ['f();\n', '\n\n\n}']);
    await client.complete(await client.open('a.ts', 'const a = '));
    await client.complete(await client.open('b.ts', 'const b = '));
    await client.complete(await client.open('c.ts', 'const c = (1║)'));
    const { uri } = await client.open('d.ts', 'run();\n');
    await client.generate({ uri, instruction: 'run f', start: 7, end: 7 });
    await client.until(() => client.rows.length === 4);
    const shown = client.rows.map(({ id, kind, file, outcome }) => [id, kind, file, outcome]);
    assert.deepEqual(shown, [
      [1, 'inline', 'a.ts', 'shown'],
      [2, 'inline', 'b.ts', 'empty'],
      [3, 'inline', 'c.ts', 'filtered'],
      [4, 'generate', 'd.ts', 'stop'],
    ]);
  });

  it('name a cell after its notebook', async () => {
    const client = await session(['123;\n']);
    await client.complete(await client.open('vscode-notebook-cell:/a%20b.ipynb#W0sZmlsZQ%3D%3D', 'a = '));
    await client.until(() => client.rows.length === 1);
    assert.equal(client.rows[0]?.file, 'a b.ipynb');
  });

  it('distinguish a decode that was not used from one that was shown', async () => {
    const engine = new ScriptedEngine([['other'], ['1;\n']], 1);
    // A space is one token with the text after it, so the first prompt ends before the space.
    engine.tokenizer.encodeText = (text) =>
      Array.from(
        text.matchAll(/( ?)([^])/g),
        ([, space, letter = '']) => (space ? -1 : 1) * letter.charCodeAt(0),
      );
    engine.tokenizer.decode = (ids) =>
      ids.map((id) => (id < 0 ? ' ' : '') + String.fromCharCode(Math.abs(id))).join('');
    const client = serverInMemory(loading(engine));
    await client.start();
    assert.equal(await client.text(await client.open('a.ts', 'const a = ')), '1;');
    await client.until(() => client.rows.length === 2);
    assert.deepEqual(
      client.rows.map(({ outcome }) => outcome),
      ['filtered', 'shown'],
    );
  });

  it('have the sizes of the parts of the prompt, which no engine receives', async () => {
    const { client, engine } = await scripted([['1;\n']], { stepMs: 1 });
    await client.complete(await client.open('a.ts', 'const a = '));
    await client.until(() => client.rows.length > 0);
    const { prompt = [], stats } = client.rows.at(-1) ?? assert.fail();
    assert.equal(prompt.find(({ name }) => name === 'before')?.characters, 'const a = '.length);
    assert.equal(
      prompt.reduce((sum, { tokens }) => sum + (tokens ?? NaN), 0),
      stats.promptTokens,
    );
    assert.ok(engine.decodes.every(({ options }) => !('parts' in options)));
    assert.ok(!JSON.stringify(prompt).includes('const'));
  });

  it('keep the last 200 rows as they were reported', async () => {
    const client = await session(['1;\n']);
    for (let i = 0; i < 205; i++) {
      // At new places, so that no earlier answer is reused.
      const place = await client.open(`a${String(i)}.ts`, `const a${String(i)} = `);
      await client.complete(place);
      await client.close(place.uri);
    }
    const history = await client.history();
    assert.equal(client.rows.length, 205);
    assert.deepEqual(history, client.rows.slice(-200));
    assert.equal(history[0]?.id, 6);
  });
});

/** Engine whose log-probabilities of "2" and "3" differ by `gap`. */
class TiedEngine extends ScriptedEngine {
  constructor(
    answers: readonly Answer[],
    private readonly gap: number,
  ) {
    super(answers);
  }

  override decode(promptIds: readonly number[], options: DecodeRequest): Decode {
    const decode = super.decode(promptIds, options);
    if (options.sampling?.logprobs === undefined) return decode;
    const top = ['2', '3'].map((letter, i) => {
      return { token: this.tokenizer.encodeText(letter)[0] ?? 0, logprob: -1 - i * this.gap };
    });
    const finish = async (): Promise<DecodeResult> => {
      return { ...(await decode.finish()), logprobs: [{ token: 0, logprob: 0, top }] };
    };
    return { ...decode, finish };
  }
}

describe('flashline/compare', () => {
  it('decodes the last prompt with and without drafts', async () => {
    const { client, engine } = await scripted([['1', '2;\n']], { settings: { maxSuggestionTokens: 9 } });
    await client.complete(await client.open('a.ts', 'const a = '));
    const { identical, plain, speculative } = await client.compare();
    assert.equal(identical, true);
    assert.deepEqual([plain.kind, speculative.kind], ['compare', 'compare']);
    assert.deepEqual(
      (await client.history()).map(({ id }) => id).sort(),
      [1, plain.id, speculative.id].sort(),
    );
    const [suggested, ...compared] = engine.decodes;
    for (const { prompt, options } of engine.decodes)
      assert.deepEqual([prompt, options.maxTokens], [suggested?.prompt, 9]);
    const lengths = compared.map(({ options }) => options.draftLength);
    assert.deepEqual([...new Set(lengths)].sort(), [0, 'adaptive']);
    assert.ok(
      compared.every(({ options }) => options.fresh),
      'no comparison reuses a cached prompt',
    );
  });

  it('keeps the status at generating until it ends', async () => {
    const { client } = await scripted([['1', '2;\n']]);
    await client.complete(await client.open('a.ts', 'const a = '));
    await client.until(() => client.status?.state === 'ready');
    await client.quiet();
    const before = client.statuses.length;
    await client.compare();
    await client.quiet();
    assert.deepEqual(
      client.statuses.slice(before).map(({ state }) => state),
      ['generating', 'ready'],
    );
  });

  it('reports the end of the shorter text as the difference if the other text goes on', async () => {
    const { client } = await scripted([['1;\n'], ['1;\n'], ['1'], ['12;\n']]);
    await client.complete(await client.open('a.ts', 'const a = '));
    const { identical, difference } = await client.compare();
    assert.deepEqual([identical, difference], [false, { position: 1, logitGap: null, nearTie: false }]);
  });

  it('decodes with drafts even if the settings turn them off', async () => {
    const { client, engine } = await scripted([['1', '2;\n']], { settings: { draftLength: 0 } });
    await client.complete(await client.open('a.ts', 'const a = '));
    await client.compare();
    const lengths = engine.decodes.map(({ options }) => options.draftLength);
    assert.deepEqual(lengths, [0, 0, 'adaptive', 'adaptive', 0], 'a suggestion, two runs to warm up');
  });

  for (const [gap, nearTie] of [
    [0.0005, true],
    [0.002, false],
  ] as const)
    it(`reports ${nearTie ? 'a near tie' : 'no near tie'} where the target's logits differ by ${gap}`, async () => {
      const engine = new TiedEngine([['1;\n'], ['1;\n'], ['12;\n'], ['13;\n'], ['2']], gap);
      const client = serverInMemory(loading(engine));
      await client.start();
      await client.complete(await client.open('a.ts', 'const a = '));
      const { difference } = await client.compare();
      assert.deepEqual([difference?.position, difference?.nearTie], [1, nearTie]);
      assert.ok(Math.abs((difference?.logitGap ?? NaN) - gap) < 1e-9);
      const decode = engine.decodes.at(-1);
      assert.equal(decode?.prompt, `${engine.decodes[0]?.prompt ?? ''}1`);
    });

  it('fails when it is cancelled', async () => {
    const client = await session(['1;\n'], Array<string>(20_000).fill('x'));
    await client.complete(await client.open('a.ts', 'const a = '));
    const source = new CancellationTokenSource();
    const answer = client.compare(source.token);
    await client.until(() => client.status?.state === 'generating');
    source.cancel();
    await assert.rejects(answer, /was cancelled/);
    assert.equal((await client.history()).length, 1);
  });

  it('requires an earlier request to the same model', async () => {
    const client = await session(['1;\n']);
    await assert.rejects(client.compare(), /no request to compare yet\. Request a suggestion first/);
    await client.complete(await client.open('a.ts', 'const a = '));
    await client.settings({ target: 'other', debounceMs: 0 });
    await client.until(() => client.status?.model?.target === 'scripted other');
    await assert.rejects(client.compare(), /no request to compare yet/);
  });
});
