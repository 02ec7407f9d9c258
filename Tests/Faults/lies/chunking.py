"""Chunked bodies that are not (RFC 9112, section 7.1)."""
from servers.server import chunks, response

from . import PICTURE, Lie
from .bodies import CHUNKED

HEAD = response(**CHUNKED)
SIZE = b"%x" % len(PICTURE)


def sized(size, body=PICTURE, end=b"\r\n0\r\n\r\n"):
    return HEAD + size + b"\r\n" + body + end


def flood(data, before=HEAD + SIZE + b"\r\n" + PICTURE + b"\r\n", pause=0):
    def answer(request, connection):
        connection.send(before)
        connection.flood(data, 64 << 20, pause)
    return answer


LIES = [
    Lie("a chunk size that is a word", "reset|truncated", sized(b"zz")),
    Lie("a negative chunk size", "reset|truncated", sized(b"-5")),
    Lie("an empty chunk size", "reset|truncated", sized(b"")),
    Lie("a chunk size beyond 64 bits", "reset|truncated|too_large", sized(b"FFFFFFFFFFFFFFFFFFFFFF")),
    Lie("a chunk of 2^63 - 1 bytes", "truncated|too_large|reset", sized(b"7FFFFFFFFFFFFFFF")),
    Lie("a chunk longer than its size", "reset|truncated|integrity", sized(b"10")),
    Lie("a chunk shorter than its size", "reset|truncated", sized(b"%x" % (len(PICTURE) + 4))),
    Lie("chunks of one byte", "done", HEAD + chunks(*(PICTURE[place:place + 1] for place in range(len(PICTURE)))), 1),
    Lie("a chunk with an extension", "done", sized(SIZE + b';name="value"'), 1),
    Lie("a chunk size with zeros before it", "done", sized(b"0000" + SIZE.upper()), 1),
    Lie("trailers", "done", HEAD + chunks(PICTURE, end=b"0\r\nX-After: 1\r\nContent-Length: 3\r\n\r\n"), 1),
    Lie("trailers without end", "reset|too_large",
        flood(b"X-After: 1\r\n" * 1000, before=HEAD + chunks(PICTURE, end=b"0\r\n"))),
    # libcurl skips extensions and tells nobody: only loading.timeout ends this one.
    Lie("a chunk extension without end", "timeout|too_large", flood(b"x" * 60000, before=HEAD + SIZE + b";x=", pause=0.02)),
    Lie("a chunk size without end", "reset|too_large", flood(b"0" * 60000, before=HEAD)),
    Lie("a coding that is unknown", "reset|integrity|wrong_type|done", response(PICTURE, Transfer_Encoding="zopfli", length=False)),
    Lie("chunks in HTTP/1.0", "done|reset|wrong_type|truncated",
        response(version="HTTP/1.0", **CHUNKED) + chunks(PICTURE)),
]
