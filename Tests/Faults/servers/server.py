"""A TCP server whose answers are written byte by byte, and which keeps what it was asked, when and where."""
import errno, ipaddress, select, socket, ssl, struct, threading, time
from dataclasses import dataclass, field

SO_TIMESTAMPNS = 35  # asm-generic/socket.h

@dataclass
class Request:
    """A request as it arrived; `time` is when its last byte reached the kernel, by the monotonic clock."""
    time: float
    address: str
    method: str
    path: str
    headers: dict = field(default_factory=dict)
    connection: int = 0


class Closed(Exception):
    """The client has gone."""


class Connection:
    """One accepted connection; its methods raise `Closed` once the client has gone."""

    def __init__(self, handle, number=0):
        self.handle, self.number, self.sent = handle, number, 0
        self.rest, self.arrived = b"", 0

    def send(self, data):
        try:
            self.handle.sendall(data)
            self.sent += len(data)
        except OSError as error:
            raise Closed from error

    def drip(self, data, pause, seconds):
        """Sends `data` again and again, a byte at each pause, for some seconds."""
        end = time.monotonic() + seconds
        position = 0
        while time.monotonic() < end:
            self.send(data[position % len(data):][:1])
            position += 1
            time.sleep(pause)

    def flood(self, data, limit, pause=0):
        """Sends `data` again and again until the client has gone or `limit` bytes are sent."""
        while self.sent < limit:
            self.send(data)
            time.sleep(pause)

    def wait(self, seconds):
        """Keeps the connection open without a byte, at most so long as the client does."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            ready, _, _ = select.select([self.handle], [], [], 0.2)
            if ready and not self.receive():
                raise Closed

    def receive(self):
        try:
            if isinstance(self.handle, ssl.SSLSocket):
                self.arrived = time.monotonic()
                return self.handle.recv(65536)
            data, notes, _, _ = self.handle.recvmsg(65536, 64)
        except OSError:
            return b""
        # A thread of this program may read it later, when others have the processor.
        stamps = [struct.unpack("ll", note) for level, kind, note in notes if kind == SO_TIMESTAMPNS]
        late = time.time() - stamps[-1][0] - stamps[-1][1] / 1e9 if stamps else 0
        self.arrived = time.monotonic() - late
        return data

    def head(self):
        """The next request's head, without its empty line; nothing if the client closes."""
        while b"\r\n\r\n" not in self.rest:
            more = self.receive()
            if not more:
                return b""
            self.rest += more
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        return head

    def finish(self):
        """Closes after all that was sent has arrived."""
        try:
            if isinstance(self.handle, ssl.SSLSocket):
                self.handle.settimeout(2)
                self.handle = self.handle.unwrap()
            self.handle.shutdown(socket.SHUT_WR)
            self.handle.settimeout(2)
            while self.handle.recv(65536):
                pass
        except OSError:
            pass
        self.handle.close()

    def reset(self):
        """Breaks the connection (RST)."""
        self.handle.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.handle.close()


class Server:
    """Listens on a port of all addresses; `serve(connection, address)` runs in a thread for each connection."""

    def __init__(self, serve, port, address="::", context=None, backlog=512):
        self.serve, self.context = serve, context
        self.accepted = []  # (time, local address, port)
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self.listener = socket.socket(family, socket.SOCK_STREAM)
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            self.listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        self.listener.bind((address, port))
        self.listener.listen(backlog)
        self.port = port
        threading.Thread(target=self._accept, daemon=True).start()

    def stop(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def _accept(self):
        while True:
            try:
                handle, _ = self.listener.accept()
            except OSError as error:
                if error.errno in (errno.EBADF, errno.EINVAL):
                    return
                continue
            try:
                address = str(unmapped(handle.getsockname()[0]))
            except OSError:
                continue
            self.accepted.append((time.monotonic(), address, self.port))
            handle.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
            threading.Thread(target=self._run, args=(handle, address, len(self.accepted)), daemon=True).start()

    def _run(self, handle, address, number):
        connection = Connection(handle, number)
        try:
            if self.context:
                handle.settimeout(10)
                connection.handle = self.context.wrap_socket(handle, server_side=True)
                connection.handle.settimeout(None)
            self.serve(connection, address)
            connection.finish()
        except (Closed, OSError, ValueError):
            handle.close()


def unmapped(text):
    """An address without its scope; an IPv4 address as such."""
    address = ipaddress.ip_address(text.split("%")[0])
    return getattr(address, "ipv4_mapped", None) or address


class HTTPServer(Server):
    """An HTTP/1.1 server; `answer(request, connection)` returns bytes to send, or None after sending them itself.

    A connection is kept only where the answer is a `Kept`.
    """

    def __init__(self, answer, port=80, **options):
        self.answer = answer
        self.requests = []
        super().__init__(self._converse, port, **options)

    def _converse(self, connection, address):
        while head := connection.head():
            request = parse(head, address, connection)
            self.requests.append(request)
            reply = self.answer(request, connection)
            if reply is not None:
                connection.send(reply)
            if not isinstance(reply, Kept):
                return


class Kept(bytes):
    """An answer after which the connection stays open."""


def parse(head, address, connection):
    lines = head.decode("latin-1").split("\r\n")
    method, path, *_ = lines[0].split(" ") + ["", ""]
    headers = {}
    for line in lines[1:]:
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    return Request(connection.arrived, address, method, path, headers, connection.number)


def response(body=b"", status="200 OK", length=True, version="HTTP/1.1", **headers):
    """A response; underscores in names of headers stand for hyphens."""
    lines = [f"{version} {status}"]
    if length:
        lines.append(f"Content-Length: {len(body)}")
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + body


def chunks(*parts, end=b"0\r\n\r\n"):
    """A chunked body."""
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + end
