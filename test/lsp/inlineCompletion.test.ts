// Tests the items for a document and a position: which items, where, and which documents get none. Prompts are tested
// in test/completion.
import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Settle } from '../../server/completion/session/settle';
import type { LoadModel } from '../../server/hosting/modelPool';
import { insertedText } from './editorClient';
import { loading, ScriptedEngine } from './scriptedEngine';
import { scripted, serverInMemory } from './serverInMemory';

describe('textDocument/inlineCompletion', () => {
  it('returns one item at the cursor', async () => {
    const { client, engine } = await scripted([['total', ' + 1;\n', 'more']]);
    const { uri, position } = await client.open('a.ts', 'let total = 0;\nreturn ║\n');
    const range = { start: position, end: position };
    assert.deepEqual(await client.complete({ uri, position, offset: 0 }), [
      { insertText: 'total + 1;', range },
    ]);
    assert.match(
      engine.decodes[0]?.prompt ?? '',
      /a\.ts\n\{<\|fim_prefix\|>\}let total = 0;\nreturn \{<\|fim_suffix\|>\}/,
    );
    assert.equal(engine.decodes[0]?.options.kind, 'inline');
    assert.equal(engine.running, 0);
  });

  it('indents by the editor settings when the document has no indentation', async () => {
    for (const [formatting, unit] of [
      [{ tabSize: 2, insertSpaces: true }, '  '],
      [{ tabSize: 8, insertSpaces: true }, '        '],
      [{ tabSize: 4, insertSpaces: false }, '\t'],
    ] as const) {
      const { client } = await scripted([['a() {\n', '    b();\n', '}\n']]);
      const place = await client.open('a.ts', 'function ║\n');
      assert.equal(await client.text(place, { formatting }), `a() {\n${unit}b();\n}`);
      // The indentation of the document comes first.
      const indented = await client.open('b.ts', 'if (c) {\n    d();\n}\nfunction ║\n');
      assert.equal(await client.text(indented, { formatting }), 'a() {\n    b();\n}');
    }
  });

  it('replaces closers that the editor has inserted, when the text closes them and continues', async () => {
    const { client } = await scripted([['a) {\n', '  b();\n', '}\n', 'c();\n']]);
    const { uri, position } = await client.open('a.ts', 'if (║)\n');
    const end = { ...position, character: position.character + 1 };
    assert.deepEqual(await client.complete({ uri, position, offset: 0 }), [
      { insertText: 'a) {\n  b();\n}', range: { start: position, end } },
    ]);
  });

  it('moves a position within a character to its start', async () => {
    const { client, engine } = await scripted([[' + x;\n']]);
    const place = await client.open('a.ts', 'const smile = "😀" + ║;\n');
    const inside = { line: 0, character: 16 };
    const items = await client.complete({ ...place, position: inside }, { invoked: true });
    const start = { line: 0, character: 15 };
    assert.ok(items && items.length > 0);
    for (const { range } of items) assert.deepEqual(range?.start, start);
    for (const [range, position, text] of [
      [{ start: inside, end: place.position }, place.position, '😀" + smile'],
      [{ start, end: inside }, start, 'smile '],
    ] as const) {
      const [item] = (await client.complete({ ...place, position }, { selected: { range, text } })) ?? [];
      assert.deepEqual(item?.range, { start, end: position });
    }
    await client.generate({ uri: place.uri, instruction: 'shorten it', start: 16, end: 16, maxTokens: 5 });
    // An editor can split the character.
    const half = { start: inside, end: { line: 0, character: 17 } };
    await client.change(place.uri, 2, [{ range: half, text: '' }]);
    await client.complete(place, { invoked: true });
    assert.ok(engine.decodes.length > 1);
    for (const { prompt } of engine.decodes) assert.doesNotMatch(prompt, /\p{Surrogate}/u);
  });

  // VS Code shows an item only if it begins with the entry and replaces at least what the entry replaces.
  for (const [document, from, entry, answer, after] of [
    [
      'const a = f(na║);\n',
      12,
      'name',
      ', () => {\n  b();\n});\nc();',
      'const a = f(name, () => {\n  b();\n});\n',
    ],
    ['if (re║)\n', 4, 'ready', ') {\n  b();\n}\nc();', 'if (ready) {\n  b();\n}\n'],
    ["it('ad║');\n", 4, 'adds', "', () => {\n  f();\n});\ng();", "it('adds', () => {\n  f();\n});\n"],
    ['const a = `${na║}`;\n', 13, 'name', '} of ${b}`;\nc();', 'const a = `${name} of ${b}`;\n'],
    ['f(na║)\n', 2, 'name', ')\ng(', 'f(name)\n'],
    ['const a = re║");\n', 10, 'require("', 'fs\n', 'const a = require("fs");\n'],
    ['f(ca║)\r\n', 2, 'call(', 'a, () => {\n  b();\n}));\nc();', 'f(call(a, () => {\r\n  b();\r\n}));\r\n'],
  ] as const)
    it(`keeps the closers of the selected entry and the text, without extra ones, in ${JSON.stringify(document)}`, async () => {
      const { client } = await scripted([[answer]]);
      const place = await client.open('a.ts', document);
      const range = { start: { line: 0, character: from }, end: place.position };
      const [item] = (await client.complete(place, { selected: { range, text: entry } })) ?? [];
      const text = document.replace('║', '');
      const { start, end } = item?.range ?? range;
      assert.deepEqual(start, range.start);
      assert.ok(end.character >= range.end.character);
      const inserted = item ? insertedText(item) : entry;
      assert.ok(inserted.startsWith(entry), inserted);
      assert.equal(text.slice(0, from) + inserted + text.slice(end.character), after);
    });

  it('replaces the text after the cursor that the selected entry replaces, as with keys of JSON', async () => {
    const { client, engine } = await scripted([['1\n']]);
    const place = await client.open('a.json', '{"na║"}\n', 'json');
    const range = { start: { line: 0, character: 1 }, end: { line: 0, character: 5 } };
    const items = await client.complete(place, { selected: { range, text: '"name": ' } });
    assert.deepEqual(items, [{ insertText: '"name": 1', range }]);
    assert.doesNotMatch(engine.decodes.at(-1)?.prompt ?? '', /""|na"/);
  });

  it('makes no request to the model when the selected entry begins after the cursor or ends before it', async () => {
    const { client, engine } = await scripted([['(value);\n']]);
    const place = await client.open('a.ts', 'console.║lo\n');
    for (const [from, to, text] of [
      [9, 10, 'log'],
      [0, 7, 'console.log'],
    ] as const) {
      const range = { start: { line: 0, character: from }, end: { line: 0, character: to } };
      assert.equal(await client.complete(place, { selected: { range, text } }), null);
    }
    assert.equal(engine.decodes.length, 0);
  });

  it('answers for the version of the document at the request', async () => {
    const engine = new ScriptedEngine([['x;\n']]);
    const client = serverInMemory(loading(engine));
    await client.initialize({ debounceMs: 0 });
    const place = await client.open('a.ts', 'const a = 1;\nreturn ║');
    const answer = client.complete(place);
    const top = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
    await client.change(place.uri, 2, [{ range: top, text: 'const much = "more";\n' }]);
    const { position } = place;
    assert.deepEqual((await answer)?.[0]?.range, { start: position, end: position });
    assert.match(
      engine.decodes[0]?.prompt ?? '',
      /\{<\|fim_prefix\|>\}const a = 1;\nreturn \{<\|fim_suffix\|>\}/,
    );
  });

  it('counts the pause in typing from the request, also while the models load', async () => {
    const PAUSE_MS = 5;
    const pauses: number[] = [];
    const settle: Settle = (milliseconds) => {
      pauses.push(milliseconds);
      return Promise.resolve();
    };
    let endWait = (): void => undefined;
    const waitEnded = new Promise<void>((resolve) => (endWait = resolve));
    const slow: LoadModel = async (...args) => {
      await waitEnded;
      for (const from = performance.now(); performance.now() - from < 2 * PAUSE_MS;) await nextTurn();
      return await loading(new ScriptedEngine([['x;\n']]))(...args);
    };
    const client = serverInMemory(slow, { settle });
    await client.initialize({ debounceMs: PAUSE_MS, prefetch: 'never' });
    const answer = client.text(await client.open('a.ts', 'const a = ║\n'));
    await client.history();
    endWait();
    assert.equal(await answer, 'x;');
    const [whileLoading = NaN] = pauses;
    assert.ok(whileLoading <= 0, String(whileLoading));
  });

  it('applies changes by range, several at a time, in UTF-16 units', async () => {
    const { client, engine } = await scripted([['x;\n']]);
    const { uri } = await client.open('a.ts', "const a = '😀';\r\nold\r\n");
    await client.change(uri, 2, [
      { range: { start: { line: 1, character: 0 }, end: { line: 1, character: 3 } }, text: 'new = ' },
      { range: { start: { line: 0, character: 11 }, end: { line: 0, character: 13 } }, text: 'b' },
    ]);
    const items = await client.complete({ uri, position: { line: 1, character: 6 }, offset: 0 });
    assert.match(engine.decodes[0]?.prompt ?? '', /const a = 'b';\nnew = \{<\|fim_suffix\|>\}/);
    assert.equal(items?.[0]?.insertText, 'x;');
    await client.change(uri, 3, [{ text: 'let whole = ' }]);
    await client.complete({ uri, position: { line: 0, character: 12 }, offset: 0 });
    assert.match(engine.decodes[1]?.prompt ?? '', /\{<\|fim_prefix\|>\}let whole = \{<\|fim_suffix\|>\}/);
  });

  it('returns the line ends of the document', async () => {
    const { client, engine } = await scripted([['\n  return 1;', '\n}\n']]);
    const place = await client.open('a.ts', 'let a = 1;\r\nfunction f() {║\r\n');
    assert.equal(await client.text(place), '\r\n  return 1;\r\n}');
    assert.doesNotMatch(engine.decodes[0]?.prompt ?? '', /\r/);
  });

  it('returns null for a document that is not open or was closed, and forgets its suggestions', async () => {
    const { client, engine } = await scripted([['x;\n']]);
    const place = await client.open('a.ts', 'const a = ');
    assert.equal(await client.text(place), 'x;');
    await client.close(place.uri);
    assert.equal(await client.complete(place), null);
    assert.equal(await client.complete({ ...place, uri: 'file:///project/never.ts' }), null);
    await client.open('a.ts', 'const a = ');
    assert.equal(await client.text(place), 'x;');
    assert.equal(engine.decodes.length, 2, 'the suggestion of the closed document is not reused');
  });

  const excluded: readonly (readonly [what: string, name: string, text: string])[] = [
    ['secrets', '.env', 'TOKEN='],
    ['keys', 'id_ed25519', 'key'],
    ['lists of accepted SSH keys', 'authorized_keys', 'ssh-ed25519 AAAA me'],
    ['passwords', 'api_keys.json', '{"hub": "abc"}'],
    ['encrypted secrets', 'group.yml', '$ANSIBLE_VAULT;1.1;AES256\n6162\n'],
    ['source maps', 'index.js.map', '{"version": 3}'],
    ['private keys under another name', 'notes.txt', '-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n'],
    ['secrets in encoded names', '%2Eenv.local', 'TOKEN='],
    ['binary files', 'image.ts', 'a\0b'],
    ['minified files', 'app.js', `var a=${'1+'.repeat(4000)}1`],
    ['files of several megabytes', 'huge.ts', 'let a = 1;\n'.repeat(460_000)],
  ];
  for (const [what, name, text] of excluded)
    it(`never sends the model ${what}`, async () => {
      const { client, engine } = await scripted([['x;\n']]);
      const place = await client.open(name, text);
      for (const invoked of [false, true]) assert.equal(await client.complete(place, { invoked }), null);
      const request = { uri: place.uri, instruction: 'fill in', start: 0, end: 0 };
      await assert.rejects(client.generate(request), /do not enter prompts/);
      assert.equal(engine.decodes.length, 0);
    });
});

describe('other open files', () => {
  const CONVERT = 'export function convertCelsius(degrees: number) {\n  return degrees * 1.8 + 32;\n}\n';
  const HERE = 'const degrees = 20;\nconst fahrenheit = convertCelsius(║\n';

  it('are quoted in the prompt, even before they were edited', async () => {
    const { client, engine } = await scripted([['degrees);\n']]);
    await client.open('convert.ts', CONVERT);
    await client.complete(await client.open('a.ts', HERE));
    assert.match(engine.decodes[0]?.prompt ?? '', /convert\.ts\n[^]*1\.8 \+ 32[^]*a\.ts\n/);
  });

  it('are not quoted when the settings exclude them or when they are closed', async () => {
    const { client, engine } = await scripted([['degrees);\n']]);
    const { uri } = await client.open('convert.ts', CONVERT);
    await client.settings({ useOpenFiles: false, debounceMs: 0 });
    await client.complete(await client.open('a.ts', HERE));
    await client.settings({ useOpenFiles: true, debounceMs: 0 });
    await client.close(uri);
    await client.complete(await client.open('b.ts', HERE));
    assert.equal(engine.decodes.length, 2);
    for (const { prompt } of engine.decodes) assert.doesNotMatch(prompt, /1\.8/);
  });

  for (const name of ['.env', 'authorized_keys'])
    it(`are not quoted when they hold secrets, even after an edit: ${name}`, async () => {
      const { client, engine } = await scripted([['degrees);\n']]);
      const secret = await client.open(name, `${CONVERT}DEGREES=`);
      await client.type({ ...secret, position: { line: 3, character: 8 } }, 'convertCelsius', 2);
      await client.complete(await client.open('a.ts', HERE));
      assert.doesNotMatch(engine.decodes[0]?.prompt ?? '', /1\.8|DEGREES|\.env|authorized/);
    });
});
