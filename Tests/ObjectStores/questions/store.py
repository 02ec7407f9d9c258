"""A client that sends exactly what a question asks for, signed by botocore."""
import datetime
import http.client
import itertools
import re
import xml.etree.ElementTree as ElementTree
from unittest import mock
from urllib.parse import quote, urlencode, urlsplit

import botocore.auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

SECONDS = 20


class Answer:
    """A status, headers by lower-case name, and a body."""

    def __init__(self, response):
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.body = response.read()

    @property
    def etag(self):
        return self.headers.get("etag", "")

    def __str__(self):
        """The status and S3's error code, the form of most cells."""
        code = re.search(rb"<Code>([^<]*)</Code>", self.body) if self.status >= 300 else None
        return f"{self.status} {code.group(1).decode()}" if code else str(self.status)

    def texts(self, name):
        """The texts of all elements `name` in the body, whatever their namespace."""
        return [element.text or "" for element in ElementTree.fromstring(self.body).iter()
                if element.tag.rpartition("}")[2] == name]


class Store:
    """A server and one bucket of it."""

    def __init__(self, facts, bucket="dialects"):
        self.facts = facts
        self.bucket = bucket
        self._numbers = itertools.count()

    def key(self):
        """A key that no other question uses."""
        return f"key-{next(self._numbers)}"

    def send(self, method, key="", query={}, headers={}, body=b"", *, payload=None, minutes=0, user={}, region=None,
             token=None, signed=True, presign=None, host=None, bucket=None, cut=None):
        """Sends one request. `payload` replaces the payload hash, `minutes` shifts the clock of the signature,
        `presign` is a lifetime in seconds, `cut` a number of bytes after which the connection closes."""
        facts = {**self.facts, **user}
        address = urlsplit(facts["endpoint"]).netloc
        bucket = self.bucket if bucket is None else bucket
        path = "/" + quote(key, safe="/~") if host else f"/{bucket}/{quote(key, safe='/~')}".rstrip("/" if not key else "")
        url = f"http://{host or address}{path or '/'}" + ("?" + urlencode(query, quote_via=quote) if query else "")
        request = AWSRequest(method=method, url=url, headers=dict(headers), data=body)
        now = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(minutes=minutes)
        if signed:
            signer = botocore.auth.S3SigV4QueryAuth if presign else botocore.auth.S3SigV4Auth
            signer = signer(Credentials(facts["accessKey"], facts["secretKey"], token), "s3", region or facts["region"],
                            **({"expires": presign} if presign else {}))
            if not presign:
                signer.payload = lambda request: payload or botocore.auth.SigV4Auth.payload(signer, request)
            with mock.patch("botocore.auth.get_current_datetime", lambda *_, **__: now):
                signer.add_auth(request)
        target = urlsplit(request.url)
        lines = {**dict(request.headers.items()), "Host": host or address, "Content-Length": str(len(body))}
        connection = http.client.HTTPConnection(address, timeout=SECONDS)
        try:
            sent = body if cut is None else body[:cut]
            connection.request(method, target.path + ("?" + target.query if target.query else ""), sent, lines)
            if cut is None:
                return Answer(connection.getresponse())
        finally:
            connection.close()

    def put(self, key, body=b"first", **headers):
        """Stores an object that a question needs; an error is the question's outcome."""
        answer = self.send("PUT", key, headers=headers, body=body)
        if answer.status != 200:
            raise Unanswered(f"PUT: {answer}")
        return answer

    def content(self, key):
        """The body of an object, or None if there is none."""
        answer = self.send("GET", key)
        return answer.body if answer.status == 200 else None

    def outcome(self, answer, key, kept=b"first"):
        """The answer to a write, with what it did to the object that held `kept` before."""
        found = self.content(key)
        if answer.status < 300:
            return f"{answer}" if found != kept else f"{answer}, but not stored"
        return f"{answer}" if found == kept else f"{answer}, but **changed**"

    def refusal(self, answer, key, kept=b"first"):
        """The answer to a write that must be refused; a server that carried it out ignored the condition."""
        if answer.status < 300 and self.content(key) != kept:
            return f"**ignored** ({answer.status})"
        return self.outcome(answer, key, kept)


class Unanswered(Exception):
    """A step that a question needs did not work."""
