"""An object store on loopback that lies in the ways that a fault chooses."""
import hashlib, http.server, threading, urllib.parse

KEYS = {"AWS_ACCESS_KEY_ID": "AKIDFAULT", "AWS_SECRET_ACCESS_KEY": "hush-secret-key-4711", "AWS_REGION": "us-east-1",
        "AWS_SESSION_TOKEN": "hush/session+token==0815", "AWS_EC2_METADATA_DISABLED": "true"}


class Store(http.server.ThreadingHTTPServer):
    """Keeps objects in memory. `lie(request)` is asked first, and returns true if it has answered itself."""
    daemon_threads = True

    def __init__(self, lie=lambda request: False, address="127.0.0.1"):
        super().__init__((address, 0), Request)
        self.lie, self.objects, self.requests = lie, {}, []
        self.environment = {**KEYS, "AWS_ENDPOINT_URL": f"http://{address}:{self.server_port}"}
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        """Clients that are killed are no errors."""


class Request(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        address = urllib.parse.urlsplit(self.path)
        self.key = urllib.parse.unquote(address.path).strip("/")
        self.query = dict(urllib.parse.parse_qsl(address.query, keep_blank_values=True))
        self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.requests.append((self.command, self.key))
        if not self.server.lie(self):
            self.honest()

    do_GET = do_HEAD = do_PUT = do_DELETE = do_POST = answer

    def honest(self):
        if self.command == "PUT":
            self.server.objects[self.key] = self.body
            return self.send(200, b"", ETag=tag(self.body))
        if self.command == "GET" and "list-type" in self.query:
            return self.send(200, listing(self.key, self.server.objects, self.query))
        data = self.server.objects.get(self.key)
        if data is None:
            return self.send(404, b"<Error><Code>NoSuchKey</Code></Error>" if self.command == "GET" else b"")
        self.send(200, data, ETag=tag(data))

    def send(self, status, body, length=None, **fields):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def endless(self, status, piece, most=1 << 32, **fields):
        """Sends `piece` again and again, until the client has gone."""
        self.send_response(status)
        self.send_header("Connection", "close")
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        try:
            for _ in range(most // len(piece)):
                self.wfile.write(piece)
        except OSError:
            pass
        self.close_connection = True

    def log_message(self, *_):
        pass


def tag(data):
    return f'"{hashlib.md5(data).hexdigest()}"'


def listing(bucket, objects, query, truncated=False, token=""):
    """A page of the objects of a bucket, behind `start-after`."""
    keys = sorted(key.split("/", 1)[1] for key in objects if key.startswith(f"{bucket}/"))
    keys = [key for key in keys if key.startswith(query.get("prefix", "")) and key > query.get("start-after", "")]
    contents = "".join(
        f"<Contents><Key>{urllib.parse.quote(key)}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>"
        f"<ETag>{tag(objects[f'{bucket}/{key}'])}</ETag><Size>{len(objects[f'{bucket}/{key}'])}</Size></Contents>" for key in keys)
    more = f"<NextContinuationToken>{token}</NextContinuationToken>" if token else ""
    return (f"<ListBucketResult><Name>{bucket}</Name><EncodingType>url</EncodingType><KeyCount>{len(keys)}</KeyCount>"
            f"<IsTruncated>{str(truncated).lower()}</IsTruncated>{more}{contents}</ListBucketResult>").encode()
