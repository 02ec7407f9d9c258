"""F19: redirects to other origins with credentials, without end, and to schemes that are no HTTP.

A server redirects to another host, another port, from https to http, and to file, ftp, gopher, dict and others, at whose ports
something listens. Credentials of four kinds must stay with the first origin. The controls: a job whose secrets are meant for
the other host must be seen to send them, and one that allows FTP must be seen at port 21.
"""
from frame import png
from servers import job, namespace
from servers.certificates import Authority, context
from servers.server import HTTPServer, Kept, Server, response

TITLE = "redirect loops, chains, other schemes, https to http, other hosts with credentials"
TRIES, CI_TRIES = 1, 1
NEEDS = ["namespaces", "ip", "openssl"]
FIRST, OTHER = namespace.public(10), namespace.public(20)
FORBIDDEN = {"ftp": 21, "gopher": 70, "dict": 2628, "smb": 445, "ldap": 389, "smtp": 25, "telnet": 23, "tftp": 69, "rtsp": 554,
             "mqtt": 1883, "imap": 143, "pop3": 110, "scp": 22, "ws": 8080, "ftps": 990, "gophers": 70}
SECRETS = {"Authorization": "Bearer fault-secret-1", "Cookie": "session=fault-secret-2", "X-Api-Key": "fault-secret-3"}
STATUSES = (301, 302, 303, 307, 308)
TARGETS = {"host": f"http://{OTHER}/end", "port": f"http://{FIRST}:81/end", "downgrade": f"http://{FIRST}/end",
           "name": "http://other.test/end", "login": f"http://user:fault-login@{OTHER}/end"}


def run(trial):
    namespace.answer()
    authority = Authority(trial.folder("authority"))
    namespace.trust(authority, trial.work)
    namespace.replace("/etc/hosts", f"127.0.0.1 localhost\n{OTHER} other.test\n", trial.work)
    certificate = authority.issue("first", [FIRST])
    plain, other_port = HTTPServer(answer), HTTPServer(answer, port=81)
    secure = HTTPServer(answer, port=443, context=context(certificate))
    ears = [Server(lambda connection, address: None, port) for port in sorted(set(FORBIDDEN.values()))]
    credentials(trial, [plain, other_port, secure])
    forbidden(trial, ears)
    endless(trial, plain)


def answer(request, connection):
    words = request.path.split("?")[0].strip("/").split("/")
    match words:
        case ["to", kind, status]:
            return response(b"", f"{status} Moved", Location=TARGETS[kind])
        case ["scheme", scheme]:
            return response(b"", "302 Found", Location=f"{scheme}://{OTHER}:{FORBIDDEN.get(scheme, 80)}/etc/passwd")
        case ["on", number]:
            return Kept(response(b"", "302 Found", Location=f"/on/{int(number) + 1}"))
        case _:
            return response(png(1))


def credentials(trial, servers):
    def leaks():
        return [f"{name} to {request.address}:{server.port}" for server in servers for request in server.requests
                if request.path == "/end" for name, value in request.headers.items() if "fault-secret" in value]

    urls = [{"url": f"https://{FIRST}/to/{kind}/{status}?{way}", **settings} for kind in TARGETS for status in STATUSES
            for way, settings in [("all", {}), ("item", {"headers": {"X-Item-Key": "fault-secret-4"}})]]
    ways = {"headers": {"loading": {"headers": SECRETS}}, "bearer": {"loading": {"auth": {"bearer": "fault-secret-5"}}},
            "basic": {"loading": {"auth": {"basic": {"user": "fault-secret-6", "password": "fault-secret-7"}}}}}
    done = 0
    for name, keys in ways.items():
        made = job(trial, name, [], sources=[{"urls": urls}], **keys)
        made.run()
        done += sum(item["state"] == "done" for item in made.items())
    seen = leaks()
    arrived = sum(request.path == "/end" for server in servers for request in server.requests)
    own = {OTHER: {"headers": SECRETS}}
    job(trial, "control", [f"https://{FIRST}/to/host/302"], loading={"hosts": own}).run()
    job(trial, "direct", [f"http://{OTHER}/end"], loading={"headers": SECRETS}).run()
    control = len(leaks()) - len(seen)
    trial.row(
        case="credentials", tries=f"{len(urls) * len(ways)} redirects", expected="all followed, credentials at another origin 0",
        seen=f"{arrived} arrived, {len(seen)} with credentials" + "".join(f"; {leak}" for leak in sorted(set(seen))[:5]),
        good=not seen and arrived == done == len(urls) * len(ways),
        control=f"secrets for that host: {control} fields", caught=control > 0)


def forbidden(trial, ears):
    urls = [f"http://{FIRST}/scheme/{scheme}" for scheme in [*FORBIDDEN, "file", "data", "javascript", "about", "netdoc", "jar"]]
    made = job(trial, "schemes", urls, network={"schemes": ["http", "https"]})
    made.run()
    touched = [ear.port for ear in ears if ear.accepted]
    errors = {item["error"] for item in made.items()}
    job(trial, "ftp", urls[:1], network={"schemes": ["http", "ftp"]}, retry={"attempts": 1}).run()
    control = [ear.port for ear in ears if ear.accepted]
    trial.row(
        case="schemes", tries=len(urls), expected="connections 0, each item fails as scheme",
        seen=f"connections {len(touched)}, {', '.join(sorted(map(str, errors)))}", good=not touched and errors == {"scheme"},
        control=f"FTP allowed: port {control}", caught=control == [21])


def endless(trial, plain):
    count = len(plain.requests)
    made = job(trial, "endless", [f"http://{FIRST}/on/0"])
    made.run()
    five = len(plain.requests) - count - 1
    job(trial, "more", [f"http://{FIRST}/on/0"], loading={"maxRedirects": 9}).run()
    nine = len(plain.requests) - count - five - 2
    trial.row(
        case="endless", tries=1, expected="followed 5, redirects", seen=f"followed {five}, {made.items()[0]['error']}",
        good=five == 5 and made.items()[0]["error"] == "redirects", control=f"maxRedirects 9: {nine}", caught=nine == 9)
