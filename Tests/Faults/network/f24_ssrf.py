"""F24: items, redirects and DNS answers that lead to addresses that are not public (SSRF).

Everything but 93.184.216.0/24 and 2606:2800:220:1::/64 is inside. Something listens at each address and port and counts what it
accepts. The control is the same job with all addresses allowed: the listeners must count many then.
"""
import ipaddress

from frame import png
from lies import spellings
from servers import job, namespace
from servers.resolver import NOERROR, NXDOMAIN, Resolver
from servers.server import HTTPServer, Server, response

TITLE = "SSRF: spellings of internal addresses, directly, by redirects and by DNS; proxies of the environment"
TRIES = 1
NEEDS = ["root", "ip"]
PUBLIC = [ipaddress.ip_network(network) for network in (namespace.PUBLIC, namespace.PUBLIC6)]
ISATAP = "5efe"
GATE = namespace.public(5)  # redirects to what its path says
DEAD, WORKING = namespace.public(99), namespace.public(20)
PROXY = "http://10.9.9.9:3128"
ADDRESSES = [*spellings.V4, *spellings.V6]


def run(trial):
    namespace.answer(*spellings.NETWORKS)
    namespace.ip("route", "replace", "table", "local", "unreachable", f"{DEAD}/32")
    namespace.use_resolver(trial.work)
    Resolver(name)
    listeners = [HTTPServer(answer)] + [Server(lambda *_: None, port) for port in (21, 443, 3128, 8080)]

    def inside():
        return [(address, port) for listener in listeners for _, address, port in listener.accepted if is_inside(address)]

    table = tries()
    counts = {}
    # Without a host that works, names that do not exist would be an outage of the network.
    working = [f"http://{WORKING}/{number}.png" for number in range(200)]
    for case, urls in table.items():
        made = job(trial, case, urls + working, **KEYS)
        environment = PROXIES if case == "with proxies" else {}
        made.run(environment=environment, kill_after=90)
        states = [item["error"] or item["state"] for item in made.items() if WORKING not in item["url"]]
        counts[case] = {state: states.count(state) for state in set(states)}
        trial.say(f"{case}: {len(urls)} URLs: {counts[case]}")
    found = inside()
    control = job(trial, "control", [url for urls in table.values() for url in urls] + working, **KEYS,
                  network={"allow": ["0.0.0.0/0", "::/0"]})
    control.run(kill_after=120)
    reached = len(inside()) - len(found)
    total = sum(map(len, table.values()))
    trial.row(
        tries=f"{total} URLs: " + ", ".join(f"{len(urls)} {case}" for case, urls in table.items()),
        expected="connections accepted inside 0", seen=f"connections accepted inside {len(found)}"
        + "".join(f"; {address}:{port}" for address, port in sorted(set(found))[:10]),
        good=not found, control=f"all allowed: {reached} accepted", caught=reached > total / 4)


KEYS = {"retry": {"attempts": 1}, "loading": {
    "rate": "500/s", "burst": 500, "concurrency": 32, "connectTimeout": "2s", "timeout": "3s", "totalTimeout": "5s",
    "hosts": {WORKING: {"rate": "20/s", "burst": 1}}}}
PROXIES = {name: PROXY for word in ("http_proxy", "https_proxy", "all_proxy", "ftp_proxy") for name in (word, word.upper())}


def tries():
    """The URLs of each way in."""
    hosts = spellings.hosts()
    names = range(len(ADDRESSES))
    return {
        "direct": [f"http://{host}/a.png" for host in hosts],
        "by redirect": [f"http://{GATE}/to/{f'http://{host}/a.png'.encode().hex()}" for host in hosts],
        "by name": [f"http://{kind}{number}.test/a.png" for kind in ("a", "alias", "mixed") for number in names],
        "by name, behind an address that is dead": [f"http://dead{number}.test/a.png" for number in list(names)[::5]],
        "by redirect to a name": [f"http://{GATE}/to/{f'http://a{number}.test/'.encode().hex()}" for number in names],
        "other ports and schemes": [f"{scheme}://{host}{port}/a.png" for host in (
            "127.0.0.1", "10.0.0.1", "[::1]", "169.254.169.254")
                                    for scheme, port in [
                                        ("https", ""), ("ftp", ""), ("http", ":8080"), ("http", ":443"), ("ftp", ":80"),
                                    ]],
        "with proxies": [f"http://{GATE}/{number}.png" for number in range(10)] + ["http://10.0.0.1/", "http://a5.test/"],
    }


def answer(request, connection):
    if request.path.startswith("/to/"):
        return response(
            b"", "302 Found", Location=bytes.fromhex(request.path[4:]).decode().encode().decode("latin-1"), Connection="close")
    return response(png(1), Connection="close")


def name(question, kind, count):
    label = question.split(".")[0]
    word, number = label.rstrip("0123456789"), label[len(label.rstrip("0123456789")):]
    if word not in ("a", "alias", "mixed", "dead") or not number:
        return NXDOMAIN, []
    address = ADDRESSES[int(number)]
    records = {"a": [address], "alias": [f"a{number}.test", address], "mixed": [GATE, address], "dead": [DEAD, address]}
    return NOERROR, records.get(word, [])


def is_inside(text):
    address = ipaddress.ip_address(text)
    public = any(address.version == network.version and address in network for network in PUBLIC)
    return not public or (address.version == 6 and ISATAP in address.exploded)
