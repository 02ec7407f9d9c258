"""Conditional writes and reads."""
import threading
from concurrent.futures import ThreadPoolExecutor

from questions import table
from questions.uploads import begin, complete, upload

question = table("Conditional writes")
ROUNDS, WRITERS = 20, 16
OTHER = '"00000000000000000000000000000000"'


@question("PUT, `If-None-Match: *`, key missing")
def absent(store):
    key = store.key()
    return store.outcome(store.send("PUT", key, headers={"If-None-Match": "*"}, body=b"second"), key, None)


@question("PUT, `If-None-Match: *`, key exists")
def present(store):
    key = store.key()
    store.put(key)
    return store.refusal(store.send("PUT", key, headers={"If-None-Match": "*"}, body=b"second"), key)


@question(f"{WRITERS} concurrent PUTs with `If-None-Match: *`, {ROUNDS} rounds")
def race(store):
    winners, losses, mismatches = [], set(), 0
    with ThreadPoolExecutor(WRITERS) as writers:
        for _ in range(ROUNDS):
            key, gate = store.key(), threading.Barrier(WRITERS)

            def write(number):
                gate.wait()
                return store.send("PUT", key, headers={"If-None-Match": "*"}, body=b"writer %d" % number)

            answers = list(writers.map(write, range(WRITERS)))
            won = [number for number, answer in enumerate(answers) if answer.status == 200]
            winners.append(len(won))
            losses |= {str(answer) for answer in answers if answer.status != 200}
            mismatches += len(won) == 1 and store.content(key) != b"writer %d" % won[0]
    if mismatches:
        return f"**wrong bytes** in {mismatches} rounds"
    if set(winners) == {0}:
        return ", ".join(sorted(losses))
    if set(winners) == {1}:
        return "one winner in each; others " + ", ".join(sorted(losses))
    return f"**{min(winners)} to {max(winners)} winners**" + "".join(f", {loss}" for loss in sorted(losses))


@question("PUT, `If-Match` with the object's ETag")
def matching(store):
    key = store.key()
    etag = store.put(key).etag
    answer = store.send("PUT", key, headers={"If-Match": etag}, body=b"second")
    if answer.status == 412:
        bare = store.send("PUT", key, headers={"If-Match": etag.strip('"')}, body=b"second")
        return f"**{answer}**; {store.outcome(bare, key)} without its quotation marks"
    return store.outcome(answer, key)


@question("PUT, `If-Match` with another ETag")
def not_matching(store):
    key = store.key()
    store.put(key)
    return store.refusal(store.send("PUT", key, headers={"If-Match": OTHER}, body=b"second"), key)


@question("PUT, `If-Match`, key missing")
def match_missing(store):
    key = store.key()
    return store.refusal(store.send("PUT", key, headers={"If-Match": OTHER}, body=b"second"), key, None)


@question("DELETE, `If-Match` with another ETag")
def delete(store):
    key = store.key()
    store.put(key)
    return store.refusal(store.send("DELETE", key, headers={"If-Match": OTHER}), key)


@question("CompleteMultipartUpload, `If-None-Match: *`, key missing")
def complete_absent(store):
    key = store.key()
    number = begin(store, key)
    answer = complete(store, key, number, [upload(store, key, number, 1, b"second")], headers={"If-None-Match": "*"})
    return store.outcome(answer, key, None)


@question("CompleteMultipartUpload, `If-None-Match: *`, key exists")
def complete_present(store):
    key = store.key()
    store.put(key)
    number = begin(store, key)
    answer = complete(store, key, number, [upload(store, key, number, 1, b"second")], headers={"If-None-Match": "*"})
    return store.refusal(answer, key)


@question("Copy, `If-None-Match: *`, destination exists")
def copy_present(store):
    source, key = store.key(), store.key()
    store.put(source, b"second")
    store.put(key)
    headers = {"x-amz-copy-source": f"/{store.bucket}/{source}", "If-None-Match": "*"}
    return store.refusal(store.send("PUT", key, headers=headers), key)


@question("Copy, `x-amz-copy-source-if-match` with another ETag")
def copy_changed(store):
    source, key = store.key(), store.key()
    store.put(source, b"second")
    headers = {"x-amz-copy-source": f"/{store.bucket}/{source}", "x-amz-copy-source-if-match": OTHER}
    return store.refusal(store.send("PUT", key, headers=headers), key, None)


question = table("Conditional and partial reads")


@question("GET, `Range` and `If-Match`, object unchanged")
def range_same(store):
    key = store.key()
    etag = store.put(key, b"0123456789").etag
    answer = store.send("GET", key, headers={"Range": "bytes=2-4", "If-Match": etag})
    return f"{answer} {answer.headers.get('content-range')}" if answer.body == b"234" else f"{answer}, **other bytes**"


@question("GET, `Range` and `If-Match`, object changed")
def range_changed(store):
    key = store.key()
    etag = store.put(key, b"0123456789").etag
    store.put(key, b"9876543210")
    answer = store.send("GET", key, headers={"Range": "bytes=2-4", "If-Match": etag})
    return f"**ignored** ({answer})" if answer.status < 300 else str(answer)


@question("GET, `If-None-Match` with the object's ETag")
def not_modified(store):
    key = store.key()
    return str(store.send("GET", key, headers={"If-None-Match": store.put(key).etag}))


@question("HEAD, `If-Modified-Since` its `Last-Modified`")
def modified_since(store):
    key = store.key()
    store.put(key)
    date = store.send("HEAD", key).headers.get("last-modified", "")
    return str(store.send("HEAD", key, headers={"If-Modified-Since": date}))


@question("GET, `Range: bytes=-3`")
def suffix(store):
    key = store.key()
    store.put(key, b"0123456789")
    answer = store.send("GET", key, headers={"Range": "bytes=-3"})
    return str(answer) if answer.body == b"789" else f"{answer}, **other bytes**"


@question("GET, `Range` past the end")
def past_end(store):
    key = store.key()
    store.put(key, b"0123456789")
    return str(store.send("GET", key, headers={"Range": "bytes=10-"}))
