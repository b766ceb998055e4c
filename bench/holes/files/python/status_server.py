import json
import logging
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

logger = logging.getLogger(__name__)

services = {}


class StatusHandler(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/health":
            self.send_json({"status": "ok"})
        elif self.path == "/services":
            self.send_json(services)
        elif self.path.startswith("/services/"):
            name = self.service_name()
            if name in services:
                self.send_json(services[name])
            else:
                self.send_error(HTTPStatus.NOT_FOUND)
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def do_PUT(self):
        if not self.path.startswith("/services/"):
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        try:
            body = self.read_json()
        except ValueError:
            self.send_error(HTTPStatus.BAD_REQUEST)
            return
        services[self.service_name()] = body
        self.send_json(body, HTTPStatus.CREATED)

    def do_DELETE(self):
        name = self.service_name()
        if services.pop(name, None) is None:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        self.send_response(HTTPStatus.NO_CONTENT)
        self.end_headers()

    def service_name(self):
        return self.path.removeprefix("/services/")

    def read_json(self):
        length = int(self.headers.get("Content-Length", 0))
        return json.loads(self.rfile.read(length))

    def send_json(self, data, status=HTTPStatus.OK):
        payload = json.dumps(data).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, format, *args):
        logger.info(format, *args)


def serve(host="127.0.0.1", port=8000):
    server = ThreadingHTTPServer((host, port), StatusHandler)
    logger.info("listening on %s:%d", host, port)
    try:
        server.serve_forever()
    finally:
        server.server_close()
