"""F22: servers that lie about ranges when a download of 2.4 MB is resumed.

Each first answer breaks off at a random place, either because the connection is reset or because the program is killed (kill -9)
while the server is silent. Whatever the server then says to a request with Range, the original must be what a whole download
gives, byte for byte. The control joins the parts without looking at them.
"""
import hashlib, re, time, urllib.request

from servers import job, namespace
from servers.pictures import noise
from servers.server import HTTPServer, Kept, response

TITLE = "range lies: 200 for 206, other ranges, changed ETag or bytes, 416, weak ETags"
TRIES = 1
NEEDS = ["namespaces", "ip"]
BODY = noise(900, 900, seed=1, level=0)
OTHER = noise(900, 900, seed=2, level=0)
LONGER = noise(900, 950, seed=3, level=0)
LONG, SHORT = (1_200_000, 2_300_000), (100_000, 900_000)  # where the first answer breaks off
TAG, DATE = '"one"', "Sun, 06 Nov 1994 08:49:37 GMT"


class Part:
    """A true answer to a range, to be changed."""

    def __init__(self, body, start):
        self.body, self.start, self.end, self.total = body[start:], start, len(body) - 1, len(body)
        self.fields, self.status = {"ETag": TAG, "Last_Modified": DATE, "Accept_Ranges": "bytes"}, "206 Partial Content"
        self.range = f"bytes {start}-{self.end}/{self.total}"

    def bytes(self):
        fields = {**self.fields, **({"Content_Range": self.range} if self.range else {})}
        return response(self.body, self.status, **fields)


def lie(change):
    def answer(start, current):
        part = Part(current, start)
        change(part)
        return part.bytes()
    return answer


def whole(current, tag=TAG):
    return response(current, ETag=tag, Last_Modified=DATE, Accept_Ranges="bytes")


def multipart(part):
    part.body = (b"--x\r\nContent-Range: %s\r\n\r\n" % part.range.encode()) + part.body + b"\r\n--x--\r\n"
    part.range, part.fields["Content_Type"] = None, "multipart/byteranges; boundary=x"


def shifted(part, by):
    part.body = BODY[part.start + by:]
    part.range = f"bytes {part.start + by}-{part.end}/{part.total}"


LIES = {  # what is there now, the fields of the first answer, and what a request with Range gets
    "an honest part": (BODY, {}, lie(lambda part: None)),
    "200 with all bytes": (BODY, {}, lambda start, current: whole(current)),
    "200 with other bytes": (OTHER, {}, lambda start, current: whole(current, '"two"')),
    "a part of another file, another ETag": (OTHER, {}, lie(lambda part: part.fields.update(ETag='"two"'))),
    "a part of another file, the same ETag": (OTHER, {}, lie(lambda part: None)),
    "a part of another file, no ETag": (OTHER, {}, lie(lambda part: part.fields.pop("ETag"))),
    "a part of a longer file, the same ETag": (LONGER, {}, lie(lambda part: None)),
    "a later range, as it says": (BODY, {}, lie(lambda part: shifted(part, 1000))),
    "an earlier range, as it says": (BODY, {}, lie(lambda part: shifted(part, -1000))),
    "the first bytes, said to be the rest": (BODY, {}, lie(lambda part: setattr(part, "body", BODY[:len(part.body)]))),
    "a later range, said to be the rest": (BODY, {}, lie(lambda part: setattr(part, "body", BODY[part.start + 9:] + bytes(9)))),
    "a part without Content-Range": (BODY, {}, lie(lambda part: setattr(part, "range", None))),
    "a Content-Range that is none": (BODY, {}, lie(lambda part: setattr(part, "range", "bytes all/of it"))),
    "another total": (BODY, {}, lie(lambda part: setattr(part, "range", f"bytes {part.start}-{part.end}/{part.total + 5}"))),
    "an unknown total": (BODY, {}, lie(lambda part: setattr(part, "range", f"bytes {part.start}-{part.end}/*"))),
    "a part that ends early": (BODY, {}, lie(lambda part: setattr(part, "body", part.body[:-100]))),
    "a part of many parts": (BODY, {}, lie(multipart)),
    "a part that is gzip": (BODY, {}, lie(lambda part: part.fields.update(Content_Encoding="gzip"))),
    "416": (BODY, {}, lambda start, current: response(b"", "416 Range Not Satisfiable", Content_Range=f"bytes */{len(current)}")),
    "416 of another length": (
        LONGER, {}, lambda start, current: response(b"", "416 No", Content_Range=f"bytes */{len(current)}")),
    "412": (BODY, {}, lambda start, current: response(b"", "412 Precondition Failed")),
    "304": (BODY, {}, lambda start, current: response(length=False, status="304 Not Modified")),
    "501": (BODY, {}, lambda start, current: response(b"", "501 Not Implemented")),
    "a weak ETag": (OTHER, {"ETag": 'W/"one"', "Last_Modified": ""}, lie(lambda part: part.fields.update(ETag='W/"one"'))),
    "no validator": (OTHER, {"ETag": "", "Last_Modified": ""}, lie(lambda part: part.fields.clear())),
    "ranges are not accepted": (OTHER, {"Accept_Ranges": "none"}, lie(lambda part: None)),
}
REFUSALS = {"412", "304", "501"}  # no answer to a request with Range: the item may fail with it, but not with wrong bytes


