// Records decodes of an engine in a file with one JSON object per line, so that the processing of their text can be
// measured again in seconds.
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { DecodedPiece, DecodeLimits, Decoder } from '../../server/completion/decoder';
import type { FinishReason } from '../../server/engine/request/stats';

interface Recorded {
  readonly pieces: readonly DecodedPiece[];
  readonly reason: FinishReason | undefined;
}

export class RecordedDecodes {
  readonly #stored = new Map<string, Recorded>();

  /** Reads the decodes in `file`; new ones are appended to it. */
  constructor(private readonly file: string) {
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
    for (const line of lines) {
      if (line === '') continue;
      const { key, ...recorded } = JSON.parse(line) as Recorded & { key: string };
      this.#stored.set(key, recorded);
    }
  }

  /**
   * Returns a proxy of `decoder` that takes a decode from the file if one has the same prompt and token limit, and
   * records it otherwise.
   */
  of<D extends Decoder>(decoder: D): D {
    const decode = (ids: readonly number[], limits: DecodeLimits) => this.#decode(decoder, ids, limits);
    return new Proxy(decoder, {
      get: (target, name) => (name === 'decode' ? decode : Reflect.get(target, name, target)),
    });
  }

  async *#decode(
    decoder: Decoder,
    ids: readonly number[],
    { onEnd, ...limits }: DecodeLimits,
  ): AsyncGenerator<DecodedPiece, void, undefined> {
    const key = createHash('sha1')
      .update(JSON.stringify([ids, limits.maxTokens]))
      .digest('base64');
    const { pieces, reason } = this.#stored.get(key) ?? (await this.#record(key, decoder, ids, limits));
    yield* pieces;
    if (reason !== undefined) onEnd?.(reason);
  }

  async #record(
    key: string,
    decoder: Decoder,
    ids: readonly number[],
    limits: DecodeLimits,
  ): Promise<Recorded> {
    const pieces: DecodedPiece[] = [];
    let reason: FinishReason | undefined;
    const onEnd = (ended: FinishReason): void => void (reason = ended);
    for await (const piece of decoder.decode(ids, { ...limits, onEnd })) pieces.push(piece);
    const recorded = { pieces, reason };
    this.#stored.set(key, recorded);
    if (!limits.signal.aborted) appendFileSync(this.file, `${JSON.stringify({ key, ...recorded })}\n`);
    return recorded;
  }
}
