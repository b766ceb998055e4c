// Tests the prefetch of the suggestion after the one that is shown: it runs while the engine is idle, is used when the
// shown one is accepted, and is cancelled otherwise. No time passes: tests end the pause before the prefetch.
// Also tests suggestions that pause on a battery.
import assert from 'node:assert/strict';
import { CancellationTokenSource } from 'vscode-languageserver/node';
import type { EditorClient, Place } from './editorClient';
import { loading, LONG, ScriptedEngine, type Answer } from './scriptedEngine';
import { Pauses } from './pauses';
import { scripted, serverInMemory, type Scripted } from './serverInMemory';

const FIRST: Answer = ['a);\n'];
const NEXT: Answer = ['\n', 'g();\n'];

type Session = Scripted & { readonly pauses: Pauses };

async function session(
  answers: readonly Answer[],
  settings: object = {},
  pluggedIn = true,
): Promise<Session> {
  const pauses = new Pauses();
  const parts = { settle: pauses.settle, pluggedIn: () => Promise.resolve(pluggedIn) };
  return { ...(await scripted(answers, { stepMs: 2, settings, ...parts })), pauses };
}

/** Shows the first answer, and begins to prefetch the next. */
async function prefetching(answers: readonly Answer[]): Promise<Session & { readonly place: Place }> {
  const opened = await session(answers);
  const { client, engine, pauses } = opened;
  const place = await client.open('a.ts', 'f(║\n');
  assert.equal(await client.text(place), 'a);');
  pauses.end();
  await client.until(() => (engine.decodes[1]?.steps ?? 0) > 0);
  return { ...opened, place };
}

