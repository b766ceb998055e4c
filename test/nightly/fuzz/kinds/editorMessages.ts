// Messages of an editor: documents with any line ends and characters, edits in any order and version, requests, and
// partly invalid messages. Each request is answered once, and a valid document is still completed as before. The server
// has the built-in pair.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import * as fc from 'fast-check';
import { createConnection, ProposedFeatures } from 'vscode-languageserver/node';
import { settle } from '../../../../server/completion/session/settle';
import { Engine } from '../../../../server/engine/engine';
import { LanguageServer } from '../../../../server/lsp/languageServer';
import { Method } from '../../../../server/protocol/messages';
import { EMBEDDED_PAIR } from '../../../support/embeddedPair';
import { poolOf } from '../../../support/poolOf';
import { SUGGESTIONS_ONLY } from '../../../support/suggestionsOnly';
import { assertExplainedText } from '../assertExplained';
import { BareClient, type Sent } from '../bareClient';
import { fuzzKind } from '../kind';
import { anyText, joined, mixed, oddText, spoilt, type Json } from '../oddValues';

const FIXED = {
  debounceMs: 0,
  maxSuggestionTokens: 4,
  maxGenerateTokens: 3,
  draftLength: 'adaptive',
  prefetch: 'never',
};
/**
 * Settings that would load or free a model each time, or that allow no suggestions; editorSettings.ts covers how they
 * are parsed.
 */
const COSTLY_SETTINGS =
  /^(target|drafter|drafterBits|device|strict|load|unloadAfterMinutes|remote|remoteKey|hub|serve|enable)$/;
const URIS = ['file:///project/a.ts', 'file:///project/b.py', 'untitled:c', 'file:///x/%E0%A4%A', ''];
const VALID_DOCUMENT = {
  uri: 'file:///project/sound.ts',
  languageId: 'typescript',
  version: 1,
  text: 'const add = (a: number, b: number) => a +;\n',
  character: 40,
};
/** Errors of the JSON-RPC library, in its words. */
const METHOD_NOT_FOUND = -32_601;
const WRONG_FORM =
  /^Request \S+ defines (parameters by name but received .+ by position|1 params but received none\.)$/;

const uri = mixed([6, fc.constant(URIS[0] ?? '')], [1, fc.constantFrom(...URIS)]);
const offset = mixed([4, fc.nat(60)], [1, fc.constantFrom(-1, 1e9, 0.5, 2 ** 31)]);
const position = fc.record({ line: fc.oneof(fc.nat(6), offset), character: offset });
const version = fc.oneof(fc.nat(9), fc.constantFrom(-1, 0, 1e9));
const text = joined(5, anyText, fc.constantFrom('\r\n', '\n', '\t', 'const a = ', 'return ', '('));
const languageId = fc.constantFrom('typescript', 'python', 'constructor', '');
const textDocument = fc.record({ uri });
const few = (item: fc.Arbitrary<Json>): fc.Arbitrary<Json> => fc.array(item, { maxLength: 3 });
const SETTINGS = { multiline: 'auto', cacheMemoryMB: 64, generate: { temperature: 0, seed: 1 } };

const sent = (isRequest: boolean) => (method: string, params: fc.Arbitrary<Json>) =>
  params.map((value): Sent => ({ isRequest, method, params: value }));
const [notification, call] = [sent(false), sent(true)];
const { record } = fc;
const nothing = fc.constant({});
const change = fc.oneof(
  record({ range: record({ start: position, end: position }), text }),
  record({ text }),
);
const context = record({ triggerKind: fc.constantFrom(0, 1) });
const request = record({ uri, instruction: oddText, start: offset, end: offset });
const turn = record({ role: oddText, content: text });

