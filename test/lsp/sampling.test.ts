// Tests how tokens are selected, from the client to the engine: generated code by the settings and the request, ghost
// text at random only for alternatives. The engine is a fake that records its requests.
import assert from 'node:assert/strict';
import { DEFAULT_SETTINGS } from '../../server/hosting/settings';
import type { GenerateParams, SamplingOverrides } from '../../server/protocol/messages';
import type { EditorClient } from './editorClient';
import { LONG, type Answer } from './scriptedEngine';
import { scripted } from './serverInMemory';

async function session(answers: readonly Answer[], settings: object = {}) {
  const { client, engine } = await scripted(answers, { settings });
  const { uri, offset } = await client.open('a.ts', 'f();\n');
  const generate = (sampling?: SamplingOverrides) =>
    client.generate({ uri, instruction: 'g', start: offset, end: offset, ...(sampling && { sampling }) });
  return { client, engine, generate };
}

describe('generated code', () => {
  it('is the most probable text unless the settings or the request set a temperature', async () => {
    const { engine, generate } = await session([['g();\n']]);
    const { seed, ...result } = await generate();
    assert.deepEqual(result, { text: 'g();', finishReason: 'stop' });
    assert.equal(seed, undefined);
    const { sampling, repetitionGuard, fresh } = engine.decodes[0]?.options ?? {};
    const { seed: noSeed, repetitionGuard: hasGuard, ...greedy } = DEFAULT_SETTINGS.generate;
    assert.deepEqual([noSeed, hasGuard], [null, true]);
    assert.deepEqual(sampling, { ...greedy, seed: undefined });
    assert.deepEqual([repetitionGuard, fresh], [true, undefined]);
  });

  it('is drawn as the settings say, and its result includes the seed', async () => {
    const settings = { temperature: 0.7, topP: 0.9, minP: 0.1, seed: 7, repetitionGuard: true, topK: 'many' };
    const { client, engine, generate } = await session([['g();\n']], { generate: settings });
    assert.equal((await generate()).seed, 7);
    const { sampling, repetitionGuard, draftLength } = engine.decodes[0]?.options ?? {};
    assert.deepEqual(
      { ...sampling, repetitionGuard, draftLength },
      { ...DEFAULT_SETTINGS.generate, ...settings, topK: 0, draftLength: 'adaptive' },
    );
    await client.until(() => client.rows.length === 1);
    assert.equal(client.rows[0]?.stats.seed, 7);
  });

  it('is drawn as the request says, rather than the settings', async () => {
    const settings = { temperature: 0.7, seed: 7, acceptance: 'rejection' };
    const { engine, generate } = await session([['g();\n']], { generate: settings });
    await generate({
      temperature: 0.2,
      seed: null,
      acceptance: 'match',
      frequencyPenalty: 0.5,
      repetitionGuard: false,
    });
    const { sampling, repetitionGuard } = engine.decodes[0]?.options ?? {};
    assert.equal(sampling?.temperature, 0.2);
    assert.equal(sampling.seed, undefined);
    assert.equal(sampling.acceptance, 'match');
    assert.equal(sampling.frequencyPenalty, 0.5);
    assert.equal(repetitionGuard, false);
  });

  const lengths: readonly (readonly [sampling: SamplingOverrides, draftLength: unknown, fresh: unknown])[] = [
    [{ temperature: 1, acceptance: 'rejection', seed: 1 }, 'full', true],
    [{ temperature: 1, acceptance: 'rejection' }, 'adaptive', undefined],
    [{ temperature: 1, acceptance: 'match', seed: 1 }, 'adaptive', undefined],
    [{ temperature: 0, acceptance: 'rejection', seed: 1 }, 'adaptive', undefined],
  ];
  for (const [sampling, draftLength, fresh] of lengths)
    it(`has the draft length ${String(draftLength)} with ${JSON.stringify(sampling)}`, async () => {
      const { engine, generate } = await session([['g();\n']]);
      await generate(sampling);
      const { options } = engine.decodes[0] ?? {};
      assert.deepEqual([options?.draftLength, options?.fresh], [draftLength, fresh]);
    });

  it('includes token probabilities on request', async () => {
    const { engine, generate } = await session([['g', '();\n']]);
    const { logprobs = [] } = await generate({ logprobs: 2 });
    assert.equal(engine.decodes[0]?.options.sampling?.logprobs, 2);
    assert.deepEqual(logprobs.map(({ text }) => text).join(''), 'g();\n');
    const second = { text: '(', logprob: -1 };
    assert.deepEqual(logprobs[1], { ...second, top: [second, second] });
    assert.equal((await generate()).logprobs, undefined);
  });

  const wrong: readonly (readonly [sampling: unknown, complaint: RegExp])[] = [
    ['warm', /sampling must be an object/],
    [{ temperature: 3 }, /sampling.temperature to be a number from 0 to 2, got 3; correct it/],
    [{ temperature: '1' }, /sampling.temperature to be a number .* got a value of type string/],
    [{ seed: -1 }, /sampling.seed to be a whole number from 0 to 4294967295, or null, got -1/],
    [{ acceptance: 'typical' }, /sampling.acceptance to be match or rejection/],
    [{ repetitionGuard: 1 }, /sampling.repetitionGuard to be true or false, got 1/],
    [{ logprobs: 21 }, /sampling.logprobs to be a whole number from 0 to 20, got 21/],
  ];
  it('is refused when the request has invalid options', async () => {
    const { client, engine } = await session([['g();\n']]);
    const { uri } = await client.open('b.ts', 'f();\n');
    for (const [sampling, complaint] of wrong) {
      const params = { uri, instruction: 'g', start: 0, end: 0, sampling };
      await assert.rejects(client.generate(params as GenerateParams), complaint);
    }
    assert.equal(engine.decodes.length, 0);
  });
});

