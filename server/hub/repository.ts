// Requests the facts of a repository from the Hub: its commit, its licence, and its files with sizes and checksums.
import { dirname } from 'node:path/posix';
import * as z from 'zod/mini';
import { TOOL_TEMPLATE } from '../models/checkpoint/modelFiles';
import { UserError } from '../rules/userError';
import { fieldsOf, type Fields } from '../rules/json';
import type { Hub } from './hub';
import { HubExchange } from './hubExchange';
import type { LibraryFetch } from './library';
import { CHECKSUM, type RepositoryFile } from './repositoryCache';
import { Retry } from './retry';

export interface Repository {
  readonly name: string;
  readonly commit: string;
  /** Licence in the model card, such as apache-2.0. */
  readonly license: string | undefined;
  readonly files: readonly RepositoryFile[];
}

const COMMIT = /^[0-9a-f]{40}$/;
const FILE_NAME = /^\w[\w.-]*$/;
const OID = z.string().check(z.regex(CHECKSUM));
const SIZE = z.int().check(z.nonnegative());
/** Entry of a listing, checked because any mirror can send it. */
const LISTED = z.object({
  size: SIZE,
  oid: z.optional(OID),
  lfs: z.optional(z.nullable(z.object({ oid: OID, size: SIZE }))),
  xetHash: z.optional(z.nullable(z.string())),
});
/** Limits of one exchange: a request for the facts of a model, which counts as a file, or a listing in pages. */
const LIMITS = { fileBytes: 64e6, requests: 100 };

class RepositoryReader {
  constructor(
    private readonly hub: Hub,
    private readonly name: string,
    private readonly signal: AbortSignal,
  ) {}

  /** Lists the entries of one folder. */
  async entries(commit: string, path = ''): Promise<Fields[]> {
    const { listFiles } = await import('./library');
    return await this.read(async (request) => {
      const entries: Fields[] = [];
      const repo = this.name;
      const { endpoint: hubUrl } = this.hub;
      const listing: AsyncIterable<unknown> = listFiles({
        repo,
        revision: commit,
        path,
        hubUrl,
        fetch: request,
      });
      for await (const entry of listing) {
        if (typeof entry !== 'object') throw new TypeError('no entry');
        entries.push(fieldsOf(entry));
      }
      return entries;
    });
  }

  /**
   * Returns the file of an entry; undefined for a folder, and for a file that no model can use. Throws UserError for an
   * invalid size or checksum.
   */
  file(entry: Fields): RepositoryFile | undefined {
    const { type, path } = entry;
    if (type !== 'file' || typeof path !== 'string' || !isUsed(path)) return undefined;
    const { data } = LISTED.safeParse(entry);
    const { oid: checksum, size } = data?.lfs ?? data ?? {};
    if (checksum === undefined || size === undefined) throw this.unusable(`no size or checksum for ${path}`);
    const isInXet = typeof data?.xetHash === 'string';
    return { name: path, size, checksum, ...(isInXet && { isInXet }) };
  }

  /** Makes an exchange with the Hub, repeated while it fails temporarily. Throws UserError for an unusable response. */
  async read<T>(send: (request: LibraryFetch) => Promise<T>): Promise<T> {
    return await new Retry(this.hub, this.name, this.signal).run(async () => {
      const exchange = new HubExchange(this.hub, this.signal, LIMITS);
      try {
        return await send(exchange.request);
      } catch {
        this.signal.throwIfAborted();
        // Errors of the library itself concern the form of a response.
        throw exchange.failure ?? this.unusable('unexpected form');
      } finally {
        exchange.end();
      }
    });
  }

  unusable(problem: string): UserError {
    const message = `${this.hub.host} sent no usable listing of ${this.name} (${problem}).`;
    return new UserError(`${message} Check the endpoint, then try again.`, { command: 'HF_ENDPOINT' });
  }
}

/**
 * Requests the facts of a repository at a branch or commit. Throws UserError if the Hub does not respond or sends no
 * usable listing.
 */
export async function readRepository(
  hub: Hub,
  name: string,
  revision: string,
  signal: AbortSignal,
): Promise<Repository> {
  const { modelInfo } = await import('./library');
  const reader = new RepositoryReader(hub, name, signal);
  const info = await reader.read(async (request) => {
    const additionalFields: ('sha' | 'cardData')[] = ['sha', 'cardData'];
    return await modelInfo({
      name,
      revision,
      additionalFields,
      hubUrl: hub.endpoint,
      fetch: request,
    });
  });
  const { sha: commit, cardData } = fieldsOf(info);
  if (typeof commit !== 'string' || !COMMIT.test(commit)) throw reader.unusable('no commit');
  const folder = dirname(TOOL_TEMPLATE);
  const top = await reader.entries(commit);
  const hasFolder = top.some(({ type, path }) => type === 'directory' && path === folder);
  const entries = [...top, ...(hasFolder ? await reader.entries(commit, folder) : [])];
  const files = new Map(
    entries.flatMap((entry) => reader.file(entry) ?? []).map((file) => [file.name, file]),
  );
  return { name, commit, license: licenseOf(fieldsOf(cardData)), files: [...files.values()] };
}

/** Returns whether a model can use a file: one outside all folders and not hidden, or the chat template for tools. */
function isUsed(path: string): boolean {
  return FILE_NAME.test(path) || path === TOOL_TEMPLATE;
}

function licenseOf({ license, license_name: name }: Fields): string | undefined {
  const named = license === 'other' && typeof name === 'string' ? name : license;
  // Direction characters would reorder the text that an editor shows after them.
  return typeof named === 'string' ? named.replace(/[\p{Cc}\p{Cf}]/gu, '\uFFFD').slice(0, 100) : undefined;
}
