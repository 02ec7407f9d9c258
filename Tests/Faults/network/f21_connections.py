"""F21: connections that are refused or reset, and TLS that must not be trusted.

One item for each kind, at an address of its own. Nothing may be asked in plain text of a host whose URL says https, and no
certificate that fails may be accepted. The control trusts the authority of the certificates: those that are good must be taken.
"""
import socket, sqlite3, ssl

from frame import png
from servers import job, namespace
from servers.certificates import Authority, context
from servers.server import HTTPServer, Server, response

TITLE = "resets, refused, TLS: self-signed, wrong host, expired, plain text on the TLS port, TLS 1.0"
TRIES = 1
NEEDS = ["namespaces", "ip", "openssl"]
OLD = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1
OLDER = ssl.TLSVersion.TLSv1_1, ssl.TLSVersion.TLSv1_1
TWO, THREE = (ssl.TLSVersion.TLSv1_2,) * 2, (ssl.TLSVersion.TLSv1_3,) * 2
PAST, FUTURE = ("20200101000000Z", "20210101000000Z"), ("20400101000000Z", "20490101000000Z")


CERTIFICATES = [  # what each must lead to, the certificate, and the versions of TLS
    ("TLS 1.2", "done", {}, TWO),
    ("TLS 1.3", "done", {}, THREE),
    ("a self-signed certificate", "tls", {"authority": "self"}, None),
    ("an unknown authority", "tls", {"authority": "other"}, None),
    ("another host's certificate", "tls", {"host": "example.com"}, None),
    ("another address's certificate", "tls", {"host": namespace.public(250)}, None),
    ("an expired certificate", "tls", {"dates": PAST}, None),
    ("a certificate of the future", "tls", {"dates": FUTURE}, None),
    ("a client's certificate", "tls", {"usage": "clientAuth"}, None),
    ("a key of 512 bits", "tls", {"bits": 512}, TWO),
    ("TLS 1.0", "tls", {}, OLD),
    ("TLS 1.1", "tls", {}, OLDER),
]
WORKING, PORT = namespace.public(200), 8000


class Hosts:
    """The addresses in use, and what each must lead to."""

    def __init__(self, folder):
        self.good, self.folder = Authority(folder, "good"), folder
        self.expected = {}

    def next(self, name, error):
        address = namespace.public(10 + len(self.expected))
        self.expected[address] = (name, error)
        return address

    def certified(self, name, error, form, versions=None, serve=None):
        """A server with a certificate of a form."""
        address = self.next(name, error)
        form = {"host": address, "authority": "good", **form}
        host, authority = form.pop("host"), form.pop("authority")
        issuer = self.good if authority == "good" else Authority(self.folder, f"{authority}-{address}")
        if authority == "self":
            certificate = issuer.whole()
        else:
            certificate = issuer.issue(address, [host], **form)
        secured = context(certificate, versions)
        if serve:
            Server(serve, 443, address=address, context=secured)
        else:
            HTTPServer(lambda *_: response(png(1)), port=443, address=address, context=secured)


def run(trial):
    namespace.answer()
    hosts = Hosts(trial.folder("certificates"))
    for line in CERTIFICATES:
        hosts.certified(*line)
    HTTPServer(lambda *_: response(png(1)), address=WORKING, port=PORT)
    plain = HTTPServer(lambda *_: response(png(1)), port=80)  # of all hosts: nothing with an https URL may come here
    wire(hosts)
    urls = [f"https://{address}/a.png" for address in hosts.expected]
    before = classes(trial, "untrusted", urls)
    untrusted = [address for address, (name, error) in hosts.expected.items() if error == "done" and before[address] != "tls"]
    namespace.trust(hosts.good, trial.work)
    seen = classes(trial, "trusted", urls)
    wrong = [f"{name}: expected {expected}, seen {seen[address]}" for address, (name, expected) in hosts.expected.items()
             if seen[address] not in expected.split("|")]
    good = sum(error == "done" for error in seen.values())
    trial.row(
        case="TLS", tries=len(urls), expected="misclassified 0, requests in plain text 0",
        seen=f"misclassified {len(wrong)}, requests in plain text {len(plain.requests)}" + "".join(f"; {line}" for line in wrong),
        good=not wrong and not plain.requests and not untrusted,
        control=f"an authority that is trusted: {good} done, before: {len(untrusted)}", caught=good >= 2 and not untrusted)
    plain.stop()
    connections(trial)
    unannounced(trial)


