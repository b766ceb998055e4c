// The process of one peer: its setup is the first argument, requests and answers are messages.
// Says "ready" once it is loaded, and ends with the process that started it.
import { peakResidentBytes } from '../../server/models/mlx/peakResidentBytes';
import { flashlineDecode } from './flashlineDecode';
import { llamaDecode } from './llamaDecode';
import type { PeerAnswer, PeerDecode, PeerRequest, PeerSetup } from './peer';

async function main(setup: PeerSetup): Promise<void> {
  const decode = setup.runtime === 'flashline' ? await flashlineDecode(setup) : await llamaDecode(setup);
  process.on('message', (request: PeerRequest) => {
    answer(decode, request).then(send, fail);
  });
  send('ready');
}

/** Timed the same way for all peers, without their clean-up after the last token. */
async function answer(decode: PeerDecode, request: PeerRequest): Promise<PeerAnswer> {
  const tokenIds: number[] = [];
  const startedAt = performance.now();
  let firstAt = startedAt;
  let lastAt = startedAt;
  for await (const tokens of decode(request)) {
    if (tokens.length === 0) continue;
    lastAt = performance.now();
    if (tokenIds.length === 0) firstAt = lastAt;
    tokenIds.push(...tokens);
  }
  return {
    tokenIds,
    firstTokenMs: firstAt - startedAt,
    decodeMs: lastAt - firstAt,
    peakBytes: peakResidentBytes(),
  };
}

function send(message: PeerAnswer | 'ready'): void {
  process.send?.(message);
}

function fail(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(1);
}

process.once('disconnect', () => process.exit());
main(JSON.parse(process.argv[2] ?? '{}') as PeerSetup).catch(fail);
