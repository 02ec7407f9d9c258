"""One signed request with Python's standard library alone, so that `start` needs no package of its own."""
import datetime
import hashlib
import hmac
import http.client
from urllib.parse import urlsplit


def request(facts, method, path, body=b"", service="s3", query=""):
    """Sends a request signed with Signature Version 4 and returns its status and body.

    `path` consists of unreserved characters and slashes, and `query` is in its canonical form. Source: Amazon S3 API Reference, "Authenticating Requests:
    Using the Authorization Header".
    """
    address = urlsplit(facts["endpoint"]).netloc
    time = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    digest = hashlib.sha256(body).hexdigest()
    headers = {"host": address, "x-amz-content-sha256": digest, "x-amz-date": time}
    names = ";".join(headers)
    lines = "".join(f"{name}:{value}\n" for name, value in headers.items())
    canonical = f"{method}\n{path}\n{query}\n{lines}\n{names}\n{digest}"
    scope = f"{time[:8]}/{facts['region']}/{service}/aws4_request"
    text = f"AWS4-HMAC-SHA256\n{time}\n{scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
    key = ("AWS4" + facts["secretKey"]).encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    signature = hmac.digest(key, text.encode(), "sha256").hex()
    headers["authorization"] = (f"AWS4-HMAC-SHA256 Credential={facts['accessKey']}/{scope}, "
                                f"SignedHeaders={names}, Signature={signature}")
    connection = http.client.HTTPConnection(address, timeout=10)
    try:
        connection.request(method, f"{path}?{query}" if query else path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def stores_objects(facts):
    """Whether the server creates a bucket, stores an object in it, and deletes both; false while nothing listens."""
    bucket = "/nuke-batch-readiness"
    item = f"{bucket}/object"
    # The body is not empty: SeaweedFS stores empty objects before it has a place for bytes.
    steps = [("PUT", bucket, b""), ("PUT", item, b"ready"), ("DELETE", item, b""), ("DELETE", bucket, b"")]
    try:
        # 409: the bucket stays from an attempt before.
        return all(request(facts, *step)[0] in (200, 204, 409) for step in steps)
    except (OSError, http.client.HTTPException):
        return False