describe('prefetching', () => {
  it('requests the text after a shown suggestion once the engine is idle', async () => {
    const { client, engine, pauses } = await session([FIRST, NEXT]);
    const place = await client.open('a.ts', 'f(║\n');
    await client.text(place);
    await client.quiet();
    assert.deepEqual([engine.decodes.length, pauses.waiting], [1, 1]);
    const before = client.statuses.length;
    pauses.end();
    await client.until(() => client.rows.length === 2);
    assert.equal(engine.decodes[1]?.options.kind, 'prefetch');
    assert.match(
      engine.decodes[1]?.prompt ?? '',
      /\{<\|fim_prefix\|>\}f\(a\);\{<\|fim_suffix\|>\}\n\{<\|fim_middle\|>\}$/,
    );
    const [, { kind, file, outcome } = {}] = client.rows;
    assert.deepEqual([kind, file, outcome], ['prefetch', 'a.ts', 'stop']);
    assert.equal(client.statuses.length, before, 'a prefetch does not change the status');
  });

  it('is not the request that a comparison of speeds repeats', async () => {
    const { client, engine, pauses } = await session([FIRST, NEXT, FIRST]);
    await client.text(await client.open('a.ts', 'f(║\n'));
    pauses.end();
    await client.until(() => client.rows.length === 2);
    await client.compare();
    const [shown, ahead, ...compared] = engine.decodes.map(({ prompt }) => prompt);
    assert.notEqual(ahead, shown);
    assert.deepEqual([...new Set(compared)], [shown]);
  });

  it('does not begin when the suggestion would put a secret into the file', async () => {
    const { client, engine, pauses } = await session([['-----BEGIN PRIVATE KEY-----\n'], NEXT]);
    assert.match((await client.text(await client.open('a.ts', '║\n'))) ?? '', /PRIVATE KEY/);
    assert.equal(pauses.waiting, 0);
    await client.quiet();
    assert.equal(engine.decodes.length, 1);
  });

  it('omits the text after the cursor that the suggestion replaces', async () => {
    const { client, engine, pauses } = await session([['{\n', '  a,\n', '});\n'], NEXT]);
    await client.text(await client.open('a.ts', 'f(║)\nb();\n'));
    pauses.end();
    await client.until(() => engine.decodes.length === 2);
    const { prompt = '' } = engine.decodes[1] ?? {};
    assert.match(prompt, /f\(\{\n {2}a,\n\}\);\{<\|fim_suffix\|>\}\nb\(\);/);
  });

  it('answers the request after an accepted suggestion without the engine', async () => {
    const { client, engine, place } = await prefetching([FIRST, NEXT]);
    await client.until(() => client.rows.length === 2);
    const accepted = await client.type(place, 'a);', 2);
    assert.equal(await client.text(accepted), '\ng();');
    await client.quiet();
    assert.equal(engine.decodes.length, 2);
  });

  it('indents the text after a shown suggestion as the editor does', async () => {
    const { client, engine, pauses } = await session([FIRST, ['\n', 'if (b) {\n', '    c();\n', '}\n']]);
    const options = { formatting: { tabSize: 2, insertSpaces: true } };
    const place = await client.open('a.ts', 'f(║\n');
    await client.text(place, options);
    pauses.end();
    await client.until(() => client.rows.length === 2);
    const accepted = await client.type(place, 'a);', 2);
    assert.equal(await client.text(accepted, options), '\nif (b) {\n  c();\n}');
    assert.equal(engine.decodes.length, 2);
  });

  it('continues for the newest request when older ones are cancelled', async () => {
    const { client, engine, place } = await prefetching([FIRST, [...Array<string>(50).fill('+'), '1;\n']]);
    const accepted = await client.type(place, 'a);', 2);
    const superseded = client.complete(accepted);
    const source = new CancellationTokenSource();
    const cancelled = client.complete(accepted, { token: source.token });
    await client.history();
    source.cancel();
    const newest = client.text(accepted);
    assert.deepEqual([await superseded, await cancelled], [null, null]);
    assert.equal(await newest, `${'+'.repeat(50)}1;`);
    assert.equal(engine.decodes.length, 2);
  });

  it('continues while the suggestion is typed', async () => {
    const { client, engine, place } = await prefetching([FIRST, LONG]);
    assert.equal(await client.text(await client.type(place, 'a', 2)), ');');
    await client.quiet();
    assert.equal(engine.decodes.length, 2);
    assert.equal(engine.running, 1);
    await client.close(place.uri);
    await client.until(() => engine.running === 0);
  });

  it('runs one suggestion ahead, and once for each position', async () => {
    const { client, engine, pauses, place } = await prefetching([FIRST, [' ']]);
    await client.until(() => client.rows.length === 2);
    for (let i = 0; i < 3; i++) assert.equal(await client.text(place), 'a);');
    await client.quiet();
    assert.deepEqual([engine.decodes.length, pauses.startedCount], [2, 1]);
  });

  const interruptions: readonly (readonly [
    what: string,
    interrupt: (client: EditorClient, place: Place) => Promise<unknown>,
  ])[] = [
    ['another key', (client, place) => client.type(place, 'x', 2)],
    ['an explicit request', (client, place) => client.complete(place, { invoked: true })],
    ['generating', (client, { uri }) => client.generate({ uri, instruction: 'call f', start: 0, end: 0 })],
    ['a comparison', (client) => client.compare()],
    ['other settings', (client) => client.settings({ debounceMs: 0 })],
    ['the end of the document', (client, { uri }) => client.close(uri)],
    ['the end of the server', (client) => client.connection.sendRequest('shutdown')],
    ['a request elsewhere', async (client) => client.complete(await client.open('b.ts', 'const b = '))],
  ];
  for (const [what, interrupt] of interruptions)
    it(`is cancelled by ${what}`, async () => {
      const { client, engine, place } = await prefetching([FIRST, LONG, ['1;\n']]);
      await interrupt(client, place);
      await client.until(() => engine.decodes[1]?.ended === 'superseded');
      await client.until(() => engine.running === 0);
    });

  it('continues when another document is closed', async () => {
    const { client, engine, pauses } = await session([FIRST, LONG]);
    const { uri } = await client.open('b.ts', '');
    const place = await client.open('a.ts', 'f(║\n');
    await client.text(place);
    pauses.end();
    await client.until(() => engine.running === 1);
    await client.close(uri);
    await client.quiet();
    assert.deepEqual([engine.decodes.length, engine.running], [2, 1]);
    await client.close(place.uri);
    await client.until(() => engine.running === 0);
  });

  it('does not begin when something else is typed in the pause', async () => {
    const { client, engine, pauses } = await session([FIRST, NEXT]);
    const place = await client.open('a.ts', 'f(║\n');
    await client.text(place);
    await client.type(place, 'x', 2);
    await client.quiet();
    assert.deepEqual([pauses.startedCount, pauses.waiting, engine.decodes.length], [1, 0, 1]);
  });

  it('does not begin while code is generated', async () => {
    const { client, engine, pauses } = await session([LONG, FIRST]);
    const { uri } = await client.open('b.ts', 'run();\n');
    const source = new CancellationTokenSource();
    const request = { uri, instruction: 'more', start: 7, end: 7 };
    const generated = client.generate(request, { token: source.token });
    await client.until(() => engine.running === 1);
    await client.text(await client.open('a.ts', 'f(║\n'));
    pauses.end();
    await client.quiet();
    assert.equal(engine.decodes.length, 2);
    source.cancel();
    await generated;
  });

  const powerCases: readonly (readonly [prefetch: string, pluggedIn: boolean, decodeCount: number])[] = [
    ['always', false, 2],
    ['pluggedIn', true, 2],
    ['pluggedIn', false, 1],
    ['never', true, 1],
  ];
  for (const [prefetch, pluggedIn, decodeCount] of powerCases)
    it(`${decodeCount > 1 ? 'happens' : 'does not happen'} ${pluggedIn ? 'on mains power' : 'on a battery'} when set to ${prefetch}`, async () => {
      const { client, engine, pauses } = await session([FIRST, NEXT], { prefetch }, pluggedIn);
      await client.text(await client.open('a.ts', 'f(║\n'));
      assert.equal(pauses.waiting, prefetch === 'never' ? 0 : 1);
      pauses.end();
      await client.until(() => engine.decodes.length === decodeCount);
      await client.quiet();
      assert.equal(engine.decodes.length, decodeCount);
    });

  it('logs its failure, and the next suggestion works', async () => {
    const { client, place } = await prefetching([FIRST, [new Error('a defect')], ['x;\n']]);
    await client.until(() => client.logs.some((line) => line.includes('prefetch failed: Error: a defect')));
    assert.equal(await client.text(await client.type(place, 'a);', 2)), 'x;');
  });
});

