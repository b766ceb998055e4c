import http from 'node:http';

export class Router {
  constructor() {
    this.routes = [];
  }

  get(path, handler) {
    this.add('GET', path, handler);
  }

  post(path, handler) {
    this.add('POST', path, handler);
  }

  delete(path, handler) {
    this.add('DELETE', path, handler);
  }

  add(method, path, handler) {
    const names = [];
    const pattern = path.replace(/:(\w+)/g, (_, name) => {
      names.push(name);
      return '([^/]+)';
    });
    this.routes.push({ method, pattern: new RegExp(`^${pattern}$`), names, handler });
  }

  match(method, pathname) {
    for (const route of this.routes) {
      if (route.method !== method) continue;
      const found = route.pattern.exec(pathname);
      if (!found) continue;
      const params = {};
      route.names.forEach((name, i) => {
        params[name] = decodeURIComponent(found[i + 1]);
      });
      return { handler: route.handler, params };
    }
    return null;
  }

  async handle(req, res) {
    const url = new URL(req.url, `http://${req.headers.host}`);
    const found = this.match(req.method, url.pathname);
    if (!found) {
      res.writeHead(404).end('Not found');
      return;
    }
    try {
      await found.handler(req, res, found.params);
    } catch (error) {
      console.error(error);
      res.writeHead(500).end('Internal server error');
    }
  }

  listen(port) {
    const server = http.createServer((req, res) => this.handle(req, res));
    return server.listen(port);
  }
}
