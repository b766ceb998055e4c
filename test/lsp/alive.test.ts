// flashline/alive is answered while a model computes, and before one is there.
import assert from 'node:assert/strict';
import { Method } from '../../server/protocol';
import { loading, ScriptedEngine } from './scriptedEngine';
import { serverInMemory } from './serverInMemory';

/** A gate that a test opens. */
function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

describe('flashline/alive', () => {
  it('is answered while models load and while they are waited for', async () => {
    const { open, opened } = gate();
    const load = loading(new ScriptedEngine([['x;\n']]));
    const client = serverInMemory(async (...given) => {
      await opened;
      return await load(...given);
    });
    await client.initialize({ debounceMs: 0 });
    const place = await client.open('a.ts', 'const a = ║');
    const suggested = client.text(place);
    assert.equal(await client.connection.sendRequest(Method.alive), null);
    open();
    assert.equal(await suggested, 'x;');
    assert.equal(await client.connection.sendRequest(Method.alive), null);
  });
});