describe('suggestions with the setting to pause on a battery', () => {
  it('pause on a battery unless they are requested, as the status says', async () => {
    const paused = { prefetch: 'never', pauseOnBattery: true, debounceMs: 0 };
    const { client, engine } = await session([FIRST], paused, false);
    const place = await client.open('a.ts', 'f(║\n');
    assert.equal(await client.complete(place), null);
    await client.until(() => client.status?.paused === 'battery');
    assert.equal(client.status?.state, 'ready');
    assert.equal(engine.decodes.length, 0);
    const statusCount = client.statuses.length;
    assert.equal(await client.text(place), undefined);
    await client.quiet();
    assert.equal(client.statuses.length, statusCount, 'the pause is reported once');
    assert.equal(await client.text(place, { invoked: true }), 'a);');
    await client.settings({ ...paused, pauseOnBattery: false });
    await client.until(() => client.status?.paused === undefined);
    assert.equal(await client.text(await client.open('b.ts', 'f(║\n')), 'a);');
  });

  it('are not computed ahead of time on a battery', async () => {
    const settings = { prefetch: 'always', pauseOnBattery: true };
    const { client, engine, pauses } = await session([FIRST, NEXT], settings, false);
    await client.text(await client.open('a.ts', 'f(║\n'), { invoked: true });
    const decodeCount = engine.decodes.length;
    pauses.end();
    await client.quiet();
    assert.equal(engine.decodes.length, decodeCount);
  });

  it('wait until the power source is known, and then answer only the newer of two requests', async () => {
    let answer = (): void => assert.fail();
    const answered = new Promise<boolean>((resolve) => (answer = () => resolve(true)));
    const client = serverInMemory(loading(new ScriptedEngine([FIRST])), { pluggedIn: () => answered });
    await client.start({ prefetch: 'never', pauseOnBattery: true, debounceMs: 0 });
    const [first, second] = [await client.open('a.ts', 'f(║\n'), await client.open('b.ts', 'g(║\n')];
    const answers = [client.complete(first), client.text(second)];
    await client.history();
    answer();
    assert.deepEqual(await Promise.all(answers), [null, 'a);']);
  });
});