class Host:
    """One server: its first answer breaks off, the later ones lie if they are asked for a range."""

    def __init__(self, name, cut, stays):
        self.name, self.cut, self.stays = name, cut, stays
        self.current, self.first, self.rest = LIES[name]
        self.begun, self.sent, self.asked = False, 0, 0

    def answer(self, request, connection):
        start = re.fullmatch(r"bytes=(\d+)-", request.headers.get("range", ""))
        if not self.begun:
            self.begun = True
            fields = {"ETag": TAG, "Last_Modified": DATE, "Accept_Ranges": "bytes", **self.first}
            fields = {name: value for name, value in fields.items() if value}
            connection.send(response(length=False, Content_Length=len(BODY), **fields) + BODY[:self.cut])
            connection.wait(60 if self.stays else 0.5)  # what is on its way at a reset is lost
            connection.reset()
            return None
        self.asked += bool(start)
        reply = self.rest(int(start[1]), self.current) if start else whole(self.current)
        self.sent += len(reply)
        return Kept(reply)


def run(trial):
    namespace.answer()
    hosts = {}
    HTTPServer(lambda request, connection: hosts[request.address].answer(request, connection))
    # Parts of a megabyte and more are kept on disk, shorter ones in memory.
    for case, stays, cuts in [("reset", False, LONG), ("kill -9", True, LONG), ("reset, short parts", False, SHORT)]:
        renew(trial, hosts, stays, cuts)
        made = job(trial, case, [f"http://{address}/a.png" for address in hosts], retry={"backoff": "10ms..50ms"},
                   outputs=[{"format": "original", "path": "{index}.{ext}"}], loading={"concurrency": 64, "timeout": "30s"})
        kills = kill(made, hosts) if stays else 0
        made.run()
        judge(trial, case, made, hosts, kills)
    renew(trial, hosts, False, LONG)
    wrong = sum(joined(address) != host.current for address, host in hosts.items())
    trial.row(case="control", tries=len(hosts), expected="other bytes", seen="parts joined without a look",
              good=True, control=f"{wrong} of other bytes", caught=wrong > 5)


def renew(trial, hosts, stays, cuts):
    hosts.clear()
    hosts.update({namespace.public(10 + number): Host(name, trial.random.randrange(*cuts), stays)
                  for number, name in enumerate(LIES)})


def kill(made, hosts):
    """Kills a run once every host has said its first part and that may have reached the disk."""
    process = made.start()
    end = time.monotonic() + 30
    while time.monotonic() < end and not all(host.begun for host in hosts.values()):
        time.sleep(0.05)
    time.sleep(2)
    process.kill()
    process.wait()
    return 1


def judge(trial, case, made, hosts, kills):
    items = {item["url"].split("/")[2]: item for item in made.items()}
    wrong, undone = [], []
    for address, host in hosts.items():
        item = items[address]
        if item["state"] != "done":
            if host.name not in REFUSALS:
                undone.append(f"{host.name}: {item['error']}")
            continue
        path = made.folder / "out" / item["outputs"][0]["path"]
        if hashlib.sha256(path.read_bytes()).digest() != hashlib.sha256(host.current).digest():
            wrong.append(host.name)
    honest = next(host for host in hosts.values() if host.name == "an honest part")
    asked = sum(host.asked > 0 for host in hosts.values())
    trial.row(
        case=case, tries=f"{len(hosts)} downloads, {kills} kills", expected="other bytes 0, not done 0",
        seen=f"other bytes {len(wrong)}, not done {len(undone)}, {asked} asked for a range; an honest server sent "
             f"{100 - 100 * honest.sent / len(BODY):.0f} % less than all" + "".join(f"; {line}" for line in wrong + undone),
        good=not wrong and not undone and asked > 0)


def joined(address):
    """A download that is resumed without a look at the answer."""
    url = f"http://{address}/a.png"
    begun = b""
    try:
        with urllib.request.urlopen(url) as answer:
            while data := answer.read(4096):
                begun += data
    except OSError:
        pass
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers={"Range": f"bytes={len(begun)}-"})) as answer:
            return begun + answer.read()
    except OSError:
        return begun