const validMessage = mixed<Sent>(
  [
    3,
    notification(
      'textDocument/didOpen',
      record({ textDocument: record({ uri, languageId, version, text }) }),
    ),
  ],
  [
    6,
    notification(
      'textDocument/didChange',
      record({ textDocument: record({ uri, version }), contentChanges: few(change) }),
    ),
  ],
  [1, notification('textDocument/didClose', record({ textDocument }))],
  [1, notification('$/cancelRequest', record({ id: fc.nat(12) }))],
  [1, notification(Method.settings, spoilt({ ...FIXED, ...SETTINGS }))],
  [4, call('textDocument/inlineCompletion', record({ textDocument, position, context }))],
  [2, call(Method.generate, request)],
  [2, notification(Method.definitions, record({ uri, definitions: few(record({ uri, text })) }))],
  [1, call(Method.chat, record({ model: oddText, messages: fc.array(turn) }))],
  [1, call(Method.chatTokens, record({ model: oddText, text }))],
  [2, notification(Method.cursor, record({ uri, position }))],
  [1, notification(Method.forgetClosed, nothing)],
  [1, call(Method.history, nothing)],
  [1, call('textDocument/hover', nothing)],
);
const invalidMessage = validMessage.chain((message) =>
  spoilt(message.params, 1).map((params) => ({ ...message, params })),
);
const inputs = fc.array(mixed([3, validMessage], [1, invalidMessage]), { maxLength: 10 });

/** Starts a server and returns the client's end. */
function started(): BareClient {
  const [toServer, toClient] = [new PassThrough(), new PassThrough()];
  const connection = createConnection(ProposedFeatures.all, toServer, toClient);
  const load = async () => {
    const engine = await Engine.load({ ...EMBEDDED_PAIR, cacheBytes: 64e6 });
    return { engine, target: 'embedded', drafter: 'embedded', remember: () => undefined };
  };
  const pool = poolOf(load);
  const pluggedIn = () => Promise.resolve(true);
  LanguageServer.start({ ...SUGGESTIONS_ONLY, connection, pool, settle, pluggedIn });
  return new BareClient(toClient, toServer);
}

function withoutCostlySettings(message: Sent): Sent {
  const { method, params } = message;
  if (method !== Method.settings || typeof params !== 'object' || params === null || Array.isArray(params))
    return message;
  const kept = Object.entries(params).filter(([name]) => !COSTLY_SETTINGS.test(name));
  return { ...message, params: { ...Object.fromEntries(kept), ...FIXED } };
}

export const editorMessages = fuzzKind({
  name: 'editor-messages',
  inputs,
  runs: 30,
  open: async () => {
    const client = started();
    const start = { processId: null, rootUri: null, capabilities: {}, initializationOptions: FIXED };
    await client.request('initialize', start);
    client.notify('initialized', {});
    await client.ready();
    client.takeAnswers();
    let firstText: string | undefined;
    return {
      attempt: async (messages) => {
        const ids = messages
          .map((message) => client.send(withoutCostlySettings(message)))
          .filter((id) => id !== undefined);
        for (const id of ids) await client.answerTo(id);
        // Once this is answered, all earlier messages have been read.
        await client.request(Method.history, {});
        const answers = client.takeAnswers();
        assert.equal(new Set(answers.map(({ id }) => id)).size, answers.length, JSON.stringify(answers));
        for (const { error } of answers)
          if (error && error.code !== METHOD_NOT_FOUND && !WRONG_FORM.test(error.message))
            assertExplainedText(error.message);
        for (const file of URIS) client.notify('textDocument/didClose', { textDocument: { uri: file } });
      },
      checkValid: async () => {
        const { uri: validUri, character, ...content } = VALID_DOCUMENT;
        // A changed name can have left a document open, which prompts would quote.
        client.notify(Method.settings, { ...FIXED, useOpenFiles: false });
        await client.ready();
        client.notify('textDocument/didOpen', { textDocument: { uri: validUri, ...content } });
        const [item] = (await client.request('textDocument/inlineCompletion', {
          textDocument: { uri: validUri },
          position: { line: 0, character },
          context: { triggerKind: 1 },
        })) as { insertText: string }[];
        assert.match(item?.insertText ?? '', /\bb\b/);
        assert.equal(item?.insertText, (firstText ??= item?.insertText));
        client.notify('textDocument/didClose', { textDocument: { uri: validUri } });
        client.notify(Method.settings, FIXED);
      },
    };
  },
});
