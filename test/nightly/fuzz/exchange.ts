// Sends bytes to a server in pieces, and returns all bytes that it answers until it closes the connection.
import type { Socket } from 'node:net';

/** Cuts bytes at offsets, which can be in any order and beyond the end. */
export function cutAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const offsets = [0, ...[...cuts].sort((a, b) => a - b), bytes.length];
  return offsets.slice(1).map((to, i) => bytes.subarray(offsets[i], to));
}

/** Ends the sending side `turns` turns of the event loop after the last piece. */
export async function exchanged(socket: Socket, pieces: readonly Buffer[], turns = 0): Promise<Buffer> {
  const received: Buffer[] = [];
  socket.on('data', (data) => void received.push(data));
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  for (const piece of pieces) {
    await new Promise((resolve) => socket.write(piece, resolve));
    await new Promise(setImmediate);
  }
  for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
  socket.end();
  await closed;
  return Buffer.concat(received);
}
