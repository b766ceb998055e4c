// What an editor tells of the definitions that a document imports, and which of them prompts quote.
import assert from 'node:assert/strict';
import { scripted } from './serverInMemory';

const OVEN = { uri: 'file:///w/oven.ts', text: 'export class Oven {\n  preheat(celsius) {\n  }\n}\n' };

async function prompted(told: unknown, settings: object = {}): Promise<string> {
  const { client, engine } = await scripted(undefined, { settings });
  const place = await client.open('w/baker.ts', "import { Oven } from './oven';\nnew Oven().║\n");
  if (told !== undefined) await client.define({ uri: place.uri, definitions: told as never });
  await client.complete(place);
  return engine.asked.at(-1)?.prompt ?? '';
}

describe('definitions of imported names', () => {
  it('are quoted as they look from outside', async () => {
    const prompt = await prompted([OVEN]);
    assert.ok(prompt.includes('oven.ts\nexport class Oven {\n  preheat(celsius)\n'), prompt);
    assert.ok(!(await prompted(undefined)).includes('preheat'));
  });

  it('are not quoted where other files must not be', async () => {
    assert.ok(!(await prompted([OVEN], { useOpenFiles: false })).includes('preheat'));
  });

  it('never come from a file with secrets, whatever the editor thinks of it', async () => {
    for (const uri of ['file:///w/.env', 'file:///w/keys/id_rsa', 'file:///w/%2Eenv'])
      assert.ok(!(await prompted([{ ...OVEN, uri }])).includes('preheat'), uri);
  });

  it('never come from a text with a key, or the middle of one, or of bytes', async () => {
    const line = 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3hJ5kL7nP9rR1tT3vV5xX7zZ9bB1dD3f';
    for (const text of [
      '-----BEGIN PRIVATE KEY-----\n',
      'AGE-SECRET-KEY-1QQPQZRFR7ZZ2WCFWCWZGWHXFQGQJ0KYQ5W\n',
      `${line}\n`.repeat(3),
      '\0',
    ])
      assert.ok(!(await prompted([{ ...OVEN, text: `${OVEN.text}${text}` }])).includes('preheat'), text);
  });

  for (const wrong of [null, 7, [{}], [{ uri: 1, text: 'a' }], [{ uri: 'file:///a' }], { length: 1e9 }])
    it(`does without ${JSON.stringify(wrong)}`, async () => {
      assert.ok((await prompted(wrong)).includes('new Oven().'));
    });

  it('are nothing for a document that is not open', async () => {
    const { client } = await scripted();
    await client.define({ uri: 'file:///none.ts', definitions: [OVEN] });
    const place = await client.open('a.ts', 'a(║);\n');
    assert.equal((await client.complete(place))?.length, 1);
  });
});
