"""Two hosts on loopback whose answers a night decides."""
import http.server
import pathlib
import threading

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
PHOTOGRAPH = (REPOSITORY / "Jobs/photos/rocket.jpg").read_bytes()


class Host:
    """A server at one address; `answer` returns the status of a request for a picture, or waits."""

    def __init__(self, address):
        self.address, self.answer, self.released, self.waiting = address, lambda number: 200, threading.Event(), threading.Event()
        self.port = 0
        self.start()

    def start(self):
        host = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                number = int(pathlib.PurePath(self.path).stem)
                status = host.answer(number)
                body = PHOTOGRAPH if status == 200 else b""
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Content-Type", "image/jpeg")
                # An edge in front of it that has every other picture.
                self.send_header("X-Cache", "HIT" if number % 2 else "MISS")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            def handle_error(self, request, client_address):
                pass  # (a run that ends breaks its connections off)

        self.server = Server((self.address, self.port), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        """Refuses connections from now on."""
        self.server.shutdown()
        self.server.server_close()

    def stall(self):
        """Answers nothing until it is released."""
        self.released.clear()
        self.waiting.clear()

        def answer(number):
            self.waiting.set()
            self.released.wait()
            return 200

        self.answer = answer

    def heal(self):
        self.answer = lambda number: 200
        self.released.set()