describe('ghost text with settings for sampling', () => {
  const place = (client: EditorClient) => client.open('b.ts', 'const b = (║\n');

  it('is the most probable text, with the guard against repetition', async () => {
    const { client, engine } = await session([['1;\n']], { generate: { temperature: 1 } });
    await client.complete(await place(client));
    const { sampling, repetitionGuard } = engine.decodes[0]?.options ?? {};
    assert.equal(sampling, undefined);
    assert.equal(repetitionGuard, true);
  });

  it('comes with drawn alternatives on request, each with its own row of statistics', async () => {
    const { client, engine } = await session([['1;\n'], ['2;\n'], ['2;\n'], ['3;\n']], {
      alternatives: { temperature: 0.6 },
    });
    const items = await client.complete(await place(client), { invoked: true });
    assert.deepEqual(
      items?.map(({ insertText }) => insertText),
      ['1;', '2;', '3;'],
    );
    const [best, ...drawn] = engine.decodes.map(({ options }) => options);
    assert.equal(best?.sampling, undefined);
    assert.equal(drawn.length, 3);
    for (const { kind, sampling, repetitionGuard } of drawn)
      assert.deepEqual([kind, sampling?.temperature, repetitionGuard], ['inline', 0.6, true]);
    await client.until(() => client.rows.length === 4);
    assert.deepEqual(
      client.rows.map(({ kind, outcome }) => [kind, outcome]),
      [['inline', 'shown'], ...Array<string[]>(3).fill(['alternative', 'stop'])],
    );
    assert.deepEqual(
      client.rows.map(({ stats }) => stats.seed),
      [undefined, ...drawn.map(({ sampling }) => sampling?.seed)],
    );
  });

  it('is returned with the alternatives so far when a newer request supersedes the rest', async () => {
    const { client, engine } = await scripted([['1;\n'], ['2;\n'], LONG, ['9;\n']], { stepMs: 2 });
    const older = client.complete(await place(client), { invoked: true });
    await client.until(() => (engine.decodes[2]?.steps ?? 0) > 2);
    const newer = client.text(await client.open('c.ts', 'const c = (║\n'));
    assert.deepEqual(
      (await older)?.map(({ insertText }) => insertText),
      ['1;', '2;'],
    );
    assert.equal(await newer, '9;');
    assert.equal(engine.running, 0);
    await client.until(() => client.rows.length === 4);
    assert.deepEqual(client.rows.map(({ kind, outcome }) => `${kind} ${outcome}`).sort(), [
      'alternative stop',
      'alternative superseded',
      'inline shown',
      'inline shown',
    ]);
  });
});