def wire(hosts):
    """Servers on port 443 that do not speak TLS, or not to the end."""
    def reset(connection, address):
        connection.handle.recv(5)
        connection.reset()

    def greet(connection, address):
        connection.send(b"\x15\x03\x01\x00\x02\x02\x28")  # alert: handshake failure

    def cut(connection, address):
        connection.head()
        connection.send(response(png(1)[:-20], length=False))
        socket.socket.shutdown(connection.handle, socket.SHUT_RDWR)  # without close_notify: anybody may have cut it

    for name, expected, serve in [
        ("plain text on the TLS port", "tls|reset", lambda connection, _: connection.send(response(png(1)))),
        ("a TLS alert", "tls", greet), ("a reset in the handshake", "tls|reset", reset),
        ("closed in the handshake", "tls|reset", lambda connection, _: connection.handle.recv(5)),
        ("silence in the handshake", "timeout", lambda connection, _: connection.wait(20)),
        ("bytes of no protocol", "tls|reset", lambda connection, _: connection.flood(b"\xff" * 4096, 1 << 20)),
    ]:
        Server(serve, 443, address=hosts.next(name, expected))
    hosts.certified("a body that is cut, without TLS's own end", "reset|truncated|tls", {}, serve=cut)


def connections(trial):
    """Plain connections that come to nothing."""
    def reset(connection, address):
        connection.reset()

    def halfway(connection, address):
        connection.head()
        connection.send(response(png(1))[:-30])
        connection.reset()

    def close(connection, address):
        connection.head()

    kinds = {"refused": ("refused", None), "reset at once": ("reset", reset), "closed at once": ("reset", lambda *_: None),
             "closed behind the request": ("reset", close), "reset in the body": ("reset|truncated", halfway),
             "TLS on the plain port": ("reset", lambda connection, _: connection.send(b"\x15\x03\x01\x00\x02\x02\x28"))}
    expected = {}
    for number, (name, (error, serve)) in enumerate(kinds.items(), 100):
        expected[namespace.public(number)] = (name, error)
        if serve:
            Server(serve, 80, address=namespace.public(number))
    for number, words in [(110, "unreachable"), (111, "prohibit")]:
        expected[namespace.public(number)] = (words, "refused")
        namespace.ip("route", "replace", "table", "local", words, f"{namespace.public(number)}/32")
    seen = classes(trial, "plain", [f"http://{address}/" for address in expected])
    wrong = [f"{name}: expected {error}, seen {seen[address]}" for address, (name, error) in expected.items()
             if seen[address] not in error.split("|")]
    HTTPServer(lambda *_: response(png(1)), address=namespace.public(100))
    control = classes(trial, "control", [f"http://{namespace.public(100)}/"])[namespace.public(100)]
    trial.row(
        case="connections", tries=len(expected), expected="misclassified 0",
        seen=f"misclassified {len(wrong)}" + "".join(f"; {line}" for line in wrong), good=not wrong,
        control=f"a server at the address that refused: {control}", caught=control == "done")


def unannounced(trial):
    """A server that closes each connection behind its answer and does not say so: libcurl repeats what it sent to a dead one."""
    address, images = namespace.public(120), 300
    server = HTTPServer(lambda *_: response(png(1)), address=address)
    made = job(trial, "unannounced", [f"http://{address}/{number}.png" for number in range(images)], retry={"backoff": "10ms..20ms"})
    made.run()
    with sqlite3.connect(made.folder / ".nuke-batch/job.sqlite") as state:
        # What was sent to a dead connection is in the log too, without an answer.
        [(logged, answered)] = state.execute("SELECT count(*), count(status) FROM request")
    items = made.items()
    spent = sum(item["attempts"] > 1 for item in items)
    undone = sum(item["state"] != "done" for item in items)
    trial.row(
        case="unannounced closes", tries=images, expected="attempts spent 0, not done 0, each connection's request in the log",
        seen=f"attempts spent {spent}, not done {undone}, {len(server.accepted)} connections, {len(server.requests)} requests, "
             f"{answered} logged with an answer and {logged - answered} without",
        good=spent == 0 and undone == 0 and answered == len(server.requests) and logged <= 2 * answered)


def classes(trial, name, urls):
    """What became of each address."""
    # A host that works is among them: without one this would be an outage of the network, which fails nobody.
    working = [f"http://{WORKING}:{PORT}/{number}" for number in range(100)]
    made = job(trial, name, urls + working, retry={"attempts": 2, "backoff": "1ms..2ms"},
               loading={"connectTimeout": "2s", "timeout": "2s", "totalTimeout": "5s",
                        "hosts": {WORKING: {"rate": "10/s", "burst": 1}}})
    made.run()
    return {item["url"].split("/")[2]: item["error"] or item["state"] for item in made.items() if WORKING not in item["url"]}
