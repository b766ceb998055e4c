// Tests requests that end early, by the client, a newer request or a failure: all are answered, and the engine stops
// within one step.
import assert from 'node:assert/strict';
import { CancellationTokenSource, type InlineCompletionItem } from 'vscode-languageserver/node';
import { loadingLater, LONG, ScriptedEngine, type Answer } from './scriptedEngine';
import { Pauses } from './pauses';
import { scripted, serverInMemory, type Scripted } from './serverInMemory';

const DEBOUNCED = { debounceMs: 5000 };
const session = (answers: readonly Answer[], parts: object = {}): Promise<Scripted> =>
  scripted(answers, { stepMs: 2, ...parts });

describe('a cancelled completion', () => {
  it('is answered immediately and never reaches the engine when it waits for a pause in typing', async () => {
    const pauses = new Pauses();
    const { client, engine } = await session([LONG], { settle: pauses.settle, settings: DEBOUNCED });
    const place = await client.open('a.ts', 'const a = ');
    const source = new CancellationTokenSource();
    const answer = client.complete(place, { token: source.token });
    await client.until(() => pauses.waiting === 1);
    source.cancel();
    assert.equal(await answer, null);
    assert.equal(engine.decodes.length, 0);
    assert.equal(client.rows.length, 0);
  });

  it('that waits for a model is answered once the model has loaded, without a decode', async () => {
    const engine = new ScriptedEngine([LONG]);
    const { load, start } = loadingLater(engine);
    const client = serverInMemory(load);
    await client.initialize({ debounceMs: 0 });
    const source = new CancellationTokenSource();
    const answer = client.complete(await client.open('a.ts', 'const a = '), { token: source.token });
    await client.history();
    source.cancel();
    await client.history();
    start();
    assert.equal(await answer, null);
    assert.equal(engine.decodes.length, 0);
  });
});

describe('a completion that is followed by another', () => {
  it('ends as superseded within one step, without a cancellation by the client', async () => {
    const { client, engine } = await session([LONG, ['2;\n']]);
    const place = await client.open('a.ts', 'const a = ');
    const older = client.complete(place);
    await client.until(() => (engine.decodes[0]?.steps ?? 0) > 2);
    const { steps = 0 } = engine.decodes[0] ?? {};
    const newer = client.text(await client.type(place, '1 + ', 2));
    assert.equal(await older, null);
    assert.equal(await newer, '2;');
    // One more step can begin before the message arrives.
    assert.ok((engine.decodes[0]?.steps ?? Infinity) <= steps + 2);
    await client.until(() => client.rows.length === 2);
    assert.deepEqual(client.rows.map(({ outcome }) => outcome).sort(), ['shown', 'superseded']);
    assert.equal(engine.running, 0);
  });

  it('never reaches the engine during fast typing, except after the last key', async () => {
    const pauses = new Pauses();
    const { client, engine } = await session([['1;\n']], { settle: pauses.settle, settings: DEBOUNCED });
    let place = await client.open('a.ts', 'const a = ');
    const answers: Promise<InlineCompletionItem[] | null>[] = [];
    for (const [i, letter] of [...'(b + (c '].entries()) {
      place = await client.type(place, letter, i + 2);
      answers.push(client.complete(place));
    }
    await client.history();
    await client.until(() => pauses.waiting === 1);
    pauses.end();
    const items = await Promise.all(answers);
    assert.deepEqual(items.slice(0, -1), Array(7).fill(null));
    assert.equal(engine.decodes.length, 1);
    assert.match(engine.decodes[0]?.prompt ?? '', /\}const a = \(b \+ \(c \{/);
  });
});

describe('a completion that fails', () => {
  it('is answered with null, and the next one works', async () => {
    const failures: Answer[] = [[new Error('a defect')], ['half', new Error('a later defect')]];
    const { client, engine } = await session([...failures, ['3;\n']]);
    const place = await client.open('a.ts', 'const a = ');
    assert.equal(await client.complete(place), null);
    assert.equal(await client.complete(place), null);
    assert.equal(await client.text(place), '3;');
    assert.deepEqual(
      engine.decodes.map(({ ended }) => ended),
      ['failed', 'failed', 'abandoned'],
    );
    const failed = client.logs.filter((line) => line.startsWith('completion failed: Error: '));
    assert.equal(failed.length, 2);
    assert.ok(failed.every((line) => !line.includes('\n')));
    assert.match(failed[1] ?? '', /a later defect/);
    assert.equal(client.status?.state, 'ready');
    assert.deepEqual(
      client.rows.map(({ outcome }) => outcome),
      ['shown'],
    );
  });
});

describe('a request to generate code that fails', () => {
  it('is rejected with the reason, and the next one works', async () => {
    const { client } = await session([['a', new Error('a defect')], ['1;\n']]);
    const { uri } = await client.open('a.ts', 'const a = ');
    const request = { uri, instruction: 'a number', start: 10, end: 10 };
    await assert.rejects(client.generate(request), /a defect/);
    assert.equal(client.status?.state, 'ready');
    assert.deepEqual(
      client.logs.filter((line) => /^generate failed: Error: a defect at [^\n]*$/.test(line)).length,
      1,
    );
    assert.equal((await client.generate(request)).text, '1;');
    await client.until(() => client.status?.state === 'ready');
    assert.equal(client.rows.length, 1);
  });
});
