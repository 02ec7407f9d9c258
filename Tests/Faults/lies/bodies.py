"""Bodies that end early, or elsewhere than they were said to."""
import pathlib

from servers.server import Kept, chunks, response

from . import NOISE, PICTURE, Lie

PHOTO = (pathlib.Path(__file__).resolve().parents[3] / "Tests/Fuzzing/seeds/baseline.jpg").read_bytes()
CLOSE = {"length": False, "Connection": "close"}
CHUNKED = {"length": False, "Transfer_Encoding": "chunked"}


def short(body, count, length=None):
    """The first `count` bytes of a body that was announced whole."""
    return response(b"", length=False, Content_Length=length or len(body)) + body[:count]


def then_reset(data):
    def answer(request, connection):
        connection.send(data)
        connection.reset()
    return answer


def spoken_twice(request, connection):
    """A whole answer, and behind it, on a connection that stays, one to a request that was never made."""
    return Kept(response(PICTURE) + response(NOISE, X_Smuggled="yes"))


LIES = [
    Lie("a byte less than announced", "truncated", short(PICTURE, len(PICTURE) - 1), 2),
    Lie("half of what was announced", "truncated", short(PICTURE, len(PICTURE) // 2), 2),
    Lie("nothing of what was announced", "truncated|reset", short(PICTURE, 0), 2),
    Lie("a whole image, but more announced", "truncated", short(PICTURE, len(PICTURE), len(PICTURE) + 9), 2),
    Lie("a reset in the body", "reset|truncated", then_reset(short(NOISE, 5000)), 2),
    Lie("a reset before the body", "reset|truncated", then_reset(short(NOISE, 0)), 2),
    Lie("chunks cut in the middle", "truncated|reset", response(**CHUNKED) + chunks(PICTURE)[:300], 2),
    Lie("chunks without an end", "truncated|reset", response(**CHUNKED) + chunks(PICTURE, end=b""), 2),
    Lie("chunks cut in a size", "truncated|reset", response(**CHUNKED) + chunks(PICTURE, end=b"1"), 2),
    Lie("a PNG until close, cut", "truncated", response(PICTURE[:-9], **CLOSE), 2),
    Lie("a PNG until close, half", "truncated", response(NOISE[:len(NOISE) // 2], **CLOSE), 2),
    Lie("a JPEG until close, cut", "truncated", response(PHOTO[:-2], **CLOSE), 2),
    Lie("a JPEG until close, half", "truncated", response(PHOTO[:len(PHOTO) // 2], **CLOSE), 2),
    Lie("a PNG until close, whole", "done", response(PICTURE, **CLOSE), 1),
    Lie("a JPEG until close, whole", "done", response(PHOTO, **CLOSE), 1),
    Lie("HTTP/1.0 until close", "done", response(PICTURE, version="HTTP/1.0", length=False), 1),
    Lie("half a PNG of its announced length", "corrupt", response(NOISE[:len(NOISE) // 2]), 1),
    Lie("half a JPEG of its announced length", "corrupt", response(PHOTO[:len(PHOTO) // 2]), 1),
    Lie("half a PNG in whole chunks", "corrupt", response(**CHUNKED) + chunks(NOISE[:6000]), 1),
    Lie("more bytes than announced", "done", response(length=False, Content_Length=len(PICTURE)) + PICTURE + b"more", 1),
    Lie("fewer bytes announced than sent", "corrupt", short(NOISE, len(NOISE), len(NOISE) - 100), 1),
    Lie("an answer to no request behind it", "done", spoken_twice, 1),
    Lie("no bytes", "empty", response(b""), 1),
    Lie("no bytes until close", "empty", response(b"", **CLOSE), 1),
    Lie("no bytes in chunks", "empty", response(**CHUNKED) + chunks(), 1),
    Lie("204", "empty", response(status="204 No Content", length=False), 1),
    Lie("205", "empty", response(b"", status="205 Reset Content"), 1),
    Lie("a part that was not asked for", "integrity|truncated|corrupt|http_206",
        response(NOISE[:6000], status="206 Partial Content", Content_Range=f"bytes 0-5999/{len(NOISE)}")),
]
