// Tests the cost of a key in a file that was visited before, with the embedded pair and all quoted context: the number
// of prompt tokens that are not cached. test/host/suite/cursorRest.test.ts tests a file that is opened.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Place } from './editorClient';
import { loadEmbedded, serverInMemory } from './serverInMemory';

/** Maximum tokens to read after a key: more than a key changes, and fewer than any quoted piece has. */
const MAX_READ_TOKENS = 24;
// Keys with which no suggestion begins.
const KEYS = 'qux(7, zy';

/** Returns an example with the cursor on a new line in its middle. */
function marked(name: string): string {
  const text = readFileSync(`media/examples/${name}`, 'utf8').slice(0, 2000);
  const middle = text.indexOf('\n', text.length / 2) + 1;
  return `${text.slice(0, middle)}  ║\n${text.slice(middle)}`;
}

describe('a key in a file that was visited before', () => {
  it('reuses the prompt that was prefilled', async () => {
    const client = serverInMemory(loadEmbedded, { settle: () => Promise.resolve() });
    await client.start({ maxSuggestionTokens: 4, draftLength: 'full', prefetch: 'always' });
    const rest = async (place: Place): Promise<void> => {
      const before = client.rows.length;
      await client.rest(place);
      await client.until(() =>
        client.rows.slice(before).some(({ kind, file }) => kind === 'prefetch' && place.uri.endsWith(file)),
      );
    };
    let place = await client.open('one.ts', marked('shoppingCart.ts'));
    const pythonPlace = await client.open('other.py', marked('matrix.py'), 'python');
    await rest(place);
    const definition = { uri: 'file:///project/item.ts', text: 'export class Item {\n  price() {}\n}\n' };
    await client.define({ uri: place.uri, definitions: [definition] });
    await rest(pythonPlace);
    await client.complete(await client.type(pythonPlace, 'x', 2));
    await rest(place);
    const before = client.rows.length;
    for (const [i, key] of [...KEYS].entries())
      await client.complete((place = await client.type(place, key, i + 2)));
    const costs = client.rows
      .slice(before)
      .filter(({ kind }) => kind === 'inline')
      .map(({ stats }) => stats.promptTokens - stats.reusedTokens);
    assert.ok(costs.length > 3 && costs.every((cost) => cost <= MAX_READ_TOKENS), costs.join());
    assert.ok(client.rows.every(({ stats }) => stats.promptTokens > 8 * MAX_READ_TOKENS));
    await client.connection.sendRequest('shutdown');
  });
});
