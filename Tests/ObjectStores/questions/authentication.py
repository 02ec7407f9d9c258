"""Signatures, clocks, permissions and addresses."""
import json

from questions import table
from questions.sessions import assume_role

question = table("Authentication and addresses")


@question("Wrong secret key")
def wrong_secret(store):
    return _get(store, user={"secretKey": "0" * 40})


@question("Unknown access key")
def unknown_key(store):
    return _get(store, user={"accessKey": "NOBODY"})


@question("Unsigned request")
def unsigned(store):
    return _get(store, signed=False)


@question("Unknown session token with a right signature")
def unknown_token(store):
    return _get(store, token="unknown")


@question("Keys of an assumed role: with their token; with a changed token; without")
def session_token(store):
    if "role" not in store.facts:
        return "no role"
    user, token = assume_role(store.facts)
    changed = token[:20] + ("A" if token[20] != "A" else "B") + token[21:]
    return "; ".join(_get(store, user=user, token=each) for each in (token, changed, None))


@question("Clock 10 minutes slow")
def slow(store):
    return _get(store, minutes=-10)


@question("Clock 1 hour slow")
def very_slow(store):
    return _get(store, minutes=-60)


@question("Clock 1 hour fast")
def fast(store):
    return _get(store, minutes=60)


@question("Presigned GET")
def presigned(store):
    return _get(store, presign=60)


@question("Presigned GET that has expired")
def expired(store):
    return _get(store, presign=60, minutes=-5)


@question("Signature for another region")
def region(store):
    key = store.key()
    store.put(key)
    answer = store.send("GET", key, region="eu-west-3")
    told = [answer.headers[name] for name in answer.headers if name == "x-amz-bucket-region"]
    if answer.status >= 300 and answer.body:
        told += answer.texts("Region")
    return f"{answer}, tells {told[0]}" if told else str(answer)


@question("HEAD of a missing key; GET of it")
def missing(store):
    return f"{store.send('HEAD', store.key())}; {store.send('GET', store.key())}"


@question("The same by a user who may read but not list")
def missing_without_list(store):
    reader = store.facts.get("reader")
    if not reader:
        return "no such user"
    key = store.key()
    store.put(key)
    if "name" in reader:
        allow = {"Effect": "Allow", "Principal": {"AWS": [f"arn:aws:iam:::user/{reader['name']}"]},
                 "Action": ["s3:GetObject"], "Resource": [f"arn:aws:s3:::{store.bucket}/*"]}
        policy = json.dumps({"Version": "2012-10-17", "Statement": [allow]}).encode()
        store.send("PUT", query={"policy": ""}, body=policy)
    existing = store.send("GET", key, user=reader)
    absent = [store.send(method, store.key(), user=reader) for method in ("HEAD", "GET")]
    return f"{absent[0]}; {absent[1]}" + ("" if existing.status == 200 else f" (an existing key: {existing})")


@question("GET in a missing bucket")
def missing_bucket(store):
    return str(store.send("GET", "key", bucket="no-such-bucket"))


@question("Virtual-hosted style (`Host: BUCKET.localhost`)")
def virtual_host(store):
    key = store.key()
    store.put(key)
    port = store.facts["endpoint"].rpartition(":")[2]
    answer = store.send("GET", key, host=f"{store.bucket}.localhost:{port}")
    return str(answer) if answer.status != 200 or answer.body == b"first" else "200, **another body**"


def _get(store, **options):
    key = store.key()
    store.put(key)
    answer = store.send("GET", key, **options)
    return str(answer)
