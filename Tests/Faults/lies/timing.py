"""Answers that do not come, or come for ever. The job that asks gives a byte 2 s and the whole 5 s."""
from servers.server import response

from . import NOISE, Lie

HEAD = b"HTTP/1.1 200 OK\r\n"


def silence(before):
    def answer(request, connection):
        connection.send(before)
        connection.wait(30)
    return answer


def dripping(before, data):
    def answer(request, connection):
        connection.send(before)
        connection.drip(data, 0.2, 30)
    return answer


def without_end(before, data, most=64 << 20):
    def answer(request, connection):
        connection.send(before)
        connection.flood(data, most)
    return answer


LIES = [
    Lie("silence", "timeout", silence(b""), 2),
    Lie("silence in the head", "timeout", silence(HEAD), 2),
    Lie("silence in the body", "timeout", silence(response(NOISE)[:3000]), 2),
    Lie("silence behind a body until close", "timeout|truncated|done", silence(response(NOISE, length=False)), None),
    Lie("a head that drips", "timeout", dripping(HEAD, b"X-Drip: drop\r\n"), 2),
    Lie("a body that drips", "timeout", dripping(response(length=False, Content_Length=100_000), NOISE), 2),
    Lie("a body without end", "too_large", without_end(response(length=False), bytes(65536)), 1),
    Lie("chunks without end", "too_large",
        without_end(response(length=False, Transfer_Encoding="chunked"), b"10000\r\n" + bytes(65536) + b"\r\n"), 1),
]
