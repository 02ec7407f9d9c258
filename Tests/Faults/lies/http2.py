"""What HTTP/2 servers do wrong. Each answer is a function of a stream's number and a connection."""
import struct

from servers.http2 import (CONTINUATION, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, PING, PUSH_PROMISE, RST_STREAM, SETTINGS,
                           WINDOW_UPDATE, body, field, frame, headers)

from . import NOISE, PICTURE, Lie

OK = [(":status", 200), ("content-length", len(PICTURE)), ("content-type", "image/png")]
LARGE = [(":status", 200), ("content-length", len(NOISE))]
REFUSED, INTERNAL, CANCEL, NONE = 7, 2, 8, 0


def frames(make, then=None):
    """Sends what `make(stream)` returns; `then` is done with the connection."""
    def answer(stream, connection):
        connection.send(make(stream))
        if then:
            then(connection)
    return answer


def flood(make, before=None):
    def answer(stream, connection):
        if before:
            connection.send(before(stream))
        connection.flood(make(stream) * 100, 64 << 20)
    return answer


def reset(stream, code):
    return frame(RST_STREAM, struct.pack(">I", code), stream=stream)


def away(stream, code):
    return frame(GOAWAY, struct.pack(">II", stream, code))


def close(connection):
    connection.handle.close()


def fields(*added, status=True):
    return lambda stream: headers(stream, ([(":status", 200)] if status else []) + list(added)) + body(stream, PICTURE)


