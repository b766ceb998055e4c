// Tests malformed parameters: requests are answered, and the server continues.
// test/nightly/fuzz/kinds/editorMessages.ts has many more; stdio.test.ts tests malformed messages and frames.
import assert from 'node:assert/strict';
import type { Position } from 'vscode-languageserver/node';
import { MESSAGES, paramsOf } from '../../server/lsp/messageSchemas';
import { INLINE_COMPLETION, Method } from '../../server/protocol/messages';
import { NextEditMethod } from '../../server/protocol/nextEditMessages';
import { scripted } from './serverInMemory';

describe('malformed messages to the language server', () => {
  it('have no effect when they open an invalid document', async () => {
    const { client } = await scripted([['shared', ' + 1;\n']]);
    for (const text of [5, null, { length: 3 }, ['a']]) {
      const textDocument = { uri: 'file:///project/odd.ts', languageId: 'typescript', version: 1, text };
      await client.connection.sendNotification('textDocument/didOpen', { textDocument });
      const start = { uri: textDocument.uri, position: { line: 0, character: 0 }, offset: 0 };
      assert.equal(await client.complete(start), null);
    }
    assert.equal(await client.text(await client.open('sound.ts', 'const sum = ')), 'shared + 1;');
  });

  it('with incomplete parameters are answered with null, and the log says what is expected', async () => {
    const { client } = await scripted();
    const { uri, position } = await client.open('a.ts', 'const a = ');
    const valid = { textDocument: { uri }, position, context: { triggerKind: 1 } };
    for (const [name, wrong] of [
      ['textDocument', undefined],
      ['textDocument', { uri: 5 }],
      ['position', undefined],
      ['context', undefined],
      ['context', { triggerKind: 1, selectedCompletionInfo: { text: 'a' } }],
    ] as const) {
      const sent = client.connection.sendRequest('textDocument/inlineCompletion', {
        ...valid,
        [name]: wrong,
      });
      assert.equal(await sent, null);
    }
    const completionLogs = client.logs.filter((line) => line.startsWith('completion'));
    assert.equal(completionLogs.length, 5);
    await client.until(() => client.status?.wrongMessages === 5);
    for (const line of completionLogs)
      assert.match(
        line,
        /Send InlineCompletionParams: a document, a position in whole numbers and a context/,
      );
  });

  it('fail their schema when a field is out of range, except invalid optional fields of a download', () => {
    const position = { line: 0, character: 0 };
    const request = { textDocument: { uri: 'a' }, position, context: { triggerKind: 1 } };
    const indented = (tabSize: number) => ({ ...request, formatting: { tabSize, insertSpaces: true } });
    const code = { uri: 'a', instruction: '', start: 0, end: 0, maxTokens: 1 };
    const message = { role: 'user', content: '' };
    const chat = (count: number) => ({ model: '', messages: Array(count).fill(message) });
    const named = (...repositories: readonly string[]) => ({ repositories });
    for (const [method, good, wrong] of [
      [INLINE_COMPLETION, [indented(1), indented(16)], [indented(0), indented(17), indented(1.5)]],
      [
        Method.generate,
        [code],
        [
          { ...code, start: -1 },
          { ...code, end: -1 },
          { ...code, maxTokens: 0 },
        ],
      ],
      [Method.chat, [chat(1), chat(10_000)], [chat(0), chat(10_001)]],
      [
        Method.download,
        [named('a/b'), named('a/b', 'c/d')],
        [named(), named('a/b', 'c/d', 'e/f'), named('a')],
      ],
    ] as const) {
      const { schema } = MESSAGES[method];
      for (const params of good)
        assert.ok(schema.safeParse(params).success, JSON.stringify(params).slice(0, 99));
      for (const params of wrong)
        assert.ok(!schema.safeParse(params).success, JSON.stringify(params).slice(0, 99));
    }
    const fields = { ...named('a/b'), token: ' ', force: 'yes', partialResultToken: {} };
    const { token, force, partialResultToken } = paramsOf(Method.download, fields);
    assert.deepEqual(
      [token, force, partialResultToken],
      [undefined, false, undefined],
      'invalid optional fields are dropped',
    );
    assert.equal(paramsOf(Method.download, { ...fields, token: 'hf_a', force: true }).token, 'hf_a');
  });

  it('can have null for fields that can be absent, as clients in Lua and Go send', () => {
    const textDocument = { uri: 'a', version: 1 };
    const position = { line: 0, character: 0 };
    const call = { name: 'f', arguments: { x: null } };
    const message = { role: 'assistant', content: '', toolCalls: [call] };
    const definition = { name: 'f', parameters: { enum: [null] } };
    const code = { uri: 'a', instruction: '', start: 0, end: 0 };
    const nulls = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, null]));
    for (const [method, whole, withNull] of [
      [
        INLINE_COMPLETION,
        { textDocument, position, context: { triggerKind: 1 } },
        {
          context: { triggerKind: 1, ...nulls('selectedCompletionInfo') },
          ...nulls('growingResultToken', 'formatting'),
        },
      ],
      [NextEditMethod.inlineEdit, { textDocument, position }, nulls('context')],
      [NextEditMethod.inlineEdit, { textDocument, position, context: {} }, { context: nulls('triggerKind') }],
      [Method.generate, code, nulls('maxTokens', 'sampling', 'partialResultToken')],
      [Method.chat, { model: '', messages: [message] }, nulls('tools', 'partialResultToken')],
      [
        Method.chat,
        { model: '', messages: [message], tools: [{ type: 'function', function: definition }] },
        {
          messages: [
            {
              ...message,
              ...nulls('reasoning', 'toolCallId', 'name'),
              toolCalls: [{ ...call, ...nulls('id') }],
            },
          ],
          tools: [{ type: 'function', function: { ...definition, ...nulls('description') } }],
        },
      ],
      [Method.definitions, { uri: 'a', definitions: [] }, nulls('above')],
      [NextEditMethod.executeCommand, { command: 'a' }, nulls('arguments')],
      [Method.download, { repositories: ['a/b'] }, nulls('token', 'force', 'partialResultToken')],
    ] as const) {
      const parsed = paramsOf(method, { ...whole, ...withNull });
      // Fields that stay as undefined count as absent, also in chat templates (chat.test.ts).
      assert.equal(JSON.stringify(parsed), JSON.stringify(paramsOf(method, whole)), method);
    }
  });

  it('with an invalid position are answered with null; a position after the text is moved to its end', async () => {
    const { client, engine } = await scripted([['1;\n']]);
    const { uri } = await client.open('a.ts', 'const a = ');
    const complete = (position: unknown) =>
      client.complete({ uri, position: position as Position, offset: 0 });
    for (const position of [null, {}, 5, { line: '0', character: 1 }, { line: NaN, character: 0 }])
      assert.equal(await complete(position), null);
    assert.equal(await complete({ line: 0.5 }), null);
    assert.equal(engine.decodes.length, 0);
    const end = { line: 0, character: 10 };
    for (const [line, character] of [
      [0, 4e9],
      [4e9, 0],
    ])
      assert.deepEqual((await complete({ line, character }))?.[0]?.range, { start: end, end });
  });
});
