// Downloads over Xet, from a hub and a store of its own host.
import assert from 'node:assert/strict';
import { HubServer } from '../support/hub/hubServer';
import {
  assertWhole,
  connectionTo,
  MODEL,
  madeUpModel,
  pull,
  SHARDS,
  TOKEN,
} from '../support/hub/madeUpModel';
import { XET_TOKEN, XetServer } from '../support/hub/xetServer';
import { temporaryFolder } from '../support/temporaryFolder';

const model = madeUpModel();

describe('download over Xet', () => {
  let server: HubServer;
  let xet: XetServer;
  let cache: string;
  beforeEach(async () => {
    xet = await XetServer.start();
    server = await HubServer.start({ [MODEL]: model });
    server.xet = xet;
    cache = temporaryFolder();
  });

  it('gets large files from the store, which never gets the token of the hub', async () => {
    await pull(connectionTo(server, { token: TOKEN }), cache);
    assertWhole(cache, model);
    assert.ok(server.asked.every(({ authorization }) => authorization === `Bearer ${TOKEN}`));
    const shards = server.asked.filter(({ path }) => SHARDS.some((shard) => path.endsWith(shard)));
    assert.ok(shards.every(({ range }) => range === 'bytes=0-0'));
    const authorized = xet.server.asked.filter(({ path }) => path.includes('/reconstructions/'));
    assert.ok(authorized.length === 3, String(authorized.length));
    assert.ok(authorized.every(({ authorization }) => authorization === `Bearer ${XET_TOKEN}`));
    const signed = xet.server.asked.filter(({ path }) => path.includes('/xorbs/'));
    assert.ok(signed.length > 3);
    assert.ok(signed.every(({ authorization }) => authorization === undefined));
  });
});
