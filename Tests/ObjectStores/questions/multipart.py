"""Multipart uploads and copies."""
import hashlib

from questions import table
from questions.uploads import begin, complete, result, upload

question = table("Multipart uploads and copies")
LEAST = 5 << 20


@question("Two parts: bytes and ETag")
def two_parts(store):
    key, first = store.key(), b"a" * LEAST
    number = begin(store, key)
    parts = [upload(store, key, number, 1, first), upload(store, key, number, 2, b"b")]
    answer = complete(store, key, number, parts)
    found = store.send("GET", key)
    if found.body != first + b"b":
        return f"{result(answer)}, **other bytes**"
    digests = hashlib.md5(first).digest() + hashlib.md5(b"b").digest()
    usual = found.etag.strip('"') == hashlib.md5(digests).hexdigest() + "-2"
    form = "MD5 of MD5s, `-2`" if usual else f"ETag of another form, {len(found.etag) - 2} characters"
    return f"{result(answer)}, {form}"


@question("A first part below 5 MiB")
def small_part(store):
    key = store.key()
    number = begin(store, key)
    return result(complete(store, key, number, [upload(store, key, number, part, b"small") for part in (1, 2)]))


@question("Parts uploaded out of order")
def out_of_order(store):
    key = store.key()
    number = begin(store, key)
    last = upload(store, key, number, 2, b"b")
    first = upload(store, key, number, 1, b"a" * LEAST)
    answer = complete(store, key, number, [first, last])
    return result(answer) + ("" if store.content(key) == b"a" * LEAST + b"b" else ", **other bytes**")


@question("A part uploaded again replaces the first")
def part_again(store):
    key = store.key()
    number = begin(store, key)
    upload(store, key, number, 1, b"old")
    answer = complete(store, key, number, [upload(store, key, number, 1, b"new")])
    return result(answer) + ("" if store.content(key) == b"new" else ", **other bytes**")


@question("Complete with a wrong ETag of a part")
def wrong_part(store):
    key = store.key()
    number = begin(store, key)
    upload(store, key, number, 1, b"part")
    answer = complete(store, key, number, [(1, '"00000000000000000000000000000000"')])
    return result(answer) + (", **stored**" if store.content(key) == b"part" else "")


@question("Complete a second time")
def complete_again(store):
    key = store.key()
    number = begin(store, key)
    parts = [upload(store, key, number, 1, b"part")]
    complete(store, key, number, parts)
    return result(complete(store, key, number, parts))


@question("List parts; list uploads")
def lists(store):
    key = store.key()
    number = begin(store, key)
    upload(store, key, number, 1, b"part")
    parts = store.send("GET", key, {"uploadId": number})
    uploads = store.send("GET", query={"uploads": "", "prefix": key})
    cells = [f"{parts}" if parts.status != 200 or parts.texts("PartNumber") == ["1"] else "200 **without the part**",
             f"{uploads}" if uploads.status != 200 or number in uploads.texts("UploadId") else "200 **without the upload**"]
    store.send("DELETE", key, {"uploadId": number})
    return "; ".join(cells)


@question("Abort; a part afterwards")
def abort(store):
    key = store.key()
    number = begin(store, key)
    upload(store, key, number, 1, b"part")
    ended = store.send("DELETE", key, {"uploadId": number})
    return f"{ended}; {store.send('PUT', key, {'partNumber': 2, 'uploadId': number}, body=b'late')}"


@question("Copy an object")
def copy(store):
    source, key = store.key(), store.key()
    store.put(source)
    answer = store.send("PUT", key, headers={"x-amz-copy-source": f"/{store.bucket}/{source}"})
    return result(answer) + ("" if store.content(key) == b"first" else ", **not copied**")


@question("Copy a range as a part")
def copy_part(store):
    source, key = store.key(), store.key()
    store.put(source, b"0123456789")
    number = begin(store, key)
    answer = store.send("PUT", key, {"partNumber": 1, "uploadId": number},
                        {"x-amz-copy-source": f"/{store.bucket}/{source}", "x-amz-copy-source-range": "bytes=2-4"})
    if answer.status != 200:
        return str(answer)
    ended = complete(store, key, number, [(1, answer.texts("ETag")[0])])
    return result(ended) + ("" if store.content(key) == b"234" else ", **other bytes**")
