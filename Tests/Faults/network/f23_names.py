"""F23: a DNS server that answers nothing, errors, lies, fifty addresses, or another address each time.

No connection may reach an address that is not public. The control allows all addresses: the same names must then lead there.
Then the DNS server fails for a while in the middle of a run: no item may fail or spend an attempt.
"""
import ipaddress, struct, time

from frame import png
from servers import job, namespace
from servers.resolver import NOERROR, NXDOMAIN, REFUSED, SERVFAIL, Resolver
from servers.server import HTTPServer, response

TITLE = "DNS: NXDOMAIN, time-outs, SERVFAIL, rebinding, 50 addresses, an outage"
TRIES = 20  # names that change their address; twice that many seconds of outage
NEEDS = ["root", "ip"]
INSIDE = ["127.0.0.1", "10.1.2.3", "169.254.169.254", "192.168.1.1", "::1", "fd00::1", "::ffff:10.1.2.3"]
GOOD, DEAD = namespace.public(10), namespace.public(99)
NAMES = {  # what each name is answered with, and what the item must become
    "nxdomain": ((NXDOMAIN, []), "dns"), "servfail": ((SERVFAIL, []), "dns"), "refused": ((REFUSED, []), "dns"),
    "silent": (None, "dns|timeout"), "nothing": ((NOERROR, []), "dns"), "garbage": (b"\xff" * 20, "dns|timeout"),
    "short": (b"\x81", "dns|timeout"), "truncated": (struct.pack(">HHHHH", 0x8380, 0, 0, 0, 0), "dns|timeout"),
    "good": ((NOERROR, [GOOD]), "done"), "alias": ((NOERROR, ["good.test", GOOD]), "done"),
    "itself": ((NOERROR, ["itself.test"]), "dns"), "long": ((NOERROR, [GOOD] * 90), "done"),
    "fifty": ((NOERROR, [namespace.public(100 + number) for number in range(50)]), "done"),
    "fifty-dead": ((NOERROR, [DEAD] * 50), "refused|timeout"),
    "fifty-inside": ((NOERROR, [f"10.0.0.{number}" for number in range(50)]), "address"),
    "mixed": ((NOERROR, ["10.1.2.3", GOOD, "127.0.0.1"]), "done"),
    "dead-then-inside": ((NOERROR, [DEAD, "10.1.2.3"]), "address|refused"),
    **{f"inside-{number}": ((NOERROR, [address]), "address") for number, address in enumerate(INSIDE)},
}


class Zone:
    """The names of this fault; `out` until when nothing is answered."""

    def __init__(self):
        self.out = 0

    def answer(self, name, kind, count):
        if time.monotonic() < self.out:
            return SERVFAIL, []
        label = name.split(".")[0]
        if label.startswith("rebind"):
            return NOERROR, [GOOD if count % 2 == 0 else "127.0.0.1"]
        if label.startswith(("later", "bound")):
            return NOERROR, [GOOD]
        return NAMES[label][0] if label in NAMES else (NXDOMAIN, [])


def run(trial):
    namespace.answer("10.0.0.0/8", "169.254.0.0/16", "192.168.0.0/16", "fd00::/8")
    namespace.ip("route", "replace", "table", "local", "unreachable", f"{DEAD}/32")
    namespace.use_resolver(trial.work)
    zone = Zone()
    resolver = Resolver(zone.answer)
    server = HTTPServer(lambda request, _: answer(request))

    def inside():
        return sum(not ipaddress.ip_address(address).is_global for _, address, _ in server.accepted)

    seen = classes(trial, "names", [f"http://{name}.test/a.png" for name in NAMES])
    wrong = [f"{name}: expected {expected}, seen {seen[name + '.test']}" for name, (_, expected) in NAMES.items()
             if seen[f"{name}.test"] not in expected.split("|")]
    rebind = [f"http://rebind-{number}.test/{step}" for number in range(trial.tries) for step in ("a", "moved", "again")]
    classes(trial, "rebind", rebind)
    reached, asked = inside(), len(resolver.queries)
    classes(trial, "control", [f"http://inside-{number}.test/" for number in range(len(INSIDE))] + rebind,
            network={"allow": ["0.0.0.0/0", "::/0"]})
    control = inside() - reached
    trial.row(
        case="answers", tries=f"{len(NAMES)} names, {len(rebind)} items of names that change",
        expected="connections inside 0, misclassified 0",
        seen=f"connections inside {reached}, misclassified {len(wrong)}, {asked} questions" + "".join(f"; {line}" for line in wrong),
        good=not reached and not wrong, control=f"all allowed: {control} inside", caught=control > 0)
    outage(trial, zone)


def answer(request):
    if request.path == "/moved":
        return response(b"", "302 Found", Location=f"http://{request.headers['host']}/a", Connection="close")
    return response(png(1), Connection="close")


def outage(trial, zone):
    """The DNS server fails for some seconds in the middle of a run."""
    urls = [f"http://later-{number % 60}.test/{number}.png" for number in range(240)]
    made = job(trial, "outage", urls, loading={"rate": "4/s", "burst": 1, "perHost": 1}, retry={"backoff": "100ms..1s"})
    seconds = 2 * trial.tries
    process = made.start()
    zone.out = time.monotonic() + seconds
    outcome = made.end(process, limit=seconds + 90)
    late = time.monotonic() - zone.out
    items = made.items()
    failed = sum(item["state"] != "done" for item in items)
    spent = sum(item["attempts"] > 1 for item in items)
    trial.row(
        case="outage", tries=f"{seconds} s, 60 names, {len(items)} items", expected="not done 0, exit 0",
        seen=f"not done {failed}, attempts spent {spent}, exit {outcome.exit}, finished {late:.0f} s after it",
        good=failed == 0 and outcome.exit == 0)


def classes(trial, name, urls, **keys):
    """What became of each host. A host that works is among them: without one this would be an outage."""
    urls = urls + [f"http://bound-{number}.test/w" for number in range(30)]
    made = job(trial, name, urls, retry={"attempts": 2, "backoff": "1s..2s"},
               loading={"connectTimeout": "6s", "timeout": "6s", "totalTimeout": "10s", "concurrency": 16}, **keys)
    made.run()
    return {item["url"].split("/")[2]: item["error"] or item["state"] for item in made.items()}
