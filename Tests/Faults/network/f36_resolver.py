"""F36: very many hosts, whose names are asked for once as long as an answer is valid; and a resolver that fails for a minute.

`TRIES` thousand hosts have three images each, two of them at once and one when all others had their turn. The resolver is that of
a Kubernetes pod (`ndots:5` and three search domains), counts its queries, and may ask no name twice within the time its
answers are valid; an A and an AAAA query are one lookup. The control has answers that are valid for no time at all.

Then the resolver answers nothing, or SERVFAIL, for a minute in the middle of a run: no item may fail or spend an attempt.
The control answers SERVFAIL for every second name for as long. Then one domain alone fails: its items must, all others not, without a pause.

At last names are found in every way in which the system finds them, and the name server changes during a run.
"""
import collections, pathlib, time

from servers import job, namespace, quick
from servers.resolver import A, AAAA, NOERROR, NXDOMAIN, SERVFAIL, Resolver

TITLE = "DNS: one query a host and TTL; a resolver that fails for a minute"
TRIES = 100  # thousand hosts
CI_TRIES = 1
NEEDS = ["root", "ip"]
DAY, SHORT, SHORTEST = 86400, 8, 6  # s; no answer is used for less than 5
SPENT = "attempts spent"
EXPECTED = "not done 0, of a host within a TTL ≤ 1, other queries 0"
SEARCH = ["ns.svc.invalid", "svc.invalid", "cluster.invalid"]  # nobody serves below .invalid
HERE, SIX, DEAD = namespace.public(10), "2606:2800:220:1::10", namespace.public(250)
WAYS = {  # what a name has, and what its item must become
    "six.test": ([SIX], "done"), "dead-then-six.test": ([DEAD, SIX], "done"), "Upper.TEST": ([HERE], "done"),
    "dot.test.": ([HERE], "done"), "under_score.test": ([HERE], "done"), "alias.test": (["far.example", HERE], "done"),
    "xn--bcher-kva.test": ([HERE], "done"), "x" * 64 + ".test": ([HERE], "dns"), "a..test": ([HERE], "dns"),
    "unknown.test": ([], "dns"), f"[{SIX}]": ([], "done"), HERE: ([], "done"),
    "filed.test": ([], "done"), "also-filed.test": ([], "done"),  # in /etc/hosts
    "shop": ([], "done"), "deep.shop": ([], "done"),  # behind a search domain
}


class Zone:
    """Every host below .test has an address; `fault` answers instead until `until`."""

    def __init__(self):
        self.until, self.fault = 0, None

    def answer(self, name, kind, count):
        if (records := known(name)) is not None:
            return (NOERROR, records) if records else (NXDOMAIN, [])
        if not name.endswith(".test"):
            return NXDOMAIN, []
        if name.startswith("broken."):
            return SERVFAIL, []
        return self.fault(name) if time.monotonic() < self.until else address(name)


def known(name):
    """The addresses of the names that are found in several ways; None for others."""
    ways = {host.lower().rstrip("."): records for host, (records, _) in WAYS.items()}
    ways |= {f"shop.{SEARCH[1]}": [HERE], f"deep.shop.{SEARCH[0]}": [HERE]}
    return ways.get(name)


def address(name):
    return NOERROR, [namespace.public(10 + hash(name) % 200)]


