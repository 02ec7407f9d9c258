"""Response heads that are cut, wrong, too long, or something else."""
from servers.server import response

from . import PICTURE, Lie

OK = b"HTTP/1.1 200 OK\r\n"
BODY = b"Content-Length: %d\r\n\r\n" % len(PICTURE) + PICTURE


def reset(request, connection):
    connection.reset()


def flood(data, before=b"", most=64 << 20):
    def answer(request, connection):
        connection.send(before)
        connection.flood(data, most)
    return answer


def status_line(line):
    return line + b"\r\n" + BODY


LIES = [
    Lie("closed without a byte", "reset", b"", 2),
    Lie("reset without a byte", "reset", reset, 2),
    Lie("cut in the status line", "reset|truncated", b"HTTP/1.1 2"),
    Lie("cut behind the status line", "truncated|reset", OK, 2),
    Lie("cut in a header", "truncated|reset", OK + b"Content-Le", 2),
    Lie("cut before the empty line", "truncated|reset", OK + b"Content-Length: 9\r\n", 2),
    Lie("another protocol", "reset", b"SSH-2.0-OpenSSH_9.2\r\n"),
    Lie("bytes of no protocol", "reset", bytes(range(256)) * 8),
    Lie("HTTP/0.9: an image and nothing else", "reset", PICTURE),
    Lie("version 9.9", "reset|done", status_line(b"HTTP/9.9 200 OK")),
    Lie("version 2 in text", "reset|done", status_line(b"HTTP/2 200")),
    Lie("ICY", "reset", status_line(b"ICY 200 OK")),
    Lie("a status that is a word", "reset", status_line(b"HTTP/1.1 abc OK")),
    Lie("a status of two digits", "reset", status_line(b"HTTP/1.1 20 OK")),
    Lie("a status of four digits", "reset|http_2000", status_line(b"HTTP/1.1 2000 OK")),
    Lie("status 0", "reset|http_000|http_0", status_line(b"HTTP/1.1 000 OK")),
    Lie("no reason", "done", status_line(b"HTTP/1.1 200"), 1),
    Lie("escape sequences as the reason", "done", status_line(b"HTTP/1.1 200 \x1b[2J\x07"), 1),
    Lie("a header without a colon", "reset", OK + b"No colon here\r\n" + BODY),
    Lie("a zero byte in a header", "reset", OK + b"X-Zero: a\0b\r\n" + BODY),
    Lie("a folded header", "done", OK + b"X-Folded: a\r\n  b\r\n" + BODY, 1),
    Lie("line feeds only", "done", (OK + b"X: y\r\n").replace(b"\r", b"") + BODY.replace(b"\r\n", b"\n", 2), 1),
    Lie("a header of 90 kB", "done", OK + b"X-Long: " + b"x" * 90000 + b"\r\n" + BODY, 1),
    Lie("a header of 1 MB", "reset|too_large", OK + b"X-Long: " + b"x" * (1 << 20) + b"\r\n" + BODY),
    Lie("a status line of 1 MB", "reset|too_large", b"HTTP/1.1 200 " + b"x" * (1 << 20) + b"\r\n" + BODY),
    Lie("100,000 headers", "reset|too_large", OK + b"X-Many: yes\r\n" * 100_000 + BODY),
    Lie("headers without end", "reset|too_large|timeout", flood(b"X-Many: yes\r\n" * 1000, OK)),
    Lie("a header without end", "reset|too_large|timeout", flood(b"x" * 60000, OK + b"X-Long: ")),
    Lie("a status line without end", "reset|too_large|timeout", flood(b"x" * 60000, b"HTTP/1.1 200 ")),
    Lie("100 before the answer", "done", b"HTTP/1.1 100 Continue\r\n\r\n" * 3 + OK + BODY, 1),
    Lie("103 before the answer", "done", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + OK + BODY, 1),
    Lie("100 without end", "reset|too_large|timeout", flood(b"HTTP/1.1 100 Continue\r\n\r\n" * 500)),
    Lie("101 that was not asked for", "reset|http_101|empty|truncated|timeout|wrong_type",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n" + PICTURE),
    Lie("a Location with 200", "done", response(PICTURE, Location="http://127.0.0.1/"), 1),
]
