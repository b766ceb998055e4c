// Tests next edits with the messages of copilot-language-server, sent as sidekick.nvim does: an edit belongs to a
// document version, and its command runs after all edits of a result are applied.
import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  ProgressType,
  type InitializeResult,
  type InlineCompletionItem,
  type TextEdit,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import {
  NextEditCommand,
  NextEditMethod,
  type InlineEdit,
  type InlineEditResult,
} from '../../server/protocol/nextEditMessages';
import type { ServerSettings } from '../../server/protocol/messages';
import type { ModelPool, LoadModel } from '../../server/hosting/modelPool';
import { createModelPool } from '../../server/programs/composition';
import { NO_REMOTE } from '../../server/rules/serverSettings';
import { AFTER, BEFORE, NOW } from '../nextEdit/sumFile';
import { WordlessTokenizer } from '../completion/wordlessTokenizer';
import { OpenAiServer, streaming } from '../remote/openAiServer';
import { LONG, ScriptedEngine, type Answer } from './scriptedEngine';
import { serverInMemory } from './serverInMemory';
import { insertedText, type EditorClient } from './editorClient';

const SWEEP = 'sweep-next-edit-1.5b';
const SPECIAL = ['<|file_sep|>', '<|endoftext|>'];
const URI = 'file:///project/sum.ts';
const OUTPUT: Answer = [`\n${AFTER}`];
const ON = { nextEdit: 'inline', nextEditModel: SWEEP } as const;

/** Number of documents in the memory test, and of lines in each. */
const [DOCUMENTS, LINES] = [20, 5000];

/** Bytes in use after a garbage collection. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

/** Creates a model that suggests next edits, and one that only completes. */
function models(answers: readonly Answer[] = [OUTPUT], completion: Answer = ['1;']) {
  const [sweep, completer] = [new ScriptedEngine(answers), new ScriptedEngine([completion])];
  const vocabulary = new WordlessTokenizer(SPECIAL);
  sweep.tokenizer.specialTokenId = (content) => vocabulary.specialTokenId(content);
  const loads: string[] = [];
  const load: LoadModel = ({ target }) => {
    loads.push(target);
    const engine = target === SWEEP ? sweep : completer;
    return Promise.resolve({ engine, target, drafter: undefined, remember: () => undefined });
  };
  return { load, loads, sweep, completer };
}

/** Does what sidekick.nvim does with one document. */
class Sidekick {
  version = 0;
  text = '';
  readonly commands: string[] = [];

  private constructor(
    readonly client: EditorClient,
    readonly capabilities: InitializeResult['capabilities'],
  ) {}

  static async start(
    served: LoadModel | ModelPool,
    settings: Partial<ServerSettings>,
    parts: Parameters<typeof serverInMemory>[1] = {},
  ): Promise<Sidekick> {
    const client = serverInMemory(served, parts);
    const { capabilities } = await client.initialize({ debounceMs: 0, load: 'firstUse', ...settings });
    return new Sidekick(client, capabilities);
  }

  async open(text: string): Promise<void> {
    this.text = text;
    this.version = 1;
    const textDocument = { uri: URI, languageId: 'typescript', version: 1, text };
    await this.client.connection.sendNotification('textDocument/didOpen', { textDocument });
    // The server ignores it.
    await this.client.connection.sendNotification('textDocument/didFocus', { textDocument: { uri: URI } });
  }

  async write(text: string): Promise<void> {
    this.text = text;
    await this.client.change(URI, (this.version += 1), [{ text }]);
  }

  /** Returns the edits for the current version of the document; sidekick.nvim drops others. */
  async update(changes: object = {}): Promise<readonly InlineEdit[]> {
    const edits = await this.request(changes);
    return edits.filter(({ textDocument }) => textDocument.version === this.version);
  }

