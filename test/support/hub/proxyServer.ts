// A proxy on this machine that passes unencrypted requests on and opens tunnels, for clients with the right password.
// It ends with the test process.
import { once } from 'node:events';
import { createServer, request as ask, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

export class ProxyServer {
  /** Requested addresses, or names with ports. */
  readonly reached: string[] = [];

  private constructor(
    private readonly server: Server,
    allowed: string | undefined,
  ) {
    const isAllowed = (header: string | undefined): boolean => allowed === undefined || header === allowed;
    server.on('connection', (socket: Socket) => void socket.unref());
    server.on('request', (request, response) => {
      const { url = '', method, headers } = request;
      this.reached.push(url);
      if (!isAllowed(headers['proxy-authorization'])) return void response.writeHead(407).end();
      const onward = ask(url, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      request.pipe(onward);
    });
    server.on('connect', ({ url = '', headers }, socket: Socket) => {
      this.reached.push(url);
      if (!isAllowed(headers['proxy-authorization'])) return void socket.end('HTTP/1.1 407 No\r\n\r\n');
      const onward = connect(Number(url.split(':')[1]), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        onward.pipe(socket).pipe(onward);
      });
      for (const side of [socket, onward]) side.on('error', () => undefined);
      onward.unref();
    });
  }

  /** Starts a proxy. `allowed` is the only Proxy-Authorization that it accepts; undefined accepts all clients. */
  static async start(allowed?: string): Promise<ProxyServer> {
    const server = createServer();
    server.unref().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ProxyServer(server, allowed);
  }

  get host(): string {
    return `127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }
}
