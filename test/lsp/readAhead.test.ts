// What a first key costs in a file that was opened or come back to, on the embedded pair: tokens of its prompt that have
// to be read. And what each further key costs, with all that prompts quote.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Engine } from '../../server/engine/engine';
import type { LoadModel } from '../../server/hosting/loadedModel';
import type { LocalRow } from '../../server/protocol/messages';
import { EMBEDDED_PAIR } from '../support/embeddedPair';
import type { EditorClient, Place } from './editorClient';
import { serverInMemory } from './serverInMemory';

const SETTINGS = { maxSuggestionTokens: 4, draftLength: 'full', prefetch: 'never' } as const;
/** More than a key changes, and less than any piece of context. */
const FEW = 24;
// What no suggestion begins with.
const KEYS = 'qux(7, zy';

let engine: Engine | undefined;
const load: LoadModel = async () => ({
  engine: (engine = await Engine.load(EMBEDDED_PAIR)),
  target: 'embedded',
  drafter: 'embedded',
  remember: () => undefined,
});

/** An example, with the cursor in a new line in its middle. */
function marked(name: string): string {
  const text = readFileSync(`media/examples/${name}`, 'utf8').slice(0, 2000);
  const middle = text.indexOf('\n', text.length / 2) + 1;
  return `${text.slice(0, middle)}  ║\n${text.slice(middle)}`;
}

describe('the first key in a file', () => {
  let client: EditorClient;
  before(async () => {
    client = serverInMemory(load, { settle: () => Promise.resolve() });
    await client.start({ ...SETTINGS, prefetch: 'always' });
  });
  after(() => client.connection.sendRequest('shutdown'));

  /** Tokens that the request after a key has to read; undefined where the answer was known. */
  async function keyCost(
    place: Place,
    key: string,
    version: number,
  ): Promise<readonly [Place, number | undefined]> {
    const next = await client.type(place, key, version);
    const before = client.rows.length;
    await client.complete(next);
    const row = client.rows.slice(before).find(({ kind }) => kind === 'inline');
    return [next, row && row.stats.promptTokens - row.stats.reusedTokens];
  }

  async function rested(place: Place): Promise<void> {
    const before = client.rows.length;
    await client.rest(place);
    const isRead = ({ kind, file }: LocalRow): boolean => kind === 'prefetch' && place.uri.endsWith(file);
    await client.until(() => client.rows.slice(before).some(isRead));
  }

  it('reads the whole prompt where the cursor has not rested, and a few tokens where it has', async () => {
    const cold = await client.open('cold.ts', marked('shoppingCart.ts'));
    const [, read = NaN] = await keyCost(cold, 'c', 2);
    assert.ok(read > 200, String(read));
    assert.ok((engine?.prefillSpeed ?? 0) > 0, 'how fast that was decides how long prompts are');
    await client.close(cold.uri);
    const warm = await client.open('warm.py', marked('matrix.py'), 'python');
    await rested(warm);
    const [, few = NaN] = await keyCost(warm, 'c', 2);
    assert.ok(few <= FEW, String(few));
  });

  it('reads few tokens when one comes back to a file, and at each key after that', async () => {
    const one = await client.open('one.ts', marked('shoppingCart.ts'));
    const other = await client.open('other.py', marked('matrix.py'), 'python');
    await rested(one);
    const definition = { uri: 'file:///project/item.ts', text: 'export class Item {\n  price() {}\n}\n' };
    await client.define({ uri: one.uri, definitions: [definition] });
    await rested(other);
    await keyCost(other, 'x', 2);
    await rested(one);
    let place = one;
    const costs: number[] = [];
    for (const [i, key] of [...KEYS].entries()) {
      const [next, cost] = await keyCost(place, key, i + 2);
      place = next;
      if (cost !== undefined) costs.push(cost);
    }
    assert.ok(costs.length > 3 && costs.every((cost) => cost <= FEW), costs.join());
  });
});
