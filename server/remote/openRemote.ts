// Opens a remote engine: connects to the server at an address, or starts a llama-server on this machine.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { fromHome } from '../machine/folders';
import { isProgram } from '../rules/remoteAddress';
import { UserError } from '../rules/userError';
import { llamaArguments } from './llamaArguments';
import { LlamaServer, type StartObserver } from './llamaServer';
import { RemoteEngine, type RemoteChoice } from './remoteEngine';

/** Logs nothing and never cancels the start, as on the command line. */
const SILENT: StartObserver = { log: () => undefined, isHeld: true };

/**
 * Opens the engine that a choice names. Throws RemoteError if the server cannot be used, UserError if the settings or
 * the program are wrong, and Error if no client waits any more.
 */
export async function openRemote(choice: RemoteChoice, observer = SILENT): Promise<RemoteEngine> {
  return isProgram(choice.url) ? await startedEngine(choice, observer) : await RemoteEngine.load(choice);
}

/** Starts a llama-server on a free local port with a random key, and opens its engine, with which it ends. */
async function startedEngine(given: RemoteChoice, observer: StartObserver): Promise<RemoteEngine> {
  const choice = { ...given, url: fromHome(given.url) };
  const args = await llamaArguments(choice);
  const port = await freePort();
  const key = randomBytes(24).toString('hex');
  const server = new LlamaServer(choice.url, [...args, '--port', String(port)], key, observer);
  const local = { ...choice, url: `http://127.0.0.1:${String(port)}`, model: '', key };
  try {
    await server.loaded(`${local.url}/health`);
    const engine = await RemoteEngine.load(local, undefined, server);
    await engine.requireAnswer();
    if (engine.hasOmittedSuffix)
      throw new UserError(
        `llama-server cannot fill in the middle with ${choice.model}. ` +
          'Choose a model that was trained for that, or name its tokenizer.',
      );
    return engine;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Finds a free port of this machine. If another program takes it first, llama-server ends with an error. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
