// Tests suggestions that are shown while they are computed: a first line and a first alternative before the rest, and
// no new work when the user types along.
import assert from 'node:assert/strict';
import { CancellationTokenSource, ProgressType, type InlineCompletionItem } from 'vscode-languageserver/node';
import { insertedText, type CompleteOptions, type EditorClient, type Place } from './editorClient';
import type { Answer } from './scriptedEngine';
import { scripted, type Scripted } from './serverInMemory';

const BLOCK = ['{\n', '  a();\n', '  b();\n', '}\n', 'c();\n'];
/** An answer that takes longer than any test. */
const SLOW: Answer = [
  '{\n',
  '  first();\n',
  ...Array.from(
    { length: 1000 },
    (_, i) => `  more${String.fromCharCode(97 + (i % 13), 97 + (i % 11))}();\n`,
  ),
];

const session = (answers: readonly Answer[], stepMs = 0): Promise<Scripted> =>
  scripted(answers, { stepMs, settings: { prefetch: 'never' } });

/** Requests a suggestion: explicitly (1) or automatically (2). Returns texts of progress messages, and the answer. */
function growing(
  client: EditorClient,
  { uri, position }: Place,
  triggerKind: 1 | 2 = 2,
  selectedCompletionInfo?: CompleteOptions['selected'],
) {
  const growingResultToken = `growing-${uri}-${String(triggerKind)}-${String(Math.random())}`;
  const parts: string[][] = [];
  const listener = client.connection.onProgress(
    new ProgressType<InlineCompletionItem[]>(),
    growingResultToken,
    (items) => void parts.push(items.map(insertedText)),
  );
  const source = new CancellationTokenSource();
  const context = { triggerKind, selectedCompletionInfo };
  const params = { textDocument: { uri }, position, context, growingResultToken };
  const answer = client.connection
    .sendRequest<InlineCompletionItem[] | null>('textDocument/inlineCompletion', params, source.token)
    .then((items) => items?.map(insertedText))
    .finally(() => listener.dispose());
  return { parts, answer, cancel: () => source.cancel() };
}

describe('a suggestion of several lines', () => {
  it('is sent with its first line, and then complete, beginning with that line', async () => {
    const { client } = await session([BLOCK]);
    const { parts, answer } = growing(client, await client.open('a.ts', 'if (x) '));
    const [suggestion = ''] = (await answer) ?? [];
    assert.equal(suggestion, '{\n  a();\n  b();\n}');
    const [[first = ''] = []] = parts;
    assert.ok(first.startsWith('{') && first !== suggestion && suggestion.startsWith(first), first);
  });

  it('is computed anew for an explicit request during an automatic one', async () => {
    const { client } = await session([SLOW, ['a();\n']], 1);
    const place = await client.open('a.ts', 'if (x) ');
    const automatic = growing(client, place);
    await client.until(() => automatic.parts.length > 0);
    const [requested] = (await growing(client, place, 1).answer) ?? [];
    assert.equal(requested, 'a();');
  });

  it('keeps its first line on the screen when its later lines turn out to repeat code', async () => {
    const { client } = await session([['  f();\n', '  g();\n', '  f();\n', '  g();\n', '  f();\n']]);
    const place = await client.open('a.ts', 'function x() {\n  f();\n  g();\n║\n}\n');
    const { parts, answer } = growing(client, place);
    assert.deepEqual(await answer, ['  f();']);
    assert.deepEqual(parts[0], ['  f();']);
    assert.ok(parts.some(([text = '']) => text.includes('g();')));
  });
});

describe('a suggestion whose first line is slow', () => {
  it('is sent up to its last complete word first, and then complete', async () => {
    const settings = { prefetch: 'never' };
    const { client } = await scripted([['return', ' total', ' + ta', 'x;\n']], { lateMs: 0, settings });
    const { parts, answer } = growing(client, await client.open('a.ts', 'function f() {\n  ║\n}\n'));
    assert.deepEqual(await answer, ['return total + tax;']);
    assert.deepEqual(parts[0], ['return']);
  });

  it('is not sent by words before it is late, or in a string', async () => {
    const settings = { prefetch: 'never' };
    for (const [lateMs, output] of [
      [1e9, ['return', ' total', ' + ta', 'x;\n']],
      [0, ["'a", ' b', " c';\n"]],
    ] as const) {
      const { client } = await scripted([output], { lateMs, settings });
      const { parts, answer } = growing(client, await client.open('a.ts', 'a = ║\n'));
      const [suggestion] = (await answer) ?? [];
      assert.deepEqual(parts, [[suggestion]]);
    }
  });
});

