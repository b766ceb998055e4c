// Tests a cursor that rests without typing: its prompt is prefilled while the engine is idle, and later prompts can
// quote the text around it, until its file is deleted or hidden.
import assert from 'node:assert/strict';
import type { RegistrationParams } from 'vscode-languageserver/node';
import { Method } from '../../server/protocol/messages';
import type { EditorClient, Place } from './editorClient';
import { loading, LONG, ScriptedEngine, type Answer } from './scriptedEngine';
import { scripted, serverInMemory, type Scripted } from './serverInMemory';

async function session(
  settings: object = {},
  answers: readonly Answer[] = [['x;\n']],
  pluggedIn = true,
): Promise<Scripted> {
  const atOnce = { settle: () => Promise.resolve(), pluggedIn: () => Promise.resolve(pluggedIn) };
  return await scripted(answers, { ...atOnce, stepMs: 2, settings: { prefetch: 'pluggedIn', ...settings } });
}

async function restedAt(marked: string, { client }: Scripted, name = 'a.ts'): Promise<Place> {
  const place = await client.open(name, marked);
  await client.rest(place);
  await client.quiet();
  return place;
}

describe('a resting cursor', () => {
  it('has its prompt prefilled, with one token decoded', async () => {
    const opened = await session();
    const { client, engine } = opened;
    const before = client.statuses.length;
    await restedAt('f(║);\n', opened);
    assert.equal(engine.decodes.length, 1, 'a prefill begins within the time that the tests below wait');
    await client.until(() => client.rows.length === 1);
    const [{ prompt = '', options } = {}] = engine.decodes;
    assert.match(prompt, /\{<\|fim_prefix\|>\}f\(\{<\|fim_suffix\|>\}\);\n\{<\|fim_middle\|>\}$/);
    assert.deepEqual([options?.kind, options?.maxTokens, client.rows[0]?.kind], ['prefetch', 1, 'prefetch']);
    assert.equal(client.statuses.length, before, 'a prefill does not change the status');
  });

  it('is moved to the start of the character that it is in', async () => {
    const opened = await session();
    const place = await opened.client.open('a.ts', 'f(║😀);\n');
    await opened.client.rest({ ...place, position: { line: 0, character: 3 } });
    await opened.client.until(() => opened.engine.decodes.length === 1);
    assert.match(opened.engine.decodes[0]?.prompt ?? '', /f\(\{<\|fim_suffix\|>\}😀/);
  });

  const excluded: readonly (readonly [why: string, settings: object, pluggedIn?: boolean, name?: string])[] =
    [
      ['on a battery', {}, false],
      ['if the setting forbids it', { prefetch: 'never' }],
      ['on a battery that pauses suggestions', { prefetch: 'always', pauseOnBattery: true }, false],
      ['where suggestions are off', { enable: { '*': true, typescript: false } }],
      ['in a file with secrets', {}, true, '.env'],
    ];
  for (const [why, settings, pluggedIn, name] of excluded)
    it(`prefills no prompt ${why}`, async () => {
      const opened = await session(settings, [['x;\n']], pluggedIn);
      await restedAt('f(║);\n', opened, name);
      assert.equal(opened.engine.decodes.length, 0);
    });

  it('loads no model', async () => {
    const engine = new ScriptedEngine();
    let loads = 0;
    const client = serverInMemory((...loadArguments) => {
      loads += 1;
      return loading(engine)(...loadArguments);
    });
    await client.initialize({ load: 'firstUse', prefetch: 'always' });
    await restedAt('f(║);\n', { client, engine });
    assert.equal(loads, 0);
  });

  for (const [what, interrupt] of [
    ['a key', (client: EditorClient, place: Place) => client.type(place, 'a', 2)],
    ['another request', (client: EditorClient, place: Place) => client.complete(place, { invoked: true })],
    ['its document was closed', (client: EditorClient, { uri }: Place) => client.close(uri)],
  ] as const)
    it(`stops its prefill after ${what}`, async () => {
      // The first token never arrives.
      const opened = await session({}, [Array<string>(20_000).fill(''), ['x;\n']]);
      const { client, engine } = opened;
      const place = await client.open('a.ts', 'f(║);\n');
      await client.rest(place);
      await client.until(() => engine.running === 1);
      await interrupt(client, place);
      await client.until(() => engine.decodes[0]?.ended === 'superseded');
    });

  it('prefills no prompt while another request needs the model', async () => {
    const { client, engine } = await session({}, [LONG]);
    const { uri } = await client.open('b.ts', 'run();\n');
    void client.generate({ uri, instruction: 'more', start: 7, end: 7 }).catch(() => undefined);
    await client.until(() => engine.running === 1);
    await restedAt('f(║);\n', { client, engine });
    assert.equal(engine.decodes.length, 1);
    await client.connection.sendRequest('shutdown');
  });

  it('has its prompt prefilled again when the editor reports definitions of imports', async () => {
    const opened = await session();
    const { client, engine } = opened;
    const place = await restedAt('f(║);\n', opened);
    await client.until(() => client.rows.length === 1);
    const text = 'export function f(first: number) {\n  return 1;\n}\n';
    await client.define({ uri: place.uri, definitions: [{ uri: 'file:///project/f.ts', text }] });
    await client.until(() => client.rows.length === 2);
    assert.match(engine.decodes[1]?.prompt ?? '', /export function f\(first: number\)/);
  });
});

describe('a cursor that has rested', () => {
  it('has no prompt prefilled for new definitions once the user types', async () => {
    const opened = await session();
    const { client, engine } = opened;
    const place = await restedAt('f(║);\n', opened);
    await client.until(() => client.rows.length === 1);
    await client.type(place, 'a', 2);
    const text = 'export function f(first: number) {\n  return 1;\n}\n';
    await client.define({ uri: place.uri, definitions: [{ uri: 'file:///project/f.ts', text }] });
    await client.quiet();
    assert.equal(engine.decodes.length, 1);
  });

  it('has no prompt prefilled for new definitions while the text after a shown suggestion is computed', async () => {
    const opened = await session({}, [['x'], ['a);\n'], LONG]);
    const { client, engine } = opened;
    const place = await restedAt('f(║\n', opened);
    await client.until(() => client.rows.length === 1);
    assert.equal(await client.text(place), 'a);');
    await client.until(() => engine.decodes.length === 3);
    const text = 'export function f(first: number) {\n  return 1;\n}\n';
    await client.define({ uri: place.uri, definitions: [{ uri: 'file:///project/f.ts', text }] });
    await client.quiet();
    assert.deepEqual([engine.decodes.length, engine.decodes[2]?.ended], [3, undefined]);
    await client.close(place.uri);
    await client.until(() => engine.running === 0);
  });
});

describe('earlier cursor positions', () => {
  const CART = 'export class ShoppingCart {\n  addItem(║item: CartItem) {}\n}\n';
  const USE = 'const cart = new ShoppingCart();\ncart.addItem(item);\ncart.addItem(║);\n';

  async function promptAfter(then: (client: EditorClient, place: Place) => Promise<void>, settings = {}) {
    const opened = await session({ prefetch: 'never', ...settings });
    const { client, engine } = opened;
    const place = await restedAt(CART, opened, 'cart.ts');
    await then(client, place);
    await client.complete(await client.open('use.ts', USE));
    return engine.decodes.at(-1)?.prompt ?? '';
  }

  const close = (client: EditorClient, { uri }: Place): Promise<void> => client.close(uri);

  it('are quoted after their file was closed', async () => {
    assert.match(await promptAfter(close), /cart\.ts\nexport class ShoppingCart/);
  });

  it('are not quoted when the settings exclude other files from prompts', async () => {
    assert.doesNotMatch(await promptAfter(close, { useOpenFiles: false }), /class ShoppingCart/);
  });

  it('are forgotten when their file, or a folder above it, is deleted', async () => {
    for (const isFolder of [false, true])
      for (const method of ['workspace/didDeleteFiles', 'workspace/didChangeWatchedFiles'])
        for (const isOpen of [false, true]) {
          const remove = async (client: EditorClient, place: Place): Promise<void> => {
            const uri = isFolder ? place.uri.slice(0, place.uri.lastIndexOf('/')) : place.uri;
            if (!isOpen) await close(client, place);
            await client.connection.sendNotification(method, {
              files: [{ uri }],
              changes: [{ uri, type: 3 }],
            });
            if (isOpen) await close(client, place);
          };
          assert.doesNotMatch(
            await promptAfter(remove),
            /class ShoppingCart/,
            JSON.stringify({ isFolder, method, isOpen }),
          );
        }
  });

  it('are kept when their file is created or changed', async () => {
    const change = async (client: EditorClient, { uri }: Place): Promise<void> => {
      await client.close(uri);
      const changes = [1, 2].map((type) => ({ uri, type }));
      await client.connection.sendNotification('workspace/didChangeWatchedFiles', { changes });
    };
    assert.match(await promptAfter(change), /class ShoppingCart/);
  });

  it('are forgotten when the editor has hidden files, or when their file gets a private key', async () => {
    const hide = async (client: EditorClient, place: Place): Promise<void> => {
      await close(client, place);
      await client.connection.sendNotification(Method.forgetClosed);
    };
    assert.doesNotMatch(await promptAfter(hide), /class ShoppingCart/);
    const secret = async (client: EditorClient, { uri }: Place): Promise<void> => {
      await client.change(uri, 2, [{ text: '-----BEGIN RSA PRIVATE KEY-----\n' }]);
      await client.close(uri);
    };
    assert.doesNotMatch(await promptAfter(secret), /class ShoppingCart/);
  });
});

describe('reports of files that other programs delete', () => {
  it('are requested from each client that can report them', async () => {
    for (const dynamicRegistration of [true, false]) {
      const client = serverInMemory(loading(new ScriptedEngine()));
      const requested: unknown[] = [];
      client.connection.onRequest('client/registerCapability', ({ registrations }: RegistrationParams) => {
        requested.push(
          ...registrations.map(({ method, registerOptions }): unknown[] => [method, registerOptions]),
        );
        return null;
      });
      const workspace = { didChangeWatchedFiles: { dynamicRegistration } };
      await client.initialize({ debounceMs: 0 }, null, { workspace });
      await client.until(() => client.status?.state === 'ready');
      await client.quiet();
      const watchers = [{ globPattern: '**/*', kind: 4 }];
      const expected = dynamicRegistration ? [['workspace/didChangeWatchedFiles', { watchers }]] : [];
      assert.deepEqual(requested, expected);
    }
  });
});
