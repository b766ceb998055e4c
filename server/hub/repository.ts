// Asks the Hub about a repository: its commit, its licence, and its files with sizes and checksums.
import { dirname } from 'node:path/posix';
import * as z from 'zod/mini';
import { TOOL_TEMPLATE } from '../models/checkpoint/configFields';
import { InputError } from '../rules/inputError';
import { fieldsOf, parseJson, type Fields } from '../rules/json';
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
const NEXT_PAGE = /<(https?:\/\/[^>]+)>;\s*rel="next"/;

/** Makes a few requests to the Hub. Throws InputError when it does not answer, or not with anything usable. */
export async function readRepository(
  connection: HubConnection,
  name: string,
  signal: AbortSignal,
): Promise<Repository> {
  const { endpoint } = connection;
  const unusable = (got: string): InputError =>
    new InputError({
      expected: `a listing of ${name} from ${new URL(endpoint).host}`,
      got,
      remedy: 'check the endpoint, then try again',
      command: 'HF_ENDPOINT',
    });
  let bytesLeft = MOST_BYTES;
  const read = async (url: string): Promise<{ json: unknown; headers: Headers }> => {
    if (!URL.canParse(url)) throw unusable('something else');
    const { bytes, headers } = await firstBytes(connection, name, { url, signal }, bytesLeft + 1);
    bytesLeft -= bytes.length;
    if (bytesLeft < 0) throw unusable('an oversized answer');
    try {
      return { json: parseJson(bytes.toString()), headers };
    } catch {
      throw unusable('something else');
    }
  };
  const api = `${endpoint}/api/models/${name}`;
  const { sha: commit, cardData } = fieldsOf((await read(`${api}/revision/main`)).json);
  if (typeof commit !== 'string' || !COMMIT.test(commit)) throw unusable('no commit');
  const files = new Map<string, RepositoryFile>();
  // Grows by folders and further pages.
  const pages = new Set([`${api}/tree/${commit}`]);
  for (const page of pages) {
    if (pages.size > MOST_PAGES) throw unusable('an oversized answer');
    const { json, headers } = await read(page);
    if (!Array.isArray(json)) throw unusable('something else');
    for (const entry of json.map(fieldsOf)) {
      const { type, path } = entry;
      if (type === 'directory' && path === dirname(TOOL_TEMPLATE)) pages.add(`${api}/tree/${commit}/${path}`);
      if (type !== 'file' || typeof path !== 'string' || !isUsed(path)) continue;
      const { data } = LISTED.safeParse(entry);
      const { oid: checksum, size } = data?.lfs ?? data ?? {};
      if (checksum === undefined || size === undefined) throw unusable(`no size or checksum for ${path}`);
      files.set(path, { name: path, size, checksum });
    }
    const next = NEXT_PAGE.exec(headers.get('link') ?? '')?.[1];
    if (next !== undefined) pages.add(next);
  }
  return { name, commit, license: licenseOf(fieldsOf(cardData)), files: [...files.values()] };
}

function isUsed(path: string): boolean {
  return FILE_NAME.test(path) || path === TOOL_TEMPLATE;
}

function licenseOf({ license, license_name: name }: Fields): string | undefined {
  const named = license === 'other' && typeof name === 'string' ? name : license;
  // A terminal would obey control characters.
  return typeof named === 'string' ? named.replace(/[\p{Cc}\p{Cf}]/gu, '\uFFFD').slice(0, 100) : undefined;
}