describe('typing along a suggestion that is still decoded', () => {
  it('continues the same decode and sends the first line immediately', async () => {
    const { client, engine } = await session([SLOW], 2);
    const place = await client.open('a.ts', 'if (x) ');
    const first = growing(client, place);
    await client.until(() => first.parts.length > 0);
    const typed = await client.type(place, '{', 2);
    first.cancel();
    const second = growing(client, typed);
    assert.equal((await first.answer) ?? null, null);
    await client.until(() => second.parts.length > 0);
    assert.equal(engine.decodes.length, 1);
    assert.equal(engine.running, 1);
    second.cancel();
    await client.until(() => engine.running === 0);
    assert.equal((await second.answer) ?? null, null);
  });

  it('ends the decode when its document is closed, and its text is not suggested again', async () => {
    const { client, engine } = await session([SLOW, ['other();\n']], 2);
    const place = await client.open('a.ts', 'if (x) ');
    const first = growing(client, place);
    await client.until(() => first.parts.length > 0);
    await client.type(place, '{', 2);
    first.cancel();
    assert.equal((await first.answer) ?? null, null);
    assert.equal(engine.running, 1);
    await client.close(place.uri);
    await client.until(() => engine.running === 0);
    assert.equal(engine.decodes[0]?.ended, 'cancelled');
    assert.equal(await client.text(await client.open('a.ts', 'if (x) ')), 'other();');
  });

  it('receives the rest of the suggestion without another decode', async () => {
    const { client, engine } = await session([BLOCK], 5);
    const place = await client.open('a.ts', 'if (x) ');
    const first = growing(client, place);
    await client.until(() => first.parts.length > 0);
    const typed = await client.type(place, '{', 2);
    first.cancel();
    assert.equal(await client.text(typed), '\n  a();\n  b();\n}');
    assert.equal(engine.decodes.length, 1);
  });

  for (const [name, before, key, closed, output, rest] of [
    ['a.ts', 'const a = f', '(', ')', ['(b', ', c', ');\n'], 'b, c'],
    ['a.ts', 'const a = ', "'", "'", ["'b", ' c', "';\n"], "b c';"],
    ['a.html', '<div>\n  <p class', '="', '"', ['="b', ' c', '"\n'], 'b c'],
    ['a.html', '<ul', '>', '</ul>', ['>', '\n  <li>1</li>', '\n</ul>\n'], '\n  <li>1</li>\n'],
  ] as const)
    it(`continues the same decode after the editor closed ${key} with ${closed} in ${name}, also after its end`, async () => {
      for (const isEnded of [false, true]) {
        const { client, engine } = await session([output], 5);
        const place = await client.open(name, `${before}║\n`, name.endsWith('ts') ? 'typescript' : 'html');
        const first = growing(client, place);
        await (isEnded ? first.answer : client.until(() => (engine.decodes[0]?.steps ?? 0) > 1));
        const typed = await client.type(place, key, 2);
        await client.type(typed, closed, 3);
        first.cancel();
        assert.equal(await client.text(typed), rest);
        assert.equal(engine.decodes.length, 1);
      }
    });

  it('sends no blank progress once all is typed, while alternatives are still drawn', async () => {
    const { client, engine } = await session([['x', ');\n'], SLOW, SLOW], 2);
    const place = await client.open('a.ts', 'f(║)');
    const first = growing(client, place, 1);
    await client.until(() => first.parts.length > 0);
    assert.deepEqual(first.parts[0], ['x']);
    const typed = await client.type(place, 'x', 2);
    first.cancel();
    const second = growing(client, typed);
    await client.until(() => engine.decodes.length > 1);
    await client.history();
    second.cancel();
    await second.answer;
    assert.deepEqual(
      second.parts.flat().filter((text) => text.trim() === ''),
      [],
    );
  });

  it('stops the decode at the first different character', async () => {
    const { client, engine } = await session([SLOW, ['[];\n']], 2);
    const place = await client.open('a.ts', 'x = ');
    const first = growing(client, place);
    await client.until(() => (engine.decodes[0]?.steps ?? 0) > 2);
    const typed = await client.type(place, 'y', 2);
    first.cancel();
    assert.equal(await client.text(typed), '[];');
    await client.until(() => engine.decodes[0]?.ended !== undefined);
    assert.equal(engine.decodes.length, 2);
  });

  it('restarts a decode that has no output yet after another key', async () => {
    const { client, engine } = await session([SLOW, ['1;\n']], 2);
    const place = await client.open('a.ts', 'x = ');
    const first = growing(client, place);
    const typed = await client.type(place, '{', 2);
    first.cancel();
    assert.equal(await client.text(typed), '1;');
    assert.ok(engine.decodes.length <= 2);
  });
});

