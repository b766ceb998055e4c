// The socket of the shared server of a program, so that a test can listen there in its place.
import { once } from 'node:events';
import { statSync, symlinkSync } from 'node:fs';
import type { Server } from 'node:net';
import { basename } from 'node:path';
import { boundSocket, socketFolder, socketName } from '../../server/socket/socketName';
import type { ServerProgram } from '../../src/connection/reachServer';

/** Returns the name under which windows look for the shared server of a program. */
export function sharedName({ module: bundle, version, environment }: ServerProgram): string {
  const folder = socketFolder({ environment, temporaryFolder: '/nowhere', userId: process.getuid?.() });
  const { mtimeMs: writtenAt, size } = statSync(bundle);
  return socketName(folder, { version, bundle, writtenAt, size, node: process.execPath, environment });
}

/** Listens under the name of the shared server; `id` distinguishes the socket. Resolves with the path of the socket. */
export async function listenAs(name: string, id: string, server: Server): Promise<string> {
  const socket = boundSocket(name, id);
  await once(server.listen(socket), 'listening');
  symlinkSync(basename(socket), name);
  return socket;
}
