// A hub on this machine that serves the embedded pair under the names of a listed one, at a speed that a test chooses.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pairById, variantsOf, type PairVariant } from '../../../server/hub/knownPairs';
import { HubServer, sendBytes, type ServedRepository } from './hubServer';

export const SLOW_PAIR: PairVariant = variantsOf(pairById('qwen3-4b') ?? assert.fail())[0] ?? assert.fail();

const STEP_MS = 50;

/** Starts a hub that sends `bytesPerStep` of each weight file every 50 ms. */
export async function slowPair(bytesPerStep: number): Promise<HubServer> {
  const repositories = {
    [SLOW_PAIR.target]: servedFolder('media/model/target'),
    [SLOW_PAIR.drafter]: servedFolder('media/model/drafter'),
  };
  const hub = await HubServer.start(repositories);
  hub.intercept = (request, response) => {
    const [, name = '', file = ''] = /^\/([^/]+\/[^/]+)\/resolve\/[^/]+\/(.+)$/.exec(request.url ?? '') ?? [];
    const bytes = repositories[name]?.files[file];
    if (bytes === undefined || !file.endsWith('.safetensors')) return false;
    sendBytes(request, response, bytes, (to, part) => {
      let sent = 0;
      const timer = setInterval(() => {
        to.write(part.subarray(sent, (sent += bytesPerStep)));
        if (sent < part.length && !to.destroyed) return;
        clearInterval(timer);
        to.end();
      }, STEP_MS);
    });
    return true;
  };
  return hub;
}

/** Returns the files of a folder as a repository. */
export function servedFolder(folder: string): ServedRepository {
  const files = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))] as const);
  return { files: Object.fromEntries(files) };
}
