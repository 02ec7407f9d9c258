"""Enough of HTTP/2 (RFC 9113) to answer a request, rightly or not; header fields are written without compression (RFC 7541)."""
import struct

from .server import Server

DATA, HEADERS, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 0, 1, 3, 4, 5, 6, 7, 8, 9
END_STREAM = ACK = 1
END_HEADERS = 4
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def frame(kind, payload=b"", *, stream=0, flags=0, length=None):
    return struct.pack(
        ">I", len(payload) if length is None else length)[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def field(name, value):
    """A header field, literally and without an index."""
    return b"\0" + number(len(name)) + name.encode() + number(len(value)) + value.encode()


def number(value):
    """An integer of seven bits or more (RFC 7541, section 5.1)."""
    if value < 127:
        return bytes([value])
    data, value = b"\x7f", value - 127
    while value >= 128:
        data, value = data + bytes([value % 128 + 128]), value // 128
    return data + bytes([value])


def headers(stream, fields, *, end=False):
    block = b"".join(field(name, str(value)) for name, value in fields)
    return frame(HEADERS, block, stream=stream, flags=END_HEADERS | (END_STREAM if end else 0))


def body(stream, data, *, end=True):
    parts = [data[start:start + 16384] for start in range(0, len(data), 16384)] or [b""]
    return b"".join(frame(DATA, part, stream=stream, flags=END_STREAM if end and place == len(parts) - 1 else 0)
                    for place, part in enumerate(parts))


class HTTP2Server(Server):
    """`answer(stream, connection, address)` writes frames in answer to each request; `begin(connection, address)` the settings."""

    def __init__(self, answer, context, begin=None, port=443, **options):
        self.answer = answer
        self.begin = begin or (lambda connection, address: connection.send(frame(SETTINGS)))
        super().__init__(self._converse, port, context=context, **options)

    def _converse(self, connection, address):
        self.begin(connection, address)
        data = self._read(connection, b"", len(PREFACE))
        data = data[len(PREFACE):]
        while True:
            data = self._read(connection, data, 9)
            length = int.from_bytes(data[:3], "big")
            data = self._read(connection, data, 9 + length)
            kind, flags, stream = data[3], data[4], int.from_bytes(data[5:9], "big")
            payload, data = data[9:9 + length], data[9 + length:]
            if kind == SETTINGS and not flags & ACK:
                connection.send(frame(SETTINGS, flags=ACK))
            elif kind == PING and not flags & ACK:
                connection.send(frame(PING, payload, flags=ACK))
            elif kind == HEADERS:
                self.answer(stream, connection, address)

    @staticmethod
    def _read(connection, data, count):
        while len(data) < count:
            more = connection.receive()
            if not more:
                raise ValueError("the client has closed")
            data += more
        return data
