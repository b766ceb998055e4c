// A hub on this machine that lists repositories and sends their files as the real one does, large ones from another
// host. Tests choose its faults. It ends with the test process, unless it is closed before.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, type ServerOptions } from 'node:https';
import { readFileSync } from 'node:fs';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';

export interface ServedRepository {
  readonly files: Readonly<Record<string, Buffer>>;
  readonly license?: string;
}

export interface HubRequest {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly range: string | undefined;
}

/** Handles a request in place of the server; returns false to leave it to the server. */
export type Intercept = (request: IncomingMessage, response: ServerResponse) => boolean;

export const COMMIT = 'c0ffee00'.repeat(5);
const FIXTURES = join('test', 'fixtures', 'hub');
export const CERTIFICATE = join(FIXTURES, 'certificate.pem');
/** Files that the Hub keeps in its store of large files. */
const LARGE_FILE = /\.safetensors$|^tokenizer\.json$/;

export class HubServer {
  readonly requests: HubRequest[] = [];
  intercept: Intercept = () => false;
  /** Address to redirect requests for large files to; undefined to send the files directly. */
  redirectTo: string | undefined;
  /** Commit of the main branch of all repositories. */
  commit = COMMIT;
  /** The store of large files, if the hub has one. */
  xet: XetStore | undefined;

  private constructor(
    private readonly server: Server,
    private readonly repositories: Readonly<Record<string, ServedRepository>>,
    private readonly scheme: 'http' | 'https',
    private readonly host: string,
  ) {
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const { method = '', url = '', headers } = request;
      this.requests.push({ method, path: url, authorization: headers.authorization, range: headers.range });
      if (!this.intercept(request, response)) this.#answer(request, response);
    });
    server.on('connection', (socket: Socket) => void socket.unref());
  }

  static async start(
    repositories: Readonly<Record<string, ServedRepository>>,
    secure?: ServerOptions,
    host = '127.0.0.1',
  ): Promise<HubServer> {
    const server = secure === undefined ? createServer() : createSecureServer(secure);
    // A busy machine can take longer to unpack an answer than the five seconds after which Node closes a connection.
    server.keepAliveTimeout = 60_000;
    server.unref().listen(0, host);
    await once(server, 'listening');
    return new HubServer(server, repositories, secure === undefined ? 'http' : 'https', host);
  }

  /** Starts a hub with TLS. Its certificate exists only for tests. */
  static async startSecured(repositories: Readonly<Record<string, ServedRepository>>): Promise<HubServer> {
    const key = readFileSync(join(FIXTURES, 'key.pem'));
    return await HubServer.start(repositories, { key, cert: readFileSync(CERTIFICATE) });
  }

  /**
   * Sets the response to requests with `part` in their path. `answer` gets their count, from 1, and returns false for
   * the usual response.
   */
  answer(part: string, answer: (response: ServerResponse, count: number) => unknown): void {
    let count = 0;
    this.intercept = ({ url = '' }, response) =>
      url.includes(part) && answer(response, (count += 1)) !== false;
  }

  /** Address of the hub; with TLS by name, since certificates are issued for names. */
  get url(): string {
    const host = this.scheme === 'https' ? 'localhost' : this.host;
    return `${this.scheme}://${host}:${String(this.port)}`;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.server.close().closeAllConnections();
    await once(this.server, 'close');
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '', this.url);
    const api = /^\/api\/models\/([^/]+\/[^/]+)\/(revision|tree|xet-read-token)\//.exec(url.pathname);
    const file = /^\/([^/]+\/[^/]+)\/resolve\/[^/]+\/(.+)$/.exec(url.pathname);
    const name = api?.[1] ?? file?.[1] ?? '';
    const repository = Object.hasOwn(this.repositories, name) ? this.repositories[name] : undefined;
    if (repository === undefined) return refuse(response, 404, 'RepoNotFound');
    const token = /^\/api\/models\/.+\/xet-read-token\//.test(url.pathname);
    if (token) return this.xet ? sendJson(response, this.xet.readToken()) : refuse(response, 404);
    if (api) {
      const [revision = '', ...path] = url.pathname.slice(api[0].length).split('/');
      const folder = path.join('/');
      const commit = /^[0-9a-f]{40}$/.test(revision) ? revision : this.commit;
      const isTree = api[2] === 'tree';
      return sendJson(
        response,
        isTree ? treeOf(repository, folder, this.xet) : infoOf(name, commit, repository),
      );
    }
    const path = file?.[2] ?? '';
    const bytes = repository.files[path];
    if (bytes === undefined) return refuse(response, 404, 'EntryNotFound');
    const { accept } = request.headers;
    if (this.xet !== undefined && LARGE_FILE.test(path) && accept?.includes('xet-fileinfo'))
      return sendXetInfo(response, this.xet, bytes, `${this.url}/api/models/${name}`, this.commit);
    if (this.redirectTo !== undefined && LARGE_FILE.test(path)) {
      response.writeHead(302, { location: `${this.redirectTo}${url.pathname}?signature=s3cret` }).end();
    } else sendBytes(request, response, bytes);
  }
}

