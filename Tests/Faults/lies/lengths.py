"""Lengths and digests that contradict themselves or the body."""
import base64, hashlib

from servers.server import chunks, response

from . import PICTURE, Lie

COUNT = len(PICTURE)
WRONG = base64.b64encode(hashlib.sha256(b"another").digest()).decode()
RIGHT = base64.b64encode(hashlib.sha256(PICTURE).digest()).decode()


def lengths(*values, body=PICTURE):
    """An answer with these Content-Length fields."""
    fields = "".join(f"Content-Length: {value}\r\n" for value in values)
    return f"HTTP/1.1 200 OK\r\n{fields}\r\n".encode() + body


def digest(**fields):
    return response(PICTURE, **fields)


LIES = [
    Lie("two lengths that differ", "integrity", lengths(COUNT, COUNT - 1), 2),
    Lie("two lengths that differ, the longer last", "integrity", lengths(COUNT - 1, COUNT), 2),
    Lie("two lengths in one field", "integrity|reset", lengths(f"{COUNT}, {COUNT - 1}")),
    Lie("the shorter of two lengths in one field first", "integrity|reset", lengths(f"{COUNT - 1}, {COUNT}")),
    Lie("the same length twice", "done", lengths(COUNT, COUNT), 1),
    Lie("a negative length", "reset|integrity", lengths(-1)),
    Lie("a length that is a word", "reset|integrity", lengths("many")),
    Lie("a length in hexadecimal", "reset|integrity|empty", lengths("0x40")),
    Lie("an empty length", "reset|integrity|done", lengths("")),
    Lie("a length beyond 64 bits", "too_large|integrity|reset|truncated", lengths("99999999999999999999999")),
    Lie("a length of 2^63 - 1", "too_large", lengths(2 ** 63 - 1), 1),
    Lie("a length above loading.maxBytes", "too_large", lengths(10 ** 9), 1),
    Lie("a length with blanks around it", "done", lengths(f"  {COUNT}  "), 1),
    Lie("a length and chunks", "done|integrity|reset",
        response(length=False, Content_Length=3, Transfer_Encoding="chunked") + chunks(PICTURE)),
    Lie("the digest of something else", "integrity", digest(Repr_Digest=f"sha-256=:{WRONG}:"), 2),
    Lie("the content digest of something else", "integrity", digest(Content_Digest=f"sha-256=:{WRONG}:"), 2),
    Lie("the old digest of something else", "integrity", digest(Digest=f"SHA-256={WRONG}"), 2),
    Lie("the right digest", "done", digest(Repr_Digest=f"sha-256=:{RIGHT}:", Digest=f"SHA-256={RIGHT}"), 1),
    Lie("a digest that is none", "done", digest(Repr_Digest="sha-256=:&%:", Digest="SHA-256"), 1),
    Lie("a digest of an unknown kind", "done", digest(Repr_Digest="sha-31337=:AAAA:"), 1),
]
