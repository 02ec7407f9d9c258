"""A bucket of an S3 server on loopback, read and written from outside of the program under test."""
import importlib.util, re, urllib.parse

from frame import Failure
from frame.places import REPOSITORY

_specification = importlib.util.spec_from_file_location("signing", REPOSITORY / "Tests/ObjectStores/frame/signing.py")
signing = importlib.util.module_from_spec(_specification)
_specification.loader.exec_module(signing)


class Bucket:
    """A bucket whose keys consist of unreserved characters and slashes."""

    def __init__(self, facts, name):
        self.facts, self.name = facts, name

    def create(self):
        self._send("PUT", expected=(200, 409))

    def get(self, key):
        return self._send("GET", key)

    def put(self, key, data):
        self._send("PUT", key, data)

    def delete(self, key):
        self._send("DELETE", key, expected=(200, 204))

    def list(self, prefix):
        """All keys that begin with a prefix."""
        keys, token = [], None
        while True:
            words = {"list-type": "2", "prefix": prefix, **({"continuation-token": token} if token else {})}
            query = "&".join(f"{name}={urllib.parse.quote(words[name], safe='')}" for name in sorted(words))
            page = self._send("GET", query=query).decode()
            keys += re.findall("<Key>([^<]*)</Key>", page)
            found = re.search("<NextContinuationToken>([^<]*)</NextContinuationToken>", page)
            if not found:
                return keys
            token = found[1]

    def _send(self, method, key="", data=b"", query="", expected=(200,)):
        path = f"/{self.name}/{key}" if key else f"/{self.name}"
        status, answer = signing.request(self.facts, method, path, data, query=query)
        if status not in expected:
            raise Failure(f"{method} {path}: {status} {answer[:300]}")
        return answer
