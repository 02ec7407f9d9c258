"""F18: bodies, heads, trailers and chunk extensions without end, lengths of 2^62, and gzip bombs.

Each is one item at a server of its own, which counts the bytes that it could send until the client left; sockets buffer little.
The control allows bodies of 50 MB: the count must show it.
"""
import zlib

from servers import job, namespace
from servers.measured import measure
from servers.server import HTTPServer, chunks, response

TITLE = "bodies, heads, trailers without end, huge lengths, gzip bombs"
TRIES, CI_TRIES = 1, 1
NEEDS = ["root", "ip"]
LIMIT, HEAD = 1_000_000, 256 * 1024  # loading.maxBytes; the most that a head may have
BUFFERS = 600_000  # of both sockets, and libcurl's own
MOST = 80_000_000
OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = response(length=False, Transfer_Encoding="chunked")
FLOODS = {  # what comes before, what is repeated, how much may be read, and the error
    "a body until close": (response(length=False), bytes(65536), LIMIT, "too_large"),
    "a body in chunks": (CHUNKED, b"10000\r\n" + bytes(65536) + b"\r\n", LIMIT, "too_large"),
    "a length of 2^62": (response(length=False, Content_Length=2 ** 62), bytes(65536), 0, "too_large"),
    "a length of 2 GB": (response(length=False, Content_Length=2 * 10 ** 9), bytes(65536), 0, "too_large"),
    "a gzip bomb": (response(length=False, Content_Encoding="gzip"), zlib.compress(bytes(1 << 20), wbits=31), LIMIT, "too_large"),
    "header fields": (OK, b"X-Flood: yes\r\n" * 1000, HEAD, "reset"),
    "one header field": (OK + b"X-Flood: ", b"x" * 65536, HEAD, "reset"),
    "a status line": (b"HTTP/1.1 200 ", b"x" * 65536, HEAD, "reset"),
    "answers of status 100": (b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 1000, HEAD, "reset"),
    "trailers": (CHUNKED + chunks(b"x", end=b"0\r\n"), b"X-Flood: yes\r\n" * 1000, HEAD, "reset"),
    "a chunk size": (CHUNKED, b"0" * 65536, HEAD, "reset"),
    "the body of an error": (response(status="404 Not Found", length=False), bytes(65536), LIMIT, "http_404"),
    "the body of a redirect": (
        response(status="302 Found", length=False, Location="/there"), bytes(65536), 7 * LIMIT, "redirects"),
}
EXTENSION = CHUNKED + b"5;x="


def run(trial):
    namespace.answer()
    namespace.bound_buffers()
    floods = {namespace.public(number): (name, *flood) for number, (name, flood) in enumerate(FLOODS.items(), 10)}
    sent = {}

    def answer(request, connection):
        _, before, data, _, _ = floods.get(request.address, ("", EXTENSION, b"x" * 65536, 0, ""))
        try:
            connection.send(before)
            connection.flood(data, MOST, 0 if request.address in floods else 0.02)
        finally:
            sent[request.address] = sent.get(request.address, 0) + connection.sent

    HTTPServer(answer)
    floor = measure(limited(trial, "nothing", []), limit=60).peak
    flooded = limited(trial, "floods", floods)
    result = measure(flooded, limit=120)
    errors = {item["url"].split("/")[2]: item["error"] for item in flooded.items()}
    bad = []
    for address, (name, _, _, most, expected) in floods.items():
        past = sent.get(address, 0) - most
        if past > BUFFERS or errors[address] not in expected.split("|"):
            bad.append(f"{name}: {past / 1e6:.1f} MB past the limit, {errors[address]}")
    worst = max(sent.get(address, 0) - flood[3] for address, flood in floods.items())
    sent.clear()
    limited(trial, "control", list(floods)[:2], maxBytes="50MB").run()
    control = max(sent.values(), default=0) - LIMIT
    trial.row(
        tries=len(floods), expected=f"past the limit ≤ {BUFFERS / 1e6} MB (the sockets' buffers), memory ≤ 64 MB more",
        seen=f"{worst / 1e6:.2f} MB, memory {result.peak - floor:.0f} MB more" + "".join(f"; {line}" for line in bad),
        good=not bad and result.peak - floor <= 64,
        control=f"maxBytes 50 MB: {control / 1e6:.0f} MB past", caught=control > BUFFERS)
    extension(trial, sent)


def extension(trial, sent):
    """libcurl skips chunk extensions and tells nobody: what bounds them is the time without a byte of the body."""
    address = namespace.public(5)
    made = limited(trial, "extension", [address], timeout="3s")
    result = made.run()
    trial.row(
        case="chunk extension", tries=1, expected="ended by loading.timeout (3 s) at the latest",
        seen=f"{made.items()[0]['error']} after {result.seconds:.1f} s and {sent.get(address, 0) / 1e6:.0f} MB",
        good=made.items()[0]["error"] in ("timeout", "reset", "too_large") and result.seconds < 6)


def limited(trial, name, addresses, **loading):
    return job(
        trial, name, [f"http://{address}/" for address in addresses], retry={"attempts": 1},
        loading={"maxBytes": LIMIT, "timeout": "5s", "totalTimeout": "20s", **loading})