describe('a selected entry of the IntelliSense list', () => {
  const WRITTEN = ['findOrder', '(id', ') {\n', ...SLOW.slice(1)];
  /** Requests a suggestion for an entry while the text after the plain cursor is decoded. */
  async function requestEntry(text: string) {
    const { client, engine } = await session([WRITTEN, ['Line;\n']], 2);
    const place = await client.open('a.ts', 'if (this.db.║');
    const plain = growing(client, place);
    await client.until(() => plain.parts.length > 0);
    const { line, character } = place.position;
    const range = { start: { line, character }, end: place.position };
    const entry = growing(client, place, 2, { range, text });
    // VS Code cancels a request when another entry is selected.
    await client.history();
    plain.cancel();
    return { client, engine, place, range, entry };
  }

  it('is shown with the running suggestion that begins with it', async () => {
    const { client, engine, place, range, entry } = await requestEntry('findOrder');
    await client.until(() => entry.parts.length > 0);
    assert.match(entry.parts[0]?.[0] ?? '', /^findOrder\(id\) \{/);
    assert.deepEqual([engine.decodes.length, engine.running], [1, 1]);
    // Typing within the entry changes nothing.
    const typed = await client.type(place, 'f', 2);
    const again = growing(client, typed, 2, { range: { ...range, end: typed.position }, text: 'findOrder' });
    await client.history();
    entry.cancel();
    await client.until(() => again.parts.length > 0);
    assert.match(again.parts[0]?.[0] ?? '', /^findOrder\(id\) \{/);
    assert.deepEqual([engine.decodes.length, engine.running], [1, 1]);
    again.cancel();
    await client.until(() => engine.running === 0);
  });

  it('adds an attribute without its value, which is shown once the attribute is accepted', async () => {
    for (const isEnded of [false, true]) {
      const { client, engine } = await session([['class="', 'card', ' wide"', '>\n']], 5);
      const place = await client.open('a.html', '<div ║\n', 'html');
      const plain = growing(client, place);
      await (isEnded ? plain.answer : client.until(() => (engine.decodes[0]?.steps ?? 0) > 2));
      const typed = await client.type(place, 'c', 2);
      plain.cancel();
      const range = { start: place.position, end: typed.position };
      const items = await client.complete(typed, { selected: { range, text: 'class=""' } });
      assert.deepEqual(items, [{ insertText: 'class=""', range }]);
      const { uri, position } = place;
      await client.change(uri, 3, [{ range, text: 'class=""' }]);
      const within = { ...position, character: position.character + 'class="'.length };
      const end = { ...within, character: within.character + 1 };
      assert.deepEqual(await client.complete({ ...place, position: within }), [
        { insertText: 'card wide">', range: { start: within, end } },
      ]);
      assert.equal(engine.decodes.length, 1);
    }
  });

  it('stops the running suggestion when that does not continue the entry', async () => {
    for (const text of ['filter', 'find']) {
      const { client, engine, entry } = await requestEntry(text);
      assert.equal((await entry.answer) ?? null, null, 'no suggestion that extends the name of the entry');
      await client.until(() => engine.decodes[0]?.ended !== undefined);
      assert.ok(engine.decodes.length > 1);
    }
  });
});

describe('requested suggestions', () => {
  it('are sent with the most probable one before the alternatives are drawn', async () => {
    const { client } = await session([['b;\n'], ['c;\n'], ['d;\n']], 1);
    const { parts, answer } = growing(client, await client.open('a.ts', 'a ='), 1);
    assert.deepEqual(await answer, ['b;', 'c;', 'd;']);
    assert.deepEqual(parts[0], ['b;']);
  });
});
