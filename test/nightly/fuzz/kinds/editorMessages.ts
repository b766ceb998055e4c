// What an editor sends: documents with any line ends and characters, edits in any order and version, requests, and
// messages that are wrong somewhere. Each request is answered once, and after all that a known place is completed as
// before. The server has the built-in pair.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import * as fc from 'fast-check';
import {
  createConnection,
  ProposedFeatures,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver/node';
import { settle } from '../../../../server/completion/session/suggest';
import { Engine } from '../../../../server/engine/engine';
import { ModelPool } from '../../../../server/hosting/modelPool';
import { startServer } from '../../../../server/lsp/server';
import { Method } from '../../../../server/protocol/messages';
import { EMBEDDED_PAIR } from '../../../support/embeddedPair';
import { assertExplainedText } from '../assertExplained';
import { fuzzKind } from '../kind';
import { anyText, jsonText, oddText, spoilt, type Json } from '../oddValues';

const FIXED = {
  debounceMs: 0,
  maxSuggestionTokens: 4,
  maxGenerateTokens: 3,
  draftLength: 'adaptive',
  prefetch: 'never',
};
/** Others would load or free a model each time; how they are read is tried as a kind of its own. */
const LEFT_OUT =
  /^(target|drafter|drafterBits|device|strict|load|unloadAfterMinutes|remote|remoteKey|hub|serve|enable)$/;
const URIS = ['file:///project/a.ts', 'file:///project/b.py', 'untitled:c', 'file:///x/%E0%A4%A', ''];
const SOUND = {
  uri: 'file:///project/sound.ts',
  text: 'const add = (a: number, b: number) => a +;\n',
  character: 40,
};
/** Answers of the library itself, in its own words. */
const METHOD_NOT_FOUND = -32_601;
const WRONG_FORM =
  /^Request \S+ defines (parameters by name but received .+ by position|1 params but received none\.)$/;

interface Sent {
  readonly kind: 'request' | 'notification';
  readonly method: string;
  readonly params: Json;
}

const uri = fc.oneof(
  { weight: 6, arbitrary: fc.constant(URIS[0] ?? '') },
  { weight: 1, arbitrary: fc.constantFrom(...URIS) },
);
const offset = fc.oneof(
  { weight: 4, arbitrary: fc.nat(60) },
  { weight: 1, arbitrary: fc.constantFrom(-1, 1e9, 0.5, 2 ** 31) },
);
const position = fc.record({ line: fc.oneof(fc.nat(6), offset), character: offset });
const version = fc.oneof(fc.nat(9), fc.constantFrom(-1, 0, 1e9));
const texts = fc
  .array(fc.oneof(anyText, fc.constantFrom('\r\n', '\n', '\t', 'const a = ', 'return ', '(')), {
    maxLength: 5,
  })
  .map((all) => all.join(''));
const diffs = fc
  .array(
    fc.oneof(anyText, fc.constantFrom('@@ -1 +1 @@\n', '@@', '+', '-', '\n', '```', 'new file\n', '\0')),
    {
      maxLength: 6,
    },
  )
  .map((all) => all.join(''));
const change = fc.oneof(
  fc.record({ range: fc.record({ start: position, end: position }), text: texts }),
  fc.record({ text: texts }),
);
const request = (method: string, params: fc.Arbitrary<Json>): fc.Arbitrary<Sent> =>
  params.map((each) => ({ kind: 'request', method, params: each }));
const notification = (method: string, params: fc.Arbitrary<Json>): fc.Arbitrary<Sent> =>
  params.map((each) => ({ kind: 'notification', method, params: each }));

const right: fc.Arbitrary<Sent> = fc.oneof(
  {
    weight: 3,
    arbitrary: notification(
      'textDocument/didOpen',
      fc.record({
        textDocument: fc.record({
          uri,
          languageId: fc.constantFrom('typescript', 'python', 'constructor', ''),
          version,
          text: texts,
        }),
      }),
    ),
  },
  {
    weight: 6,
    arbitrary: notification(
      'textDocument/didChange',
      fc.record({
        textDocument: fc.record({ uri, version }),
        contentChanges: fc.array(change, { maxLength: 3 }),
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: notification('textDocument/didClose', fc.record({ textDocument: fc.record({ uri }) })),
  },
  { weight: 1, arbitrary: notification('$/cancelRequest', fc.record({ id: fc.nat(12) })) },
  {
    weight: 1,
    arbitrary: notification(
      Method.settings,
      spoilt({
        ...FIXED,
        multiline: 'auto',
        cacheMemoryMB: 64,
        generate: { temperature: 0, seed: 1 },
      }),
    ),
  },
  {
    weight: 4,
    arbitrary: request(
      'textDocument/inlineCompletion',
      fc.record({
        textDocument: fc.record({ uri }),
        position,
        context: fc.record({ triggerKind: fc.constantFrom(0, 1) }),
      }),
    ),
  },
  {
    weight: 2,
    arbitrary: request(Method.generate, fc.record({ uri, instruction: oddText, start: offset, end: offset })),
  },
  {
    weight: 2,
    arbitrary: notification(
      Method.definitions,
      fc.record({ uri, definitions: fc.array(fc.record({ uri, text: texts }), { maxLength: 3 }) }),
    ),
  },
  {
    weight: 1,
    arbitrary: request(
      Method.commitMessage,
      fc.record({
        changes: fc.array(
          fc.record({ path: fc.oneof(fc.constantFrom('src/a.ts', '.env', 'a.png'), oddText), diff: diffs }),
          { maxLength: 3 },
        ),
        begun: oddText,
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: request(
      Method.chat,
      fc.record({ model: oddText, messages: fc.array(fc.record({ role: oddText, content: texts })) }),
    ),
  },
  { weight: 1, arbitrary: request(Method.chatTokens, fc.record({ model: oddText, text: texts })) },
  { weight: 2, arbitrary: notification(Method.cursor, fc.record({ uri, position })) },
  { weight: 1, arbitrary: notification(Method.forgetClosed, fc.constant({})) },
  { weight: 1, arbitrary: request(Method.history, fc.constant({})) },
  { weight: 1, arbitrary: request('textDocument/hover', fc.constant({})) },
);
const spoiltMessage: fc.Arbitrary<Sent> = right.chain((message) =>
  spoilt(message.params, 1).map((params) => ({ ...message, params })),
);
const inputs = fc.array(fc.oneof({ weight: 3, arbitrary: right }, { weight: 1, arbitrary: spoiltMessage }), {
  maxLength: 10,
});

interface Response {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** The client's end of a server, with the bare messages. */
class BareClient {
  readonly #answers = new Map<number, Response[]>();
  readonly #toServer = new PassThrough();
  #asked = 0;
  #arrived: () => void = () => undefined;
  #state = '';

  constructor() {
    const toClient = new PassThrough();
    const connection = createConnection(
      ProposedFeatures.all,
      new StreamMessageReader(this.#toServer),
      new StreamMessageWriter(toClient),
    );
    const load = async () => {
      const engine = await Engine.load({ ...EMBEDDED_PAIR, cacheBytes: 64e6 });
      return { engine, target: 'embedded', drafter: 'embedded', remember: () => undefined };
    };
    startServer({
      connection,
      pool: new ModelPool({ load }),
      settle,
      pluggedIn: () => Promise.resolve(true),
    });
    new StreamMessageReader(toClient).listen((message) => {
      const { id, method, params } = message as unknown as {
        id?: number;
        method?: string;
        params?: { state?: string };
      };
      if (method === Method.status) this.#state = params?.state ?? '';
      if (method === undefined && typeof id === 'number')
        this.#answers.set(id, [...(this.#answers.get(id) ?? []), message as unknown as Response]);
      this.#arrived();
    });
  }

  send({ kind, method, params }: Sent): number | undefined {
    const id = kind === 'request' ? (this.#asked += 1) : undefined;
    // Written by hand, as there are numbers and depths that JavaScript does not write.
    const given = jsonText(params);
    const fields = [
      '"jsonrpc":"2.0"',
      ...(id === undefined ? [] : [`"id":${String(id)}`]),
      `"method":${JSON.stringify(method)}`,
      ...(given === 'null' ? [] : [`"params":${given}`]),
    ];
    const body = Buffer.from(`{${fields.join(',')}}`);
    this.#toServer.write(`Content-Length: ${String(body.length)}\r\n\r\n`);
    this.#toServer.write(body);
    return id;
  }

  async answerTo(id: number): Promise<Response> {
    await this.#gets(() => this.#answers.has(id));
    return this.#answers.get(id)?.[0] ?? assert.fail();
  }

  async ask(method: string, params: Json): Promise<unknown> {
    const id = this.send({ kind: 'request', method, params });
    const { result, error } = await this.answerTo(id ?? -1);
    assert.equal(error, undefined);
    return result;
  }

  async ready(): Promise<void> {
    await this.#gets(() => this.#state === 'ready');
  }

  /** All answers so far, which are then forgotten. */
  taken(): readonly Response[][] {
    const all = [...this.#answers.values()];
    this.#answers.clear();
    this.#asked = 0;
    return all;
  }

  async #gets(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => (this.#arrived = resolve));
  }
}

function calm(message: Sent): Sent {
  const { method, params } = message;
  if (method !== Method.settings || typeof params !== 'object' || params === null || Array.isArray(params))
    return message;
  const kept = Object.entries(params).filter(([name]) => !LEFT_OUT.test(name));
  return { ...message, params: { ...Object.fromEntries(kept), ...FIXED } };
}

function assertExplainedError(error: Response['error']): void {
  if (error === undefined || error.code === METHOD_NOT_FOUND || WRONG_FORM.test(error.message)) return;
  assertExplainedText(error.message);
}

export const editorMessages = fuzzKind({
  name: 'editor-messages',
  inputs,
  counts: { test: 60, million: 1_000 },
  open: async () => {
    const client = new BareClient();
    await client.ask('initialize', {
      processId: null,
      rootUri: null,
      capabilities: {},
      initializationOptions: FIXED,
    });
    client.send({ kind: 'notification', method: 'initialized', params: {} });
    await client.ready();
    let known: string | undefined;
    const tell = (method: string, params: Json) => client.send({ kind: 'notification', method, params });
    return {
      attempt: async (messages) => {
        const asked: number[] = [];
        for (const message of messages) {
          const id = client.send(calm(message));
          if (id !== undefined) asked.push(id);
        }
        for (const id of asked) await client.answerTo(id);
        // All that was sent before has been read by then.
        await client.ask(Method.history, {});
        for (const answers of client.taken()) {
          assert.equal(answers.length, 1, JSON.stringify(answers));
          assertExplainedError(answers[0]?.error);
        }
        for (const each of URIS) tell('textDocument/didClose', { textDocument: { uri: each } });
      },
      sound: async () => {
        const { uri: place, text, character } = SOUND;
        // A spoilt name may have left a document open, which prompts would quote.
        tell(Method.settings, { ...FIXED, useOpenFiles: false });
        await client.ready();
        tell('textDocument/didOpen', {
          textDocument: { uri: place, languageId: 'typescript', version: 1, text },
        });
        const asked = {
          textDocument: { uri: place },
          position: { line: 0, character },
          context: { triggerKind: 1 },
        };
        const [item] = (await client.ask('textDocument/inlineCompletion', asked)) as { insertText: string }[];
        assert.match(item?.insertText ?? '', /\bb\b/);
        assert.equal(item?.insertText, (known ??= item?.insertText));
        tell('textDocument/didClose', { textDocument: { uri: place } });
        tell(Method.settings, FIXED);
      },
    };
  },
});
