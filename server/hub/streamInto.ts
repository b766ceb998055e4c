// One connection's worth of a blob: asks for what is missing and appends what comes.
import type { HubConnection } from './connection';
import { failureOfAnswer, failureOfNetwork } from './failure';
import type { PartialBlob } from './partialBlob';
import type { Failure } from './patience';
import { send } from './send';
import { Stall } from './stall';

export interface StreamOptions {
  readonly connection: HubConnection;
  readonly url: string;
  readonly signal: AbortSignal;
  readonly onBytes: (bytes: number) => void;
}

/** What the hub gives beyond the size that it has listed is no passing failure. */
const TOO_MUCH: Failure = { status: 200, got: 'more bytes than it lists' };

/** Gives back why it ended early, or undefined. Rejects when the disk fails. */
export async function streamInto(blob: PartialBlob, options: StreamOptions): Promise<Failure | undefined> {
  const stall = new Stall(options.connection.stallMs, options.signal);
  let reader: Reader | Failure | undefined;
  try {
    reader = await openReader(blob, options, stall);
    if (!('read' in reader)) return reader;
    for (;;) {
      const chunk = await nextChunk(reader, stall);
      if (chunk === undefined) break;
      if (!(chunk instanceof Uint8Array)) return chunk;
      stall.renew();
      if (!(await blob.append(chunk))) {
        await blob.restart();
        return TOO_MUCH;
      }
      options.onBytes(blob.position);
    }
    const missing = blob.file.size - blob.position;
    return missing > 0 ? failureOfNetwork(new Error('an early end')) : undefined;
  } finally {
    stall.end();
    // Also when the disk fails: nobody reads on.
    if (reader !== undefined && 'read' in reader) void reader.cancel().catch(() => undefined);
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

async function openReader(
  blob: PartialBlob,
  { connection, url }: StreamOptions,
  stall: Stall,
): Promise<Reader | Failure> {
  const from = blob.position;
  const headers: Record<string, string> = from > 0 ? { range: `bytes=${String(from)}-` } : {};
  const answer = await stall
    .of(send(connection, { url, headers, signal: stall.signal }))
    .catch(failureOfNetwork);
  if (!('response' in answer)) return answer;
  const { response } = answer;
  const fits = response.status === 206 ? startOf(response) === from : response.ok || response.status === 416;
  if (!fits || response.body === null) {
    void response.body?.cancel().catch(() => undefined);
    return response.ok ? failureOfNetwork(new Error('another part than asked for')) : failureOfAnswer(answer);
  }
  // A host that cannot begin in the middle.
  if (response.status !== 206 && from > 0) await blob.restart();
  if (response.ok) return response.body.getReader() as Reader;
  void response.body.cancel().catch(() => undefined);
  return failureOfNetwork(new Error('no such part'));
}

/** Undefined at the end. Only what the network does is caught here. */
async function nextChunk(reader: Reader, stall: Stall): Promise<Uint8Array | Failure | undefined> {
  try {
    const { done, value } = await stall.of(reader.read());
    return done ? undefined : value;
  } catch (error) {
    return failureOfNetwork(error);
  }
}

function startOf({ headers }: Response): number {
  return Number(/^bytes (\d+)-/.exec(headers.get('content-range') ?? '')?.[1] ?? NaN);
}
