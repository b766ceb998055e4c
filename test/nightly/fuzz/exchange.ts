// Sends bytes to a server in pieces, and returns all of its answer until the connection is closed.
import type { Socket } from 'node:net';

export function cutAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...[...cuts].sort((a, b) => a - b), bytes.length];
  return places.slice(1).map((to, i) => bytes.subarray(places[i], to));
}

/** Ends the sending side `turns` turns of the event loop after the last piece. */
export async function exchanged(socket: Socket, pieces: readonly Buffer[], turns = 0): Promise<Buffer> {
  const answered: Buffer[] = [];
  socket.on('data', (data) => void answered.push(data));
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  for (const piece of pieces) {
    await new Promise((resolve) => socket.write(piece, resolve));
    await new Promise(setImmediate);
  }
  for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
  socket.end();
  await closed;
  return Buffer.concat(answered);
}