def run(trial):
    namespace.answer()
    namespace.ip("route", "replace", "table", "local", "unreachable", f"{DEAD}/32")
    namespace.replace("/etc/resolv.conf", settings(), trial.work)
    namespace.replace("/etc/hosts", f"127.0.0.1 localhost\n{HERE} filed.test also-filed.test\n", trial.work)
    quick.serve()
    zone = Zone()
    resolver = Resolver(zone.answer)
    hosts = trial.tries * 1000
    lookups(trial, resolver, "long", hosts, DAY)
    isShort = trial.tries < 10  # as in CI
    again(trial, resolver, max(hosts // 50, 100), SHORTEST if isShort else SHORT, images=12 if isShort else 30)
    resolver.ttl = SHORTEST if isShort else SHORT  # the addresses of the hosts that are known expire during the outage
    seconds = 8 if isShort else 60
    # Names that fail among others that do not are their own domains' trouble.
    control = failing(trial, zone, resolver, "control", lambda name: (SERVFAIL, []) if hash(name) % 2 else address(name), seconds)
    for case, fault in (("silent", None), ("SERVFAIL", (SERVFAIL, []))):
        outage(trial, zone, resolver, case, fault, seconds, control)
    broken(trial, resolver)
    ways(trial)
    change(trial)


def settings(server="127.0.0.1"):
    """Those of a cluster's pods, which try the search domains first."""
    return f"search {' '.join(SEARCH)}\nnameserver {server}\noptions ndots:5 timeout:1 attempts:2\n"


def lookups(trial, resolver, case, hosts, ttl):
    """Three images a host, the last of them when all others had their turn; their names are asked for once."""
    names = [f"{case}-{number}.test" for number in range(hosts)]
    urls = [f"http://{name}/{image}.png" for name in names for image in "ab"] + [f"http://{name}/c.png" for name in names]
    seen = counted(trial, resolver, case, urls, ttl)
    trial.row(
        case=f"TTL {ttl} s", tries=f"{hosts} hosts, {len(urls)} items", expected=EXPECTED, seen=str(seen),
        good=seen.good and seen.mean == 1)


def again(trial, resolver, hosts, ttl, images):
    """Many images a host, one a second, so that answers become invalid meanwhile."""
    urls = [f"http://again-{number}.test/{image}.png" for image in range(images) for number in range(hosts)]
    pace = {"loading": {"rate": "1/s", "burst": 1, "concurrency": 64}}
    seen = counted(trial, resolver, "again", urls, ttl, **pace)
    # An answer of no time is used for five seconds, and the next image after them must not be long in coming.
    often = [f"http://again-0.test/{image}.png" for image in range(4 * images)]
    control = counted(trial, resolver, "again-control", often, 0, ttl, loading={**pace["loading"], "rate": "4/s"})
    trial.row(
        case=f"TTL {ttl} s", tries=f"{hosts} hosts, {len(urls)} items", expected=EXPECTED + ", in the whole run > 1", seen=str(seen),
        good=seen.good and seen.mean > 1, control=f"answers valid for 0 s: {control.most} within {ttl} s", caught=control.most > 1)


class Lookups:
    """What a run asked the resolver for."""

    def __init__(self, queries, hosts, ttl, undone, seconds):
        times = collections.defaultdict(list)
        for moment, name, kind in queries:
            times[name, kind].append(moment)
        self.others = sum(len(moments) for (name, kind), moments in times.items() if name not in hosts or kind not in (A, AAAA))
        asked = {key: moments for key, moments in times.items() if key[0] in hosts}
        self.most = max((within(moments, ttl) for moments in asked.values()), default=0)
        self.mean = sum(map(len, asked.values())) / max(len(asked), 1)
        self.queries, self.undone, self.seconds = len(queries), undone, seconds
        self.missing = len(hosts) - len({name for name, _ in asked})

    @property
    def good(self):
        return self.most == 1 and not self.others and not self.undone and not self.missing

    def __str__(self):
        return (f"not done {self.undone}, {self.queries} queries, of a host within a TTL at most {self.most}, "
                f"in the whole run {self.mean:.3f}, other queries {self.others}, {self.seconds:.0f} s")


def within(moments, ttl):
    """The most of these that lie less than `ttl` apart; half a second is the clients' rounding of it."""
    first = most = 0
    for last, moment in enumerate(moments):
        while moment - moments[first] >= ttl - 0.5:
            first += 1
        most = max(most, last - first + 1)
    return most


def counted(trial, resolver, case, urls, ttl, window=None, loading={"concurrency": 64}):
    resolver.ttl, resolver.queries, resolver.counts = ttl, [], {}
    made = job(trial, case, urls, loading=loading, outputs=[{"format": "jpeg", "path": "{index}.{ext}"}])
    outcome = made.run(limit=1800)
    hosts = {url.split("/")[2] for url in urls}
    return Lookups(resolver.queries, hosts, window or ttl, undone(made), outcome.seconds)


def undone(made):
    return sum(item["state"] != "done" for item in made.items())


def outage(trial, zone, resolver, case, fault, seconds, control):
    """All hosts are new but twenty, which have every fifth image: their addresses stay known, and they answer."""
    seen = failing(trial, zone, resolver, case, lambda name: fault, seconds)
    trial.row(
        case=f"{case} {seconds} s", tries=f"{seen['items']} items",
        expected=f"not done 0, {SPENT} 0, exit 0, goes on within 35 s",
        seen=f"not done {seen['undone']}, {SPENT} {seen['spent']}, exit {seen['exit']}, went on after {seen['late']:.1f} s, "
             f"{seen['meanwhile']} queries meanwhile",
        good=seen["undone"] == seen["spent"] == seen["exit"] == 0 and seen["late"] <= 35,
        control=f"SERVFAIL for every second name: {control['spent']} {SPENT}", caught=control["spent"] > 0)


def failing(trial, zone, resolver, case, fault, seconds):
    groups = 1000 if seconds > 10 else 400
    new = [f"http://{case.lower()}-{number}.test/a.png" for number in range(4 * groups)]
    known = [f"http://known-{number % 20}.test/{case}-{number}.png" for number in range(groups)]
    urls = [url for number, url in enumerate(known) for url in [url, *new[4 * number:4 * number + 4]]]
    resolver.queries = []
    made = job(trial, case, urls, retry={"attempts": 3, "backoff": "1s..2s"}, loading={"concurrency": 16})
    process = made.start()
    wait(lambda: len(resolver.queries) > 1000)
    over = time.monotonic() + seconds
    zone.fault, zone.until = fault, over
    wait(lambda: time.monotonic() > over, limit=seconds + 1)
    meanwhile = sum(over - seconds < moment < over for moment, *_ in resolver.queries)
    outcome = made.end(process, limit=seconds + 180)
    # What was asked for after the outage was answered, and so the run went on.
    late = min((moment for moment, *_ in resolver.queries if moment >= over), default=over + 999) - over
    items = made.items()
    return {"items": len(items), "undone": sum(item["state"] != "done" for item in items), "exit": outcome.exit,
            "spent": sum(item["attempts"] > 1 for item in items), "late": late, "meanwhile": meanwhile}


def broken(trial, resolver):
    """One domain fails, and fails alone when all others are done."""
    resolver.queries = []
    bad = [f"http://broken.test/{number}.png" for number in range(2)]
    good = [f"http://sound-{number}.test/a.png" for number in range(500)]
    made = job(trial, "broken", good[:250] + bad + good[250:], retry={"attempts": 2, "backoff": "1s..2s"})
    outcome = made.run(kill_after=60)
    states = collections.Counter(item["error"] or item["state"] for item in made.items())
    trial.row(
        case="one broken domain", tries=f"{len(bad)} items of it, {len(good)} others", expected="dns 2, done 500, exit 1",
        seen=", ".join(f"{state} {count}" for state, count in sorted(states.items()))
             + f", exit {outcome.exit} after {outcome.seconds:.0f} s",
        good=states == {"dns": len(bad), "done": len(good)} and outcome.exit == 1)


def ways(trial):
    """Each name is found as the system finds it; the server of this one answers over IPv6 as well."""
    made = job(trial, "ways", [f"http://{host}/a.png" for host in WAYS], retry={"attempts": 1})
    made.run(limit=120)
    states = {item["url"].split("/")[2]: item["error"] or item["state"] for item in made.items()}
    wrong = [f"{host[:20]}: {states.get(host)}" for host, (_, state) in WAYS.items() if states.get(host) != state]
    trial.row(
        case="ways to find a name", tries=f"{len(WAYS)} names", expected="wrong 0",
        seen=f"wrong {len(wrong)}" + "".join(f"; {line}" for line in wrong), good=not wrong)


def change(trial):
    """The name server of the start answers nobody; in the middle of the run the machine gets another one."""
    resolv = pathlib.Path("/etc/resolv.conf")
    resolv.write_text(settings("127.0.0.99"))
    made = job(trial, "change", [f"http://moved-{number}.test/a.png" for number in range(50)], retry={"attempts": 2})
    process = made.start()
    time.sleep(3)
    early = sum(item["state"] == "done" for item in made.items())
    resolv.write_text(settings())
    outcome = made.end(process, limit=120)
    items = made.items()
    left, spent = (sum(item["state"] != "done" for item in items), sum(item["attempts"] > 1 for item in items))
    trial.row(
        case="another name server", tries=f"{len(items)} items", expected=f"not done 0, {SPENT} 0, exit 0",
        seen=f"not done {left}, {SPENT} {spent}, exit {outcome.exit} after {outcome.seconds:.0f} s",
        good=left == spent == outcome.exit == 0, control=f"before the change: {early} done", caught=early == 0)


def wait(condition, limit=60):
    end = time.monotonic() + limit
    while not condition():
        if time.monotonic() > end:
            return
        time.sleep(0.01)
