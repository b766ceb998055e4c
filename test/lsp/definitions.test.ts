// Tests which definitions of a document's imports, sent by the editor, are quoted in prompts.
import assert from 'node:assert/strict';
import { scripted } from './serverInMemory';

const OVEN = { uri: 'file:///w/oven.ts', text: 'export class Oven {\n  preheat(celsius) {\n  }\n}\n' };

async function promptWith(sent: unknown, settings: object = {}): Promise<string> {
  const { client, engine } = await scripted(undefined, { settings });
  const place = await client.open('w/baker.ts', "import { Oven } from './oven';\nnew Oven().║\n");
  if (sent !== undefined) await client.define({ uri: place.uri, definitions: sent as never });
  await client.complete(place);
  return engine.decodes.at(-1)?.prompt ?? '';
}

describe('definitions of imported names', () => {
  it('are quoted as their importers see them, without bodies', async () => {
    const prompt = await promptWith([OVEN]);
    assert.ok(prompt.includes('oven.ts\nexport class Oven {\n  preheat(celsius)\n'), prompt);
    assert.ok(!(await promptWith(undefined)).includes('preheat'));
  });

  it('are not quoted when the settings exclude other files from prompts', async () => {
    assert.ok(!(await promptWith([OVEN], { useOpenFiles: false })).includes('preheat'));
  });

  it('are never quoted from a file with secrets, even if the editor sends it', async () => {
    for (const uri of ['file:///w/.env', 'file:///w/keys/id_rsa', 'file:///w/%2Eenv'])
      assert.ok(!(await promptWith([{ ...OVEN, uri }])).includes('preheat'), uri);
  });

  it('are never quoted from a text with a key, the middle of a key or binary data', async () => {
    const line = 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3hJ5kL7nP9rR1tT3vV5xX7zZ9bB1dD3f';
    for (const text of [
      '-----BEGIN PRIVATE KEY-----\n',
      'AGE-SECRET-KEY-1QQPQZRFR7ZZ2WCFWCWZGWHXFQGQJ0KYQ5W\n',
      `${line}\n`.repeat(3),
      '\0',
    ])
      assert.ok(!(await promptWith([{ ...OVEN, text: `${OVEN.text}${text}` }])).includes('preheat'), text);
  });

  for (const wrong of [null, 7, [{}], [{ uri: 1, text: 'a' }], [{ uri: 'file:///a' }], { length: 1e9 }])
    it(`are ignored when they are malformed: ${JSON.stringify(wrong)}`, async () => {
      assert.ok((await promptWith(wrong)).includes('new Oven().'));
    });

  it('are ignored for a document that is not open', async () => {
    const { client, engine } = await scripted();
    const uri = 'file:///project/w/baker.ts';
    await client.define({ uri, definitions: [OVEN] });
    const place = await client.open(uri, "import { Oven } from './oven';\nnew Oven().║\n");
    await client.complete(place);
    const { prompt = '' } = engine.decodes.at(-1) ?? {};
    assert.ok(prompt.includes('new Oven().') && !prompt.includes('preheat'), prompt);
  });
});
