"""F16: what HTTP servers lie about: bodies, lengths, digests, chunks, heads, statuses, contents, redirects and time.

One job has an item for each lie of `lies/`, each at a server of its own. An item must end with the error that the lie's table
names, after the attempts it names; the whole table is in .build/faults/F16.txt. The control has the same items at a server
that is honest: the comparison must find nearly all of them different.
"""
from lies import PICTURE, every
from lies.http2 import LIES
from servers import job, namespace
from servers.certificates import Authority, context
from servers.http2 import HTTP2Server
from servers.server import HTTPServer, Kept, response

TITLE = "truncated bodies, lying lengths, chunk errors and everything else that HTTP servers get wrong"
TRIES, CI_TRIES = 1, 1
NEEDS = ["namespaces", "ip", "openssl"]
WORKING = f"{namespace.public(253)}:8000"
KEYS = {
    "network": {"schemes": ["http", "https"]},
    "retry": {"attempts": 2, "backoff": "1ms..2ms"},
    "loading": {"concurrency": 16, "timeout": "2s", "connectTimeout": "2s", "totalTimeout": "5s", "maxBytes": "2MB",
                "hosts": {WORKING: {"rate": "50/s", "burst": 1}}},
}


def run(trial):
    namespace.answer()
    lies = {namespace.public(number): lie for number, lie in enumerate(every(), 2)}
    trial.say(f"{len(lies)} lies")
    honest = False

    def answer(request, connection):
        lie = lies[request.address].answer
        if honest:
            return response(PICTURE)
        return lie(request, connection) if callable(lie) else lie

    def become_honest():
        nonlocal honest
        honest = True

    server = HTTPServer(answer)
    (trial.work.parent / "F16.txt").write_text("")
    judge(trial, "HTTP/1.1", "http", lies, become_honest)
    server.stop()
    http2(trial)


def http2(trial):
    """The same over TLS and HTTP/2."""
    lies = {namespace.public(number): lie for number, lie in enumerate(LIES, 2)}
    authority = Authority(trial.folder("authority"))
    namespace.trust(authority, trial.work)
    certificate = authority.issue("all", list(lies))
    liar = [lie.answer for lie in LIES]
    HTTP2Server(lambda stream, connection, address: liar[list(lies).index(address)](stream, connection),
                context(certificate, protocols=("h2",)))
    HTTPServer(lambda *_: Kept(response(PICTURE)), port=8000)
    judge(trial, "HTTP/2", "https", lies, lambda: liar.__setitem__(slice(None), [LIES[0].answer] * len(LIES)))


def judge(trial, case, scheme, lies, become_honest):
    """A row of the table: what became of the lies, and what becomes of them at a server that is honest."""
    seen, outcome = classes(trial, case.replace("/", " "), scheme, lies)
    wrong = compare(lies, seen)
    with open(trial.work.parent / "F16.txt", "a") as table:
        table.writelines(f"{case:9} {lie.name:45} {lie.expected:35} {seen[address]}\n" for address, lie in lies.items())
    for address in wrong:
        trial.say(
            f"{lies[address].name}: expected {lies[address].expected} ×{lies[address].attempts or 'any'}, seen {seen[address]}")
    become_honest()
    control = compare(lies, classes(trial, f"{case.replace('/', ' ')} control", scheme, lies)[0])
    trial.row(
        case=case, tries=len(lies), expected="misclassified 0, exit 1",
        seen=f"misclassified {len(wrong)}, exit {outcome.exit}, {outcome.seconds:.0f} s", good=not wrong and outcome.exit == 1,
        control=f"an honest server: {len(control)} differ", caught=len(control) > len(lies) / 2)


def classes(trial, name, scheme, lies):
    """What became of each address: its state or error, and its attempts."""
    urls = [f"{scheme}://{address}/" for address in lies]
    if scheme == "https":
        # Most of these get no answer. Without a host that works that would be an outage of the network, which fails nobody.
        urls += [f"http://{WORKING}/{number}" for number in range(800)]
    made = job(trial, name, urls, **KEYS)
    outcome = made.run("run", "--json")
    return {item["url"].split(
        "/")[2]: (
            item["error"] or item["state"], item["attempts"]) for item in made.items() if WORKING not in item["url"]}, outcome


def compare(lies, seen):
    return [address for address, (_, expected, _, attempts) in lies.items()
            if seen[address][0] not in expected.split("|") or attempts not in (None, seen[address][1])]
