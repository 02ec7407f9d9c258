"""Chromium, which compares two animations at a time: it asks for the next two by HTTP, and sends back what compare.js finds."""
import base64, http.server, json, pathlib, queue, shutil, subprocess, threading

here = pathlib.Path(__file__).resolve().parent
types = {"gif": "image/gif", "webp": "image/webp", "png": "image/png", "avif": "image/avif", "apng": "image/png"}


class Browser:
    def __init__(self, folder):
        self.pairs, self.results = queue.Queue(), queue.Queue()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        shutil.rmtree(folder, ignore_errors=True)
        address = f"http://127.0.0.1:{self.server.server_address[1]}/"
        # The secure context that ImageDecoder needs is given: the address is one of loopback.
        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0", f"--user-data-dir={folder}",
             address], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def compare(self, source, made):
        """What compare.js finds."""
        self.pairs.put([{"data": base64.b64encode(path.read_bytes()).decode(), "type": types[path.suffix[1:]]} for path in (source, made)])
        return self.results.get(timeout=120)

    def close(self):
        self.process.kill()
        self.process.wait()
        self.server.shutdown()

    def _handler(browser):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                if self.path == "/":
                    self._answer("text/html", f"<script>{(here / 'compare.js').read_text()}</script>")
                elif self.path == "/next":
                    self._answer("application/json", json.dumps(browser.pairs.get()))
                else:
                    self.send_error(404)

            def do_POST(self):
                browser.results.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self._answer("text/plain", "")

            def _answer(self, kind, text):
                content = text.encode()
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *words):
                pass
        return Handler
