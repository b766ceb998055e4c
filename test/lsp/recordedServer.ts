// The recorded server on the embedded pair, and what its decodes must be.
import assert from 'node:assert/strict';
import type { Losslessness } from '../../bench/replay/lossless';
import { RecordedServer } from '../../bench/replay/recordedServer';
import type { Settle } from '../../server/completion/session/suggest';
import { Engine } from '../../server/engine/engine';
import { EMBEDDED_PAIR } from '../support/embeddedPair';

export async function recordedServer(settle: Settle): Promise<RecordedServer> {
  return new RecordedServer(await Engine.load(EMBEDDED_PAIR), settle, { drafter: 'embedded' });
}

/** Checks all decodes. Differences where two logits are nearly equal are counted, and told of. */
export async function verified(server: RecordedServer): Promise<Losslessness> {
  const { decodes } = server;
  const found = await server.verify(new AbortController().signal);
  assert.equal(found.requests, decodes);
  if (found.nearTies > 0)
    console.log(`${String(found.tiedTokens)} of ${String(found.tokens)} tokens differ in a near tie.`);
  return found;
}
