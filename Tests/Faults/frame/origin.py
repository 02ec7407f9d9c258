"""A server of images on loopback."""
import collections, http.server, threading

from .images import png


class Origin(http.server.ThreadingHTTPServer):
    """Answers GET /N.png with image N and counts what it was asked for; `answer(path)` may be replaced. It has no robots.txt."""
    daemon_threads = True
    request_queue_size = 1024

    def __init__(self, answer=None, address="127.0.0.1"):
        super().__init__((address, 0), Handler)
        self.answer = answer or (lambda path: png(int(path.strip("/").split(".")[0])))
        self.requests = collections.Counter()
        self._lock = threading.Lock()
        self.url = f"http://{address}:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def count(self, path):
        with self._lock:
            self.requests[path] += 1

    def handle_error(self, request, client_address):
        """Clients that are killed are no errors."""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_GET(self):
        if self.path == "/robots.txt":
            body = None
        else:
            self.server.count(self.path)
            body = self.server.answer(self.path)
        self.send_response(200 if body is not None else 404)
        self.send_header("Content-Length", str(len(body or b"")))
        self.send_header("Content-Type", "image/png")
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body or b"")

    do_HEAD = do_GET

    def log_message(self, *_):
        pass
