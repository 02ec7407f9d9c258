"""Checksums, and what a server does with bytes that do not match them."""
import base64
import hashlib

from questions import table

question = table("Integrity")
BODY = b"the bytes of an object"


def crc32c(data):
    """The CRC-32C of RFC 3720, appendix B.4, bit by bit."""
    value = 0xFFFFFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
    return (value ^ 0xFFFFFFFF).to_bytes(4, "big")


ALGORITHMS = {"sha256": lambda data: hashlib.sha256(data).digest(), "crc32c": crc32c}


def checksum(algorithm, data):
    return {f"x-amz-checksum-{algorithm}": base64.b64encode(ALGORITHMS[algorithm](data)).decode()}


def ask_about(algorithm):
    @question(f"PUT with `x-amz-checksum-{algorithm}`; GET with `x-amz-checksum-mode: ENABLED`")
    def right(store):
        key, headers = store.key(), checksum(algorithm, BODY)
        answer = store.send("PUT", key, headers=headers, body=BODY)
        if answer.status != 200:
            return str(answer)
        found = store.send("GET", key, headers={"x-amz-checksum-mode": "ENABLED"}).headers
        return f"{answer}, " + ("returned" if headers.items() <= found.items() else "not returned")

    @question(f"PUT with a wrong `x-amz-checksum-{algorithm}`")
    def wrong(store):
        key = store.key()
        return store.refusal(store.send("PUT", key, headers=checksum(algorithm, b"other"), body=BODY), key, None)


for name in ALGORITHMS:
    ask_about(name)


@question("PUT with a wrong `Content-MD5`")
def md5(store):
    key = store.key()
    digest = base64.b64encode(hashlib.md5(b"other").digest()).decode()
    return store.refusal(store.send("PUT", key, headers={"Content-MD5": digest}, body=BODY), key, None)


@question("PUT with a wrong payload hash, rightly signed")
def payload(store):
    key = store.key()
    answer = store.send("PUT", key, body=BODY, payload=hashlib.sha256(b"other").hexdigest())
    return store.refusal(answer, key, None)


@question("PUT with `UNSIGNED-PAYLOAD`")
def unsigned_payload(store):
    key = store.key()
    return store.outcome(store.send("PUT", key, body=BODY, payload="UNSIGNED-PAYLOAD"), key, None)


@question("PUT whose connection closes half way, over an object")
def torn(store):
    key = store.key()
    store.put(key)
    store.send("PUT", key, body=b"x" * 100_000, cut=50_000)
    found = store.content(key)
    return "object unchanged" if found == b"first" else f"**object has {len(found or b'')} of 100,000 bytes**"


@question("ETag of a PUT")
def etag(store):
    etag = store.put(store.key(), BODY).etag
    return "MD5" if etag == f'"{hashlib.md5(BODY).hexdigest()}"' else f"`{etag}`"


@question("Metadata that a HEAD returns")
def metadata(store):
    key = store.key()
    sent = {"content-type": "image/avif", "cache-control": "max-age=60", "content-disposition": "inline",
            "content-encoding": "br", "x-amz-meta-origin": "https://example.org/a"}
    store.put(key, BODY, **sent)
    found = store.send("HEAD", key).headers
    lost = [f"`{name}`" for name in sent if found.get(name) != sent[name]]
    return "all" if not lost else "without " + ", ".join(lost)


@question("`x-amz-storage-class: STANDARD_IA`")
def storage_class(store):
    key = store.key()
    answer = store.send("PUT", key, headers={"x-amz-storage-class": "STANDARD_IA"}, body=BODY)
    if answer.status != 200:
        return str(answer)
    return f"{answer}, {store.send('HEAD', key).headers.get('x-amz-storage-class', 'none')}"