LIES = [
    Lie("HTTP/2", "done", frames(lambda stream: headers(stream, OK) + body(stream, PICTURE)), 1),
    Lie("no length", "done", frames(fields()), 1),
    Lie(
        "1xx before it", "done",
        frames(lambda stream: headers(stream, [(":status", 103)]) + headers(stream, OK) + body(stream, PICTURE)), 1),
    Lie("trailers", "done", frames(lambda stream: headers(stream, OK) + body(stream, PICTURE, end=False)
                                   + headers(stream, [("x-after", "1")], end=True)), 1),
    Lie("404", "http_404", frames(lambda stream: headers(stream, [(":status", 404)], end=True)), 1),
    Lie("no body", "empty", frames(lambda stream: headers(stream, [(":status", 200)], end=True)), 1),
    Lie("silence", "timeout", frames(lambda stream: b"", lambda connection: connection.wait(20)), 2),
    Lie("silence in the body", "timeout", frames(lambda stream: headers(stream, LARGE) + body(stream, NOISE[:3000], end=False),
               lambda connection: connection.wait(20)), 2),
    Lie("stream refused", "reset", frames(lambda stream: reset(stream, REFUSED))),
    Lie("stream reset", "reset", frames(lambda stream: reset(stream, INTERNAL)), 2),
    Lie("stream cancelled", "reset", frames(lambda stream: reset(stream, CANCEL)), 2),
    Lie(
        "stream reset in the body", "reset|truncated",
        frames(lambda stream: headers(stream, LARGE) + body(stream, NOISE[:3000], end=False)
               + reset(stream, INTERNAL)),
        2),
    Lie("stream ended without an error in the body", "reset|truncated",
        frames(lambda stream: headers(stream, LARGE) + body(stream, NOISE[:3000], end=False) + reset(stream, NONE)), 2),
    Lie("going away before an answer", "reset", frames(lambda stream: away(0, NONE), close)),
    Lie(
        "going away in the body", "reset|truncated",
        frames(lambda stream: headers(stream, LARGE) + body(stream, NOISE[:3000], end=False)
               + away(stream, INTERNAL), close),
        2),
    Lie("closed before an answer", "reset|truncated", frames(lambda stream: b"", close), 2),
    Lie(
        "closed in the body", "reset|truncated",
        frames(lambda stream: headers(stream, LARGE) + body(stream, NOISE[:3000], end=False), close), 2),
    Lie(
        "fewer bytes than announced", "reset|truncated",
        frames(lambda stream: headers(stream, LARGE) + body(stream, NOISE[:3000]))),
    Lie(
        "more bytes than announced", "reset|integrity|truncated",
        frames(lambda stream: headers(stream, OK) + body(stream, PICTURE + b"more"))),
    Lie("two lengths", "integrity|reset", frames(fields(("content-length", 5), ("content-length", len(PICTURE))))),
    Lie(
        "half an image", "truncated|corrupt",
        frames(lambda stream: headers(stream, [(":status", 200)]) + body(stream, NOISE[:3000]))),
    Lie("no status", "reset", frames(fields(("x", "y"), status=False))),
    Lie("two statuses", "reset", frames(fields((":status", 200)))),
    Lie("a status that is a word", "reset", frames(fields((":status", "fine"), status=False))),
    Lie("an upper-case field", "reset|done", frames(fields(("X-Upper", "y")))),
    Lie("a field with a line break", "reset|done", frames(fields(("x-break", "a\r\nx-evil: b")))),
    Lie("a connection field", "reset|done", frames(fields(("connection", "close")))),
    Lie(
        "a field of 1 MB", "reset|too_large|timeout",
        flood(lambda stream: frame(CONTINUATION, b"x" * 16000, stream=stream), lambda stream: frame(
        HEADERS, b"\x88\0\x01x\x7f\xff\xff\xff\x0f", stream=stream))),
    Lie(
        "continuations without end", "reset|too_large|timeout",
        flood(lambda stream: frame(CONTINUATION, field("x-flood", "y" * 100) * 100, stream=stream),
               lambda stream: frame(HEADERS, b"\x88", stream=stream))),
    Lie(
        "compression that is none", "reset",
        frames(lambda stream: frame(HEADERS, b"\xff" * 40, stream=stream, flags=END_HEADERS))),
    Lie(
        "a frame longer than allowed", "reset|truncated",
        frames(lambda stream: headers(stream, LARGE) + frame(DATA, bytes(60000), stream=stream))),
    Lie("data of no stream", "reset", frames(lambda stream: frame(DATA, PICTURE))),
    Lie("data before headers", "reset", frames(lambda stream: body(stream, PICTURE))),
    Lie("data of a stream that was never opened", "reset", frames(lambda stream: body(stream + 100, PICTURE))),
    Lie(
        "an unknown frame", "done", frames(lambda stream: frame(0x77, b"x" * 50) + headers(stream, OK) + body(stream, PICTURE)),
        1),
    Lie(
        "a promise", "reset|done",
        frames(lambda stream: frame(PUSH_PROMISE, struct.pack(">I", 2) + b"\x82", stream=stream, flags=END_HEADERS)
               + headers(stream, OK) + body(stream, PICTURE))),
    Lie("a window beyond its limit", "reset", frames(lambda stream: frame(WINDOW_UPDATE, struct.pack(">I", 2 ** 31 - 1)) * 2)),
    Lie("a window of nothing", "reset", frames(lambda stream: frame(WINDOW_UPDATE, bytes(4)))),
    Lie("settings of 3 bytes", "reset", frames(lambda stream: frame(SETTINGS, b"abc"))),
    Lie("pings without end", "reset|timeout", flood(lambda stream: frame(PING, bytes(8)))),
    Lie("settings without end", "reset|timeout", flood(lambda stream: frame(SETTINGS, struct.pack(">HI", 4, 65535)))),
    Lie(
        "empty data without end", "reset|timeout|too_large",
        flood(lambda stream: frame(DATA, stream=stream), lambda stream: headers(stream, OK))),
    Lie(
        "a body without end", "too_large",
        flood(lambda stream: frame(DATA, bytes(16000), stream=stream), lambda stream: headers(stream, [(":status", 200)]))),
    Lie("HTTP/1.1 after all", "reset", frames(lambda stream: b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")),
]
