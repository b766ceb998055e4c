// The server in this process on the embedded pair, with an engine that remembers all decodes, so that each can be
// compared with what the target alone gives. Nothing runs on a battery here.
import assert from 'node:assert/strict';
import type { Losslessness } from '../../bench/replay/lossless';
import { RecordedEngine } from '../../bench/replay/recordedEngine';
import { servedHere } from '../../bench/replay/servedHere';
import { verifyDecodes } from '../../bench/replay/verifyDecodes';
import type { Settle } from '../../server/completion/session/suggest';
import { Engine } from '../../server/engine/engine';
import { ModelPool } from '../../server/hosting/modelPool';
import { EMBEDDED_PAIR } from '../support/embeddedPair';

export class RecordedServer {
  readonly #recorded: RecordedEngine;
  readonly reader;
  readonly writer;

  private constructor(
    readonly engine: Engine,
    settle: Settle,
  ) {
    const recorded = (this.#recorded = new RecordedEngine(engine));
    const named = { engine: recorded, target: 'embedded', drafter: 'embedded', remember: () => undefined };
    const { reader, writer } = servedHere({
      pool: new ModelPool({ load: () => Promise.resolve(named) }),
      settle,
      pluggedIn: () => Promise.resolve(true),
    });
    this.reader = reader;
    this.writer = writer;
  }

  static async start(settle: Settle): Promise<RecordedServer> {
    return new RecordedServer(await Engine.load(EMBEDDED_PAIR), settle);
  }

  /** Decodes with output so far. */
  get decodes(): number {
    return this.#recorded.runs.filter(({ tokenIds }) => tokenIds.length > 0).length;
  }

  /** Checks all decodes. Differences where two logits are nearly equal are counted, and told of. */
  async verify(): Promise<Losslessness> {
    const { signal } = new AbortController();
    const { decodes } = this;
    const found = await verifyDecodes(this.#recorded.runs, this.engine, signal);
    assert.equal(found.requests, decodes);
    if (found.nearTies > 0)
      console.log(`${String(found.tiedTokens)} of ${String(found.tokens)} tokens differ in a near tie.`);
    return found;
  }
}