/** The part of a Xet store that the hub needs. */
export interface XetStore {
  readonly url: string;
  /** Returns the hash by which the store knows a file. */
  add(bytes: Buffer): string;
  readToken(): object;
}

function sendJson(response: ServerResponse, value: object): void {
  response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
}

function sendXetInfo(
  response: ServerResponse,
  xet: XetStore,
  bytes: Buffer,
  api: string,
  commit: string,
): void {
  const hash = xet.add(bytes);
  response.writeHead(200, {
    'content-type': 'application/vnd.xet-fileinfo+json',
    'x-linked-size': bytes.length,
    'x-linked-etag': `"${sha256(bytes)}"`,
    'x-xet-hash': hash,
    link: `<${api}/xet-read-token/${commit}>; rel="xet-auth", <${xet.url}/v1/reconstructions/${hash}>; rel="xet-reconstruction-info"`,
  });
  response.end(JSON.stringify({ hash }));
}

/**
 * Refuses a request as the real hub does. The response repeats the Authorization of the request, so that tests can
 * check that no message repeats the response.
 */
export function refuse(response: ServerResponse, status: number, code?: string, headers: object = {}): void {
  const echo = response.req.headers.authorization ?? 'an unnamed client';
  response.writeHead(status, {
    ...headers,
    'content-type': 'application/json',
    'x-error-message': echo,
    ...(code === undefined ? {} : { 'x-error-code': code }),
  });
  response.end(JSON.stringify({ error: `Refused ${echo}` }));
}

/** Sends all bytes, or the range that the request asks for. */
export function sendBytes(
  request: IncomingMessage,
  response: ServerResponse,
  bytes: Buffer,
  write: (response: ServerResponse, part: Buffer) => void = (to, part) => to.end(part),
): void {
  const match = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
  if (match === null) {
    response.writeHead(200, { 'content-length': bytes.length, 'accept-ranges': 'bytes' });
    return void write(response, bytes);
  }
  const from = Number(match[1]);
  if (from >= bytes.length) return refuse(response, 416);
  const part = bytes.subarray(from, match[2] === '' ? bytes.length : Number(match[2]) + 1);
  const range = `bytes ${String(from)}-${String(from + part.length - 1)}/${String(bytes.length)}`;
  const headers = { 'content-length': part.length, 'accept-ranges': 'bytes', 'content-range': range };
  response.writeHead(206, headers);
  write(response, part);
}

/** Returns a writer that sends `count` bytes and then breaks the connection. */
export function dropAfter(count: number): (response: ServerResponse, part: Buffer) => void {
  return (response, part) => {
    if (part.length <= count) return void response.end(part);
    response.write(part.subarray(0, count), () => response.destroy());
  };
}

export function infoOf(id: string, sha: string, { license = 'apache-2.0' }: ServedRepository): object {
  return {
    _id: '1',
    id,
    sha,
    private: false,
    gated: false,
    lastModified: '2026-01-01',
    cardData: { license },
  };
}

/** Lists the entries of a folder of a repository, without those of its subfolders. */
export function treeOf({ files }: ServedRepository, folder: string, xet?: XetStore): object[] {
  const start = folder === '' ? '' : `${folder}/`;
  return Object.entries(files).flatMap(([path, bytes]) => {
    if (!path.startsWith(start)) return [];
    const [first = '', ...rest] = path.slice(start.length).split('/');
    if (rest.length > 0) return { type: 'directory', path: start + first, oid: '0'.repeat(40), size: 0 };
    const oid = gitChecksum(bytes);
    if (!LARGE_FILE.test(path)) return { type: 'file', path, oid, size: bytes.length };
    const lfs = { oid: sha256(bytes), size: bytes.length, pointerSize: 134 };
    const xetHash = xet?.add(bytes);
    return { type: 'file', path, oid, size: bytes.length, lfs, ...(xetHash && { xetHash }) };
  });
}

export function sha256(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export function gitChecksum(bytes: Buffer): string {
  return createHash('sha1')
    .update(`blob ${String(bytes.length)}\0`)
    .update(bytes)
    .digest('hex');
}
