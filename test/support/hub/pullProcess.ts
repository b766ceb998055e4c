// The program of a separate process that downloads the made-up model from the hub at an address into a cache. It takes
// proxies and certificates from its environment.
import { Hub } from '../../../server/hub/hub';
import { pull } from './madeUpModel';

export async function pullProcess([endpoint, cache = '']: readonly string[]): Promise<void> {
  const directories = await pull(new Hub({ endpoint }), cache);
  process.exitCode = directories.length === 1 ? 0 : 1;
}

void pullProcess(process.argv.slice(2));
