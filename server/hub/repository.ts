// What the Hub says about a repository: its commit, its licence, and its files with sizes and checksums. Reads none of
// the files.
import { listFiles, modelInfo } from '@huggingface/hub';
import { dirname } from 'node:path/posix';
import * as z from 'zod/mini';
import { TOOL_TEMPLATE } from '../models/checkpoint/modelText';
import { InputError } from '../rules/inputError';
import type { HubConnection } from './connection';
import { firstBytes } from './exchange';
import { CHECKSUM, type RepositoryFile } from './repositoryCache';

export interface Repository {
  readonly name: string;
  readonly commit: string;
  /** As on its model card, such as apache-2.0. */
  readonly license: string | undefined;
  readonly files: readonly RepositoryFile[];
}

const NAME = /^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*$/;
const COMMIT = /^[0-9a-f]{40}$/;
const FILE_NAME = /^\w[\w.-]*$/;
const OID = z.string().check(z.regex(CHECKSUM));
const SIZE = z.int().check(z.nonnegative());
/** Whichever mirror answers. */
const LISTED = z.object({
  size: SIZE,
  oid: z.optional(OID),
  lfs: z.optional(z.nullable(z.object({ oid: OID, size: SIZE }))),
});
/** Limits of a listing, which comes in pages. */
const MOST_BYTES = 64e6;
const MOST_PAGES = 100;

/** Whether it looks like organisation/name. */
export function isRepositoryName(text: string): boolean {
  return NAME.test(text) && !text.includes('--') && !text.includes('..');
}

/** Makes a few requests to the Hub. Throws InputError when it does not answer, or not with anything usable. */
export async function readRepository(
  connection: HubConnection,
  name: string,
  signal: AbortSignal,
): Promise<Repository> {
  const hub = { hubUrl: connection.endpoint, fetch: fetchOf(connection, name, signal) };
  const unusable = (got: string): InputError => unusableListing(connection, name, got);
  try {
    const additionalFields: ('sha' | 'cardData')[] = ['sha', 'cardData'];
    const revision = 'main';
    const { sha: commit, cardData } = await modelInfo({ ...hub, name, revision, additionalFields });
    if (typeof commit !== 'string' || !COMMIT.test(commit)) throw unusable('no commit');
    const files = new Map<string, RepositoryFile>();
    const folders = new Set(['']);
    for (const folder of folders) {
      const listing = listFiles({ ...hub, repo: name, revision: commit, path: folder });
      for await (const { type, path, ...listed } of listing) {
        if (folder === '' && type === 'directory' && path === dirname(TOOL_TEMPLATE)) folders.add(path);
        if (type !== 'file' || typeof path !== 'string' || !isUsed(path)) continue;
        const { data } = LISTED.safeParse(listed);
        const { oid: checksum, size } = data?.lfs ?? data ?? {};
        if (checksum === undefined || size === undefined) throw unusable(`no size or checksum for ${path}`);
        files.set(path, { name: path, size, checksum });
      }
    }
    return { name, commit, license: licenseOf(cardData), files: [...files.values()] };
  } catch (error) {
    // Not JSON, or JSON of another shape.
    if (error instanceof SyntaxError || error instanceof TypeError) throw unusable('something else');
    throw error;
  }
}

function unusableListing({ endpoint }: HubConnection, name: string, got: string): InputError {
  return new InputError({
    expected: `a listing of ${name} from ${new URL(endpoint).host}`,
    got,
    remedy: 'check the endpoint, then try again',
    command: 'HF_ENDPOINT',
  });
}

/** A fetch for @huggingface/hub that returns only successful answers, already read to their end. */
function fetchOf(connection: HubConnection, repository: string, signal: AbortSignal): typeof fetch {
  let pages = 0;
  let bytesLeft = MOST_BYTES;
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const headers = Object.fromEntries(new Headers(init?.headers));
    pages += 1;
    // Read here, so that a connection that breaks in the middle is retried too.
    const page = await firstBytes(connection, repository, { url, headers, signal }, bytesLeft + 1);
    bytesLeft -= page.bytes.length;
    if (bytesLeft < 0 || pages > MOST_PAGES)
      throw unusableListing(connection, repository, 'an oversized answer');
    return new Response(page.bytes, { headers: page.headers });
  };
}

function isUsed(path: string): boolean {
  return FILE_NAME.test(path) || path === TOOL_TEMPLATE;
}

function licenseOf(card: unknown): string | undefined {
  if (typeof card !== 'object' || card === null) return undefined;
  const { license, license_name: name } = card as { license?: unknown; license_name?: unknown };
  const named = license === 'other' && typeof name === 'string' ? name : license;
  // A terminal would obey control characters.
  return typeof named === 'string' ? named.replace(/[\p{Cc}\p{Cf}]/gu, '\uFFFD').slice(0, 100) : undefined;
}
