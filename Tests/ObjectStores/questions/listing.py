"""Lists, deletions and versions."""
import base64
import hashlib
import re
from urllib.parse import unquote_plus

from questions import table

question = table("Lists, deletions and versions")


def listing(store, **query):
    options = {name.replace("_", "-"): value for name, value in query.items()}
    answer = store.send("GET", query={"list-type": 2, "encoding-type": "url", **options})
    if answer.status != 200:
        return answer, []
    return answer, [unquote_plus(key) for key in answer.texts("Key")]


def filled(store, names):
    prefix = store.key() + "/"
    for name in names:
        store.put(prefix + name, b"")
    return prefix


@question("Pages of two keys by `continuation-token`")
def pages(store):
    names = [f"{number}" for number in range(5)]
    prefix, found, token, requests = filled(store, names), [], {}, 0
    while requests < 10:
        requests += 1
        answer, keys = listing(store, prefix=prefix, max_keys=2, **token)
        if answer.status != 200:
            return str(answer)
        found += keys
        if answer.texts("IsTruncated") != ["true"]:
            break
        token = {"continuation_token": answer.texts("NextContinuationToken")[0]}
    if found == [prefix + name for name in names]:
        return f"each once, {requests} requests"
    return "**" + ", ".join(key[len(prefix):] for key in found) + "**"


@question("A page that is exactly full at the end")
def full_page(store):
    prefix = filled(store, ["1", "2"])
    answer, keys = listing(store, prefix=prefix, max_keys=2)
    return f"{len(keys)} keys, IsTruncated {answer.texts('IsTruncated')[0]}" if answer.status == 200 else str(answer)


@question("`delimiter=/`: keys; common prefixes")
def delimiter(store):
    prefix = filled(store, ["a", "b/1", "b/2", "c/1"])
    answer, keys = listing(store, prefix=prefix, delimiter="/")
    if answer.status != 200:
        return str(answer)
    prefixes = [unquote_plus(text) for text in answer.texts("Prefix")[1:]]
    return "; ".join(", ".join(name[len(prefix):] for name in names) for names in (keys, prefixes))


@question("`start-after`")
def start_after(store):
    prefix = filled(store, ["a", "b", "c"])
    answer, keys = listing(store, prefix=prefix, start_after=prefix + "a")
    return ", ".join(key[len(prefix):] for key in keys) if answer.status == 200 else str(answer)


@question("Order of `a-b`, `a/b`, `a0`, `B`, U+FF5E, U+1F600")
def order(store):
    names = ["B", "a-b", "a/b", "a0", "\uff5e", "\U0001f600"]
    prefix = filled(store, names)
    answer, keys = listing(store, prefix=prefix)
    found = [key[len(prefix):] for key in keys]
    return "by UTF-8 bytes" if found == names else f"**other: {', '.join(ascii(name) for name in found)}**"


@question("`encoding-type=url`: form of a space, `+`, `/`")
def encoding(store):
    key = store.key() + "/ +"
    store.put(key)
    answer = store.send("GET", query={"list-type": 2, "encoding-type": "url", "prefix": key[:-2]})
    return f"`{answer.texts('Key')[0][len(key) - 3:]}`" if answer.status == 200 else str(answer)


@question("Facts of a listed object")
def facts(store):
    key = store.key()
    etag = store.put(key).etag
    answer = store.send("GET", query={"list-type": 2, "prefix": key})
    if answer.status != 200:
        return str(answer)
    same = "the same" if answer.texts("ETag") == [etag] else "**another**"
    # Without the digits that differ from run to run.
    date = re.sub(r"\d", "0", answer.texts("LastModified")[0])
    return f"size {answer.texts('Size')[0]}, ETag {same}, `{date}`"


@question("DELETE of an object; of a missing key")
def delete(store):
    key = store.key()
    store.put(key)
    return f"{store.send('DELETE', key)}; {store.send('DELETE', key)}"


@question("DeleteObjects of an object and a missing key")
def delete_several(store):
    keys = [store.key(), store.key()]
    store.put(keys[0])
    body = ("<Delete>" + "".join(f"<Object><Key>{key}</Key></Object>" for key in keys) + "</Delete>").encode()
    digest = base64.b64encode(hashlib.md5(body).digest()).decode()
    answer = store.send("POST", query={"delete": ""}, headers={"Content-MD5": digest}, body=body)
    if answer.status != 200:
        return str(answer)
    stays = ", **object stays**" if store.content(keys[0]) else ""
    return f"{len(answer.texts('Deleted'))} deleted, {len(answer.texts('Error'))} errors{stays}"


@question("GET with `versionId` of the version before")
def versions(store):
    bucket = type(store)(store.facts, store.bucket + "-versions")
    created = bucket.send("PUT")
    body = b"<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>"
    enabled = bucket.send("PUT", query={"versioning": ""}, body=body)
    if enabled.status != 200:
        return f"no versions ({enabled})"
    first, _ = bucket.put("key"), bucket.put("key", b"second")
    version = first.headers.get("x-amz-version-id")
    if not version:
        return f"no version ids (bucket: {created})"
    found = bucket.send("GET", "key", {"versionId": version})
    return f"{found}" + ("" if found.body == b"first" else ", **another body**")
