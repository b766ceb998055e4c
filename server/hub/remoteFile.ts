// Reads one file of a repository at the Hub: over Xet, which stores nearly all weights and sends chunks in parallel, or
// from the Hub itself if Xet does not work.
import { HubFailure } from './hubFailure';
import type { Hub } from './hub';
import { HubExchange } from './hubExchange';
import type { FileDownloadInfoOutput } from './library';
import type { RepositoryFile } from './repositoryCache';
import { Retry } from './retry';

/**
 * Maximum bytes of one file in memory. Fits two of the pieces of up to 64 MB in which Xet stores files, so that one is
 * decoded while the next arrives; a few files are downloaded at the same time.
 */
const IN_FLIGHT_BYTES = 128 * 2 ** 20;
/**
 * Xet can send more bytes than requested: parts of pieces that other files share, and retries. This many are allowed in
 * addition to twice the range.
 */
const SPARE_BYTES = 256 * 2 ** 20;

export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

export class RemoteFile {
  #isOverXet: boolean;

  constructor(
    private readonly hub: Hub,
    private readonly repository: string,
    private readonly commit: string,
    private readonly file: RepositoryFile,
  ) {
    this.#isOverXet = file.isInXet ?? false;
  }

  get isOverXet(): boolean {
    return this.#isOverXet;
  }

  /** Switches to plain HTTP, without Xet, from now on. */
  usePlainHttp(): this {
    this.#isOverXet = false;
    return this;
  }

  /**
   * Yields the bytes of a range in order. Calls `onBytes` with the number of bytes transferred, which is lower if they
   * are compressed, and higher if Xet sends more than requested. Throws HubFailure if the network fails or a host sends
   * something else, UserError for an invalid proxy, and the signal's reason on abort.
   */
  async *chunks(
    range: ByteRange,
    signal: AbortSignal,
    onBytes?: (bytes: number) => void,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    const isOverXet = this.#isOverXet;
    // The consumer detects surplus bytes of a plain transfer itself.
    const fileBytes = isOverXet ? 2 * (range.to - range.from) + SPARE_BYTES : Infinity;
    const exchange = new HubExchange(this.hub, signal, { fileBytes, ...(onBytes && { onBytes }) });
    let hasBytes = false;
    try {
      for await (const chunk of streamed(await this.#open(exchange), range, exchange.signal)) {
        hasBytes = true;
        yield chunk;
      }
    } catch (error) {
      signal.throwIfAborted();
      // Other errors come from the library and concern the form of a response.
      const failure =
        exchange.failure ?? (error instanceof HubFailure ? error : new HubFailure('an unusable answer'));
      throw isOverXet && failure instanceof HubFailure ? this.#leaveXet(failure, hasBytes) : failure;
    } finally {
      exchange.end();
    }
  }

  /** Reads the first bytes, in one plain request. Throws DownloadError for a failure that persists. */
  async firstBytes(count: number, signal: AbortSignal): Promise<Buffer> {
    if (count === 0) return Buffer.alloc(0);
    return await new Retry(this.hub, this.repository, signal).run(async () => {
      const parts: Uint8Array[] = [];
      let bytes = 0;
      for await (const chunk of this.usePlainHttp().chunks({ from: 0, to: count }, signal)) {
        parts.push(chunk);
        bytes += chunk.length;
        if (bytes >= count) break;
      }
      // A host that does not support ranges sends the whole file.
      return Buffer.concat(parts).subarray(0, count);
    });
  }

  /**
   * Switches to plain HTTP, since networks can block the hosts of Xet and mirrors can lack access; stays with Xet if
   * the failure is temporary and Xet has sent bytes. Returns a temporary failure, so that the read is retried.
   */
  #leaveXet(failure: HubFailure, hasBytes: boolean): HubFailure {
    if (hasBytes && failure.isTemporary) return failure;
    this.#isOverXet = false;
    return failure.isTemporary ? failure : new HubFailure(failure.message);
  }

  async #open(exchange: HubExchange): Promise<Blob> {
    const { downloadFile } = await import('./library');
    const { endpoint: hubUrl } = this.hub;
    const { name: path, size } = this.file;
    const blob = await downloadFile({
      repo: this.repository,
      revision: this.commit,
      path,
      hubUrl,
      fetch: exchange.request,
      parallelDownloads: { maxInFlightBytes: IN_FLIGHT_BYTES },
      ...(this.#isOverXet ? { xet: true } : { downloadInfo: this.#plainInfo() }),
    });
    if (blob === null) throw HubFailure.unusable('a listed file that is missing');
    if (blob.size !== size) throw HubFailure.unusable('a size other than listed');
    return blob;
  }

  /** Returns the facts of the listing, so that the library does not request them. */
  #plainInfo(): FileDownloadInfoOutput {
    const { name, size, checksum } = this.file;
    const url = `${this.hub.endpoint}/${this.repository}/resolve/${this.commit}/${name}`;
    return { size, etag: checksum, url };
  }
}

/** Yields a range of a blob as it arrives. */
async function* streamed(
  blob: Blob,
  { from, to }: ByteRange,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = blob.slice(from, to).stream().getReader() as ReadableStreamDefaultReader<Uint8Array>;
  // If no request is open, an abort does not wake the library.
  const cancel = (): void => void reader.cancel().catch(() => undefined);
  signal.addEventListener('abort', cancel);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener('abort', cancel);
    cancel();
  }
}