  async request(changes: object = {}): Promise<readonly InlineEdit[]> {
    const { edits } = await this.client.connection.sendRequest<InlineEditResult>(NextEditMethod.inlineEdit, {
      textDocument: { uri: URI, version: this.version },
      position: { line: 0, character: 14 },
      context: { triggerKind: 2 },
      ...changes,
    });
    return edits;
  }

  async apply(edits: readonly InlineEdit[]): Promise<void> {
    const document = TextDocument.create(URI, 'typescript', this.version, this.text);
    const changes = edits.map(({ range, text }): TextEdit => ({ range, newText: text }));
    await this.write(TextDocument.applyEdits(document, changes));
    for (const { command } of edits) await this.run(command.command, command.arguments);
  }

  /** Runs a command as Neovim does: only if the server lists it. */
  async run(command: string, args: readonly unknown[]): Promise<void> {
    assert.ok(this.capabilities.executeCommandProvider?.commands.includes(command));
    await this.client.connection.sendRequest('workspace/executeCommand', { command, arguments: args });
    this.commands.push(command);
  }
}

describe('next edits for other editors', () => {
  it('are found, applied and reported with a separate model', async () => {
    const { load, loads, sweep } = models();
    const editor = await Sidekick.start(load, ON);
    assert.deepEqual(editor.capabilities.experimental, { copilotInlineEdit: true });
    await editor.open(BEFORE);
    assert.deepEqual(await editor.update(), [], 'nothing was edited yet');
    await editor.write(NOW);
    const edits = await editor.update();
    assert.deepEqual(edits, [
      {
        text: 'total += x;\nreturn total',
        textDocument: { uri: URI, version: 2 },
        range: { start: { line: 1, character: 20 }, end: { line: 2, character: 8 } },
        command: { title: 'Accept next edit', command: NextEditCommand.accept, arguments: ['1'] },
      },
    ]);
    await editor.client.connection.sendNotification(NextEditMethod.didShow, { item: edits[0] });
    await editor.apply(edits);
    assert.equal(editor.text, AFTER);
    assert.deepEqual(editor.commands, [NextEditCommand.accept]);
    assert.deepEqual(loads, [SWEEP], 'the model of suggestions is not loaded');
    const [decode] = sweep.decodes;
    assert.ok(decode !== undefined);
    assert.ok(decode.prompt.includes('<|file_sep|>current/sum.ts\nlet total = 0;'));
    assert.deepEqual([decode.options.kind, decode.options.repetitionGuard], ['nextEdit', true]);
    assert.deepEqual(
      editor.client.rows.map(({ kind, file, outcome }) => [kind, file, outcome]),
      [['nextEdit', 'sum.ts', 'shown']],
    );
    assert.deepEqual(editor.client.status?.nextEdit, { state: 'ready', model: SWEEP });
  });

  it('use the model of suggestions if it suggests edits, and otherwise report that it does not', async () => {
    const editor = await Sidekick.start(models().load, { nextEdit: 'hint', target: SWEEP });
    await editor.open(BEFORE);
    await editor.write(NOW);
    assert.equal((await editor.update()).length, 1);
    const completionEditor = await Sidekick.start(models().load, { nextEdit: 'hint' });
    await completionEditor.open(BEFORE);
    await completionEditor.write(NOW);
    assert.deepEqual(await completionEditor.update(), []);
    await completionEditor.client.until(() => completionEditor.client.status?.nextEdit?.state === 'noFormat');
    assert.match(completionEditor.client.status?.nextEdit?.message ?? '', /Choose a model for next edits/);
  });

  it('are off by default: they cause no decode, report no status and follow no earlier edit', async () => {
    const { load, sweep, completer } = models();
    const editor = await Sidekick.start(load, { nextEditModel: SWEEP });
    await editor.open(BEFORE);
    await editor.write(NOW);
    assert.deepEqual(await editor.update(), []);
    assert.equal(sweep.decodes.length + completer.decodes.length, 0);
    assert.ok(editor.client.statuses.every(({ nextEdit }) => nextEdit === undefined));
    await editor.client.settings({ debounceMs: 0, load: 'firstUse', ...ON });
    assert.deepEqual(await editor.update(), [], 'edits before it was turned on are not used');
    await editor.write(`${NOW}// x\n`);
    await editor.update();
    assert.equal(sweep.decodes.length, 1, 'edits after it was turned on are used');
  });

  it('are looked for before a character that the cursor is in the middle of', async () => {
    const { load, sweep } = models();
    const target = 'sweep-next-edit-v2-7b';
    const loadNewer: LoadModel = async (pair, observer) => {
      return { ...(await load({ ...pair, target: SWEEP }, observer)), target };
    };
    const editor = await Sidekick.start(loadNewer, { ...ON, nextEditModel: target });
    await editor.open('a = "😀";\n');
    await editor.write('b = "😀";\n');
    await editor.update({ position: { line: 0, character: 6 } });
    assert.match(sweep.decodes[0]?.prompt ?? '', /b = "<\|cursor\|>😀";/);
  });

  it('are not suggested again once dismissed', async () => {
    const editor = await Sidekick.start(models().load, ON);
    await editor.open(BEFORE);
    await editor.write(NOW);
    const [edit] = await editor.update();
    await editor.run(NextEditCommand.accept, edit?.command.arguments ?? []);
    assert.equal((await editor.update()).length, 1, 'an acceptance is no dismissal');
    await editor.run(NextEditCommand.reject, edit?.command.arguments ?? []);
    assert.deepEqual(await editor.update(), []);
  });

  it('are not suggested for another version or a document that is not open', async () => {
    const editor = await Sidekick.start(models().load, ON);
    await editor.open(BEFORE);
    await editor.write(NOW);
    for (const textDocument of [
      { uri: URI, version: 1 },
      { uri: 'file:///other.ts', version: 2 },
    ])
      assert.deepEqual(await editor.request({ textDocument }), []);
  });

  it('are not looked for in a text that changes while the power supply is checked', async () => {
    const { load, sweep } = models();
    let plugIn: (isPluggedIn: boolean) => void = () => undefined;
    const pluggedIn = () => new Promise<boolean>((resolve) => (plugIn = resolve));
    const editor = await Sidekick.start(load, { ...ON, pauseOnBattery: true }, { pluggedIn });
    await editor.open(BEFORE);
    await editor.write(NOW);
    const edits = editor.update();
    await editor.client.quiet();
    await editor.write(`${NOW}// x\n`);
    await editor.client.quiet();
    plugIn(true);
    assert.deepEqual(await edits, []);
    assert.equal(sweep.decodes.length, 0);
  });

  it('follow an accepted suggestion of more than 200 characters, but no paste of that length', async () => {
    const lines = ['first', 'second', 'third'].map(
      (name) => `  ${name}('each of these calls has an argument that takes much room in its line');\n`,
    );
    for (const isPaste of [false, true]) {
      const { load, sweep } = models([OUTPUT], ['f() {\n', ...lines, '}\n']);
      const editor = await Sidekick.start(load, ON);
      const place = await editor.client.open(URI, 'function ║\n');
      const [item] = (await editor.client.complete(place, { invoked: true })) ?? [];
      const text = item ? insertedText(item) : assert.fail();
      assert.ok(text.length > 200, text);
      editor.text = 'function \n';
      editor.version = 1;
      await editor.write(`function ${isPaste ? text.replaceAll('these', 'those') : text}\n`);
      await editor.update();
      assert.equal(sweep.decodes.length, isPaste ? 0 : 1);
    }
  });

  it('follow an accepted part of more than 200 characters of a suggestion that is still computed', async () => {
    const names = ['width', 'height', 'colour', 'border', 'padding', 'margin', 'outline', 'cursor'];
    const line = `f(${names.map((name) => `${name}: number | undefined`).join(', ')}) {\n`;
    const rest = Array.from({ length: 20_000 }, (_, i) => {
      const name = String.fromCharCode(...[i / 676, i / 26, i].map((n) => 97 + (Math.floor(n) % 26)));
      return `    ${name}();\n`;
    });
    const { load, sweep } = models([OUTPUT], [line, ...rest]);
    const editor = await Sidekick.start(load, ON);
    const { client } = editor;
    const { uri, position } = await client.open(URI, 'function ║\n');
    const parts: string[] = [];
    client.connection.onProgress(new ProgressType<InlineCompletionItem[]>(), 'growing', ([item]) => {
      if (item) parts.push(insertedText(item));
    });
    const context = { triggerKind: 2 };
    const params = { textDocument: { uri }, position, context, growingResultToken: 'growing' };
    const answer = client.connection.sendRequest('textDocument/inlineCompletion', params);
    await client.until(() => (parts.at(-1)?.length ?? 0) > 200);
    editor.text = 'function \n';
    editor.version = 1;
    await editor.write(`function ${parts.at(-1) ?? ''}\n`);
    await editor.update();
    assert.equal(sweep.decodes.length, 1);
    await client.close(uri);
    await answer;
  });

  it('end without an edit when they are turned off while they are computed', async () => {
    const { load, sweep } = models([LONG]);
    const editor = await Sidekick.start(load, ON);
    await editor.open(BEFORE);
    await editor.write(NOW);
    const edits = editor.update();
    await editor.client.until(() => (sweep.decodes[0]?.steps ?? 0) > 0);
    await editor.client.settings({ debounceMs: 0, load: 'firstUse', ...ON, nextEdit: 'off' });
    assert.deepEqual(await edits, []);
    await editor.client.until(() => sweep.running === 0);
    assert.notEqual(sweep.decodes[0]?.ended, 'stop');
  });

  for (const [kind, choose] of [
    ['next edits', (model: string) => ({ ...ON, nextEditModel: model })],
    ['suggestions', (model: string) => ({ nextEdit: ON.nextEdit, target: model })],
  ] as const)
    it(`are looked for again in the same text with another model of ${kind}`, async () => {
      const [old, other] = [models([[`\n${NOW}`]]), models()];
      const name = 'sweep-next-edit-0.5b';
      const load: LoadModel = (pair, observer) =>
        pair.target === name ? other.load({ ...pair, target: SWEEP }, observer) : old.load(pair, observer);
      const editor = await Sidekick.start(load, choose(SWEEP));
      await editor.open(BEFORE);
      await editor.write(NOW);
      assert.deepEqual(await editor.update(), []);
      await editor.client.settings({ debounceMs: 0, load: 'firstUse', ...choose(name) });
      assert.equal((await editor.update()).length, 1);
    });

  it('are not looked for again in the same text after a change of other settings', async () => {
    const { load, sweep } = models();
    const editor = await Sidekick.start(load, ON);
    await editor.open(BEFORE);
    await editor.write(NOW);
    assert.equal((await editor.update()).length, 1);
    await editor.client.settings({ debounceMs: 10, load: 'firstUse', ...ON });
    assert.equal((await editor.update()).length, 1);
    assert.equal(sweep.decodes.length, 1);
  });

  it('report a model that cannot be loaded', async () => {
    const load: LoadModel = () => Promise.reject(new Error('damaged'));
    const editor = await Sidekick.start(load, ON);
    await editor.open(BEFORE);
    await editor.write(NOW);
    assert.deepEqual(await editor.update(), []);
    await editor.client.until(() => editor.client.status?.nextEdit?.state === 'missing');
    assert.match(editor.client.status?.nextEdit?.message ?? '', /damaged/);
  });

  it('refuse messages that do not match the protocol', async () => {
    const editor = await Sidekick.start(models().load, ON);
    await editor.open(BEFORE);
    await assert.rejects(editor.update({ position: { line: 'x' } }), /a document with its version/);
    await assert.rejects(editor.update({ textDocument: { uri: URI } }), /version/);
    await editor.client.connection.sendNotification(NextEditMethod.didShow, {});
    await editor.client.quiet();
    assert.equal(editor.client.status?.wrongMessages, 3);
  });

  it('are paused on a battery, as the status says, except on request', async () => {
    let isPluggedIn = false;
    const { load, sweep } = models();
    const settings = { ...ON, pauseOnBattery: true };
    const editor = await Sidekick.start(load, settings, { pluggedIn: () => Promise.resolve(isPluggedIn) });
    const isIn = (state: string) =>
      editor.client.until(() => editor.client.status?.nextEdit?.state === state);
    await editor.open(BEFORE);
    await editor.write(NOW);
    assert.deepEqual(await editor.update(), []);
    await isIn('paused');
    assert.match(editor.client.status?.nextEdit?.message ?? '', /paused while this computer runs on battery/);
    assert.equal(sweep.decodes.length, 0);
    assert.equal((await editor.update({ context: { triggerKind: 1 } })).length, 1);
    isPluggedIn = true;
    assert.equal((await editor.update({ context: null })).length, 1);
    await isIn('ready');
    isPluggedIn = false;
    assert.deepEqual(await editor.update(), []);
    await isIn('paused');
    await editor.client.settings({ debounceMs: 0, load: 'firstUse', ...ON });
    await isIn('ready');
    assert.equal((await editor.update()).length, 1);
  });

  it('report a status only if it has changed', async () => {
    const editor = await Sidekick.start(models().load, ON);
    await editor.open(BEFORE);
    await editor.write(NOW);
    await editor.update();
    await editor.client.until(() => editor.client.status?.nextEdit?.state === 'ready');
    await editor.client.quiet();
    const before = editor.client.statuses.length;
    await editor.write(`${NOW}// x\n`);
    await editor.update();
    await editor.client.quiet();
    assert.equal(editor.client.statuses.length, before);
  });

  it('report that their model loads', async () => {
    const { load } = models();
    let finish = (): void => undefined;
    const loaded = new Promise<void>((resolve) => (finish = resolve));
    const editor = await Sidekick.start(async (...args) => {
      await loaded;
      return await load(...args);
    }, ON);
    await editor.open(BEFORE);
    await editor.write(NOW);
    const edits = editor.update();
    await editor.client.until(() => editor.client.status?.nextEdit?.state === 'loading');
    assert.equal(editor.client.status?.nextEdit?.model, SWEEP);
    finish();
    assert.equal((await edits).length, 1);
  });

  for (const [prefetch, isPluggedIn, isRemote, count, pauseOnBattery = false] of [
    ['always', false, false, 2],
    ['always', true, true, 1],
    ['always', true, false, 2, true],
    ['always', false, false, 1, true],
    ['pluggedIn', true, false, 2],
    ['pluggedIn', false, false, 1],
    ['never', true, false, 1],
  ] as const)
    it(`are ${count === 1 ? 'not ' : ''}prefetched after a visible one with prefetch ${prefetch}, ${isPluggedIn ? 'plugged in' : 'on a battery'}${pauseOnBattery ? ' that pauses requests' : ''}, from a ${isRemote ? 'remote' : 'local'} engine`, async () => {
      const { load, sweep } = models();
      if (isRemote) Object.assign(sweep, { remote: { host: 'there:9' } });
      const pluggedIn = () => Promise.resolve(isPluggedIn);
      const editor = await Sidekick.start(load, { ...ON, prefetch, pauseOnBattery }, { pluggedIn });
      await editor.open(BEFORE);
      await editor.write(NOW);
      const [edit] = await editor.update({ context: { triggerKind: 1 } });
      assert.ok(edit);
      await editor.client.connection.sendNotification(NextEditMethod.didShow, { item: edit });
      await editor.client.quiet();
      assert.equal(sweep.decodes.length, count);
    });

  it('wait for ghost text', async () => {
    const { load, sweep, completer } = models();
    const editor = await Sidekick.start(load, ON);
    await editor.open(BEFORE);
    await editor.write(NOW);
    const ghost = editor.client.complete({ uri: URI, position: { line: 0, character: 14 }, offset: 14 });
    const edits = editor.update();
    await ghost;
    assert.equal(completer.decodes.length, 1);
    assert.equal(sweep.decodes.length, 0);
    assert.equal((await edits).length, 1);
  });

  it('come from a remote engine, which gets the prompt as text and the end of edits as stop strings', async () => {
    const remote = await OpenAiServer.start();
    remote.models = { object: 'list', data: [{ id: SWEEP }] };
    remote.respond = (response, request) =>
      streaming([String(request.body['prompt']).includes('<|file_sep|>updated/') ? `\n${AFTER}` : 'x'])(
        response,
        request,
      );
    const pool = createModelPool();
    const editor = await Sidekick.start(pool, {
      nextEdit: 'hint',
      remote: { ...NO_REMOTE, url: remote.url },
    });
    await editor.open(BEFORE);
    await editor.write(NOW);
    await editor.apply(await editor.update());
    assert.equal(editor.text, AFTER);
    assert.deepEqual(editor.client.status?.nextEdit, { state: 'ready', model: SWEEP });
    const bodies = remote.requests.map(({ body }) => body);
    const { prompt, stop } =
      bodies.find((body) => String(body['prompt']).includes('current/')) ?? assert.fail();
    assert.ok(String(prompt).endsWith(`current/sum.ts\n${NOW}<|file_sep|>updated/sum.ts`));
    assert.deepEqual(stop, SPECIAL);
    await editor.write(`${AFTER}// <|file_sep|>\n`);
    const count = bodies.length;
    assert.deepEqual(await editor.update(), [], 'a file with a control token gets no request');
    assert.equal(remote.requests.length, count);
    await remote.stop();
  });

  it('follow no edit from before they were turned off', async () => {
    const { load, sweep } = models();
    const editor = await Sidekick.start(load, ON);
    await editor.open(BEFORE);
    await editor.write(NOW);
    for (const nextEdit of ['off', 'inline'])
      await editor.client.settings({ debounceMs: 0, load: 'firstUse', ...ON, nextEdit });
    assert.deepEqual(await editor.update(), []);
    assert.equal(sweep.decodes.length, 0);
    await editor.write(BEFORE);
    assert.equal((await editor.update()).length, 1, 'an edit since then has a next edit');
  });

  it('keep no lines of documents in memory while they are off', async () => {
    const lines = Array.from({ length: LINES }, (_, i) => `  total += values[${i}];\n`).join('');
    // Both stay connected, as the end of the first would free its documents during the second measurement.
    const clients: EditorClient[] = [];
    async function growth(nextEdit: 'off' | 'inline'): Promise<number> {
      const { client } = await Sidekick.start(models().load, { nextEdit, nextEditModel: SWEEP });
      clients.push(client);
      const before = heapBytes();
      for (let i = 0; i < DOCUMENTS; i += 1) {
        const place = await client.open(`file${i}.ts`, `// ${i}\n${lines}`);
        await client.change(place.uri, 2, [{ text: `// ${i} changed\n${lines}` }]);
      }
      await client.settings({ debounceMs: 0, load: 'firstUse', nextEdit, nextEditModel: SWEEP });
      await client.quiet();
      return heapBytes() - before;
    }
    const [off, on] = [await growth('off'), await growth('inline')];
    for (const { connection } of clients) connection.end();
    // A string of one line takes at least 20 bytes.
    const minBytes = DOCUMENTS * LINES * 20;
    assert.ok(on - off > minBytes, `${off} bytes while off, ${on} while on`);
  });
});
