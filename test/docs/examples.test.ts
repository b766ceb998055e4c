// Tests that the built-in pair writes the texts that examples and pictures of the walkthrough and the README show.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { PICTURED } from '../editor/pictured';
import type { EditorClient } from '../lsp/editorClient';
import { loadEmbedded, serverInMemory } from '../lsp/serverInMemory';
import { fullSize } from '../support/fullSize';

const EXAMPLES = {
  javascript: 'return this.items.length;',
  python: 'return len(self.items)',
  go: 'return len(s.items)',
  java: 'return items.size();',
  rust: 'self.items.pop()',
} as const;
/** Examples to test: by day only the one that a new user sees first. */
const TRIED = Object.entries(EXAMPLES).filter(([languageId]) => fullSize || languageId === 'javascript');

const read = (name: string): string => readFileSync(`media/walkthrough/${name}`, 'utf8');

describe('an example or picture that promises a suggestion', () => {
  let client: EditorClient;
  beforeEach(async () => {
    client = serverInMemory(loadEmbedded);
    await client.start({ prefetch: 'never' });
  });
  afterEach(() => client.connection.sendRequest('shutdown'));

  for (const [languageId, text] of TRIED)
    it(`is completed by the built-in pair as it promises: the example in ${languageId}`, async () => {
      const example = read(`${languageId}.txt`);
      const cursor = await client.open('untitled:Untitled-1', example, languageId);
      assert.equal(await client.text(cursor, { invoked: true }), text);
      // No other suggestion follows it once it is accepted.
      const accepted = await client.open('untitled:Untitled-2', example.replace('║', `${text}║`), languageId);
      assert.equal(await client.text(accepted), undefined);
    });

  it('is completed by the built-in pair as it promises: the pictures of the walkthrough', async () => {
    const { marked, ghost } = codeInPicture(read('suggest.svg'));
    const cursor = await client.open('untitled:Untitled-1', marked, 'javascript');
    assert.equal(await client.text(cursor), ghost);
    assert.equal(codeInPicture(read('accept.svg')).ghost, ghost);
  });

  if (fullSize)
    it('is completed by the built-in pair as it promises: the picture of the README', async () => {
      for (const { name, languageId, marked, ghost } of PICTURED) {
        const cursor = await client.open(name, marked.replace('‸', '║'), languageId);
        const text = await client.text(cursor, { invoked: true });
        if (ghost !== undefined) assert.equal(text, ghost);
      }
    });
});

/**
 * Returns the code up to the cursor, which a picture shows as a bar, and the ghost text after it. Each of the first six
 * texts is a line of code: 36 is the left margin, and each space of indentation has 10 units. Closes the open brackets.
 */
function codeInPicture(svg: string): { readonly marked: string; readonly ghost: string } {
  const texts = [...svg.matchAll(/<text x="(\d+)"[^>]*>(.*?)<\/text>/g)].slice(0, 6);
  const lines = texts.map(([, x, text = '']) => {
    const [code = '', ghost] = text.replace(/<[^>]*>/g, '').split('|');
    return { code: ' '.repeat((Number(x) - 36) / 10) + code, ghost };
  });
  const last = lines.findIndex(({ ghost }) => ghost !== undefined);
  const before = lines.slice(0, last + 1).map(({ code }) => code);
  return { marked: `${before.join('\n')}║\n  }\n}\n`, ghost: lines[last]?.ghost ?? '' };
}
