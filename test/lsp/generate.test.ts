// Tests flashline/generate: it streams while it decodes, keeps the text so far when it is cancelled, and rejects wrong
// requests with an error.
import assert from 'node:assert/strict';
import { CancellationTokenSource } from 'vscode-languageserver/node';
import { Method } from '../../server/protocol/messages';
import type { Place } from './editorClient';
import type { Answer } from './scriptedEngine';
import { scripted, type Scripted } from './serverInMemory';

const LINES: Answer = ['first();\n', '  sec', 'ond();\n', '  third', '();\n', '}'];

async function session(answer: Answer): Promise<Scripted & { readonly place: Place }> {
  const settings = { maxGenerateTokens: 99, draftLength: 2 };
  const { client, engine } = await scripted([answer], { stepMs: 1, settings });
  return { client, engine, place: await client.open('a.ts', 'function all() {\n  ║\n}\n') };
}

function request({ uri, offset }: Place) {
  return { uri, instruction: 'call all three', start: offset, end: offset };
}

describe('flashline/generate', () => {
  it('streams pieces that add up to the result', async () => {
    const { client, engine, place } = await session(LINES);
    const deltas: string[] = [];
    const { text, finishReason } = await client.generate(request(place), {
      onDelta: (delta) => deltas.push(delta),
    });
    assert.equal(text, 'first();\n  second();\n  third();');
    assert.ok(deltas.length > 1);
    assert.equal(deltas.join(''), text);
    assert.equal(finishReason, 'stop');
    const { prompt = '', options } = engine.decodes[0] ?? {};
    assert.match(prompt, /call all three/);
    assert.deepEqual(
      { kind: options?.kind, maxTokens: options?.maxTokens, draftLength: options?.draftLength },
      { kind: 'generate', maxTokens: 99, draftLength: 2 },
    );
  });

  it('prefers the token limit of the request to that of the settings', async () => {
    const { client, engine, place } = await session(LINES);
    await client.generate({ ...request(place), maxTokens: 700 });
    assert.equal(engine.decodes[0]?.options.maxTokens, 700);
  });

  it('includes the selection that it replaces in the prompt', async () => {
    const { client, engine } = await session(LINES);
    const { uri } = await client.open('b.ts', 'const old = 1;\n');
    await client.generate({ uri, instruction: 'rename it', start: 0, end: 14 });
    assert.match(engine.decodes[0]?.prompt ?? '', /\/\/ const old = 1;\n\/\/ rename it\n/);
  });

  it('replaces the whole character when both offsets are inside it', async () => {
    const { client, engine } = await session(LINES);
    const { uri } = await client.open('b.ts', "f('😀');\n");
    await client.generate({ uri, instruction: 'rename it', start: 4, end: 4 });
    assert.match(engine.decodes[0]?.prompt ?? '', /\/\/ 😀\n\/\/ rename it\n/);
  });

  it('does not refuse an instruction of 20,000 characters for its length', async () => {
    const { client, place } = await session(LINES);
    const longest = client.generate({ ...request(place), instruction: 'x'.repeat(20_000) });
    // It can still have too many tokens for the context.
    await longest.catch((error: unknown) => assert.doesNotMatch(String(error), /20000/));
  });

  it('generates code at the end of a document', async () => {
    const { client } = await session(LINES);
    const place = await client.open('b.ts', 'run();\n');
    assert.notEqual((await client.generate(request(place))).text, '');
  });

  it('refuses to generate code in a secret file', async () => {
    const { client } = await session(LINES);
    const { uri: secret } = await client.open('.env', 'KEY=1\n');
    await assert.rejects(
      client.generate({ uri: secret, instruction: 'x', start: 0, end: 0 }),
      /secret files do not/,
    );
  });

  it('keeps the text so far when it is cancelled, and stops the engine within ten steps', async () => {
    const { client, engine, place } = await session(
      // Each line is a complete statement, so that the text streams line by line.
      Array.from(
        { length: 20_000 },
        (_, i) => `call${String.fromCharCode(97 + (i % 13), 97 + (i % 11))}();\n  `,
      ),
    );
    const source = new CancellationTokenSource();
    let streamed = '';
    let stepsAtCancel = Infinity;
    const onDelta = (delta: string): void => {
      streamed += delta;
      if (streamed.length < 20 || stepsAtCancel !== Infinity) return;
      stepsAtCancel = engine.decodes[0]?.steps ?? 0;
      source.cancel();
    };
    const { text, finishReason } = await client.generate(request(place), { token: source.token, onDelta });
    assert.equal(finishReason, 'cancelled');
    assert.equal(text, streamed);
    assert.match(text, /^call\w\w\(\);\n {2}call/);
    // Steps can begin while the message is on its way.
    assert.ok((engine.decodes[0]?.steps ?? Infinity) <= stepsAtCancel + 10);
    assert.equal(engine.running, 0);
    await client.until(() => client.rows.length === 1);
    assert.deepEqual([client.rows[0]?.kind, client.rows[0]?.outcome], ['generate', 'cancelled']);
  });

  it('returns an empty text when it is cancelled before it begins', async () => {
    const { client, engine, place } = await session(LINES);
    const source = new CancellationTokenSource();
    const answer = client.generate(request(place), { token: source.token });
    source.cancel();
    assert.deepEqual(await answer, { text: '', finishReason: 'cancelled' });
    assert.equal(engine.running, 0);
  });

  const good = { uri: 'file:///project/a.ts', instruction: 'x', start: 0, end: 0 };
  const refused: readonly (readonly [what: string, params: unknown, complaint: RegExp])[] = [
    ['no parameters', undefined, /malformed/],
    ['an unknown document', { ...good, uri: 'file:///project/b.ts' }, /is not open/],
    ['a document without a name', { ...good, uri: '' }, /is not open\. Open it first/],
    ['an instruction that is too long', { ...good, instruction: 'x'.repeat(20_001) }, /20000 .*got 20001/],
    ['an offset before the document', { ...good, start: -1 }, /malformed/],
    ['half an offset', { ...good, end: 0.5 }, /malformed/],
    ['a limit of no tokens', { ...good, maxTokens: 0 }, /malformed/],
    ['an end before the start', { ...good, start: 2, end: 1 }, /got 2 to 1; swap/],
    ['offsets beyond the document', { ...good, start: 9, end: 9999 }, /offsets up to 22, got 9999/],
  ];
  it('reports an error when it cannot generate', async () => {
    const { client, engine } = await session(LINES);
    for (const [what, params, complaint] of refused) {
      const sent =
        params === undefined
          ? client.connection.sendRequest(Method.generate)
          : client.connection.sendRequest(Method.generate, params);
      await assert.rejects(sent, complaint, what);
    }
    assert.equal(engine.decodes.length, 0);
    assert.equal(client.status?.state, 'ready');
  });
});
