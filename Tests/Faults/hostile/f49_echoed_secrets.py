"""F49: origins and stores that repeat what a request has carried.

A server puts the credentials of each request into its answers: as they came, in Base64, percent-encoded, and split over two fields; an
object store does the same in the document of an error. Nothing that is written, and nothing that a command prints, may hold one. The
control: the same scan finds a secret that the server has made up itself, in the log of requests.
"""
import base64, http.server, os, threading, urllib.parse

from frame import Job, png
from servers.store import KEYS, Store

TITLE = "origins and stores that repeat what a request has carried"
TRIES, CI_TRIES = 1, 1
PASSWORD, TOKEN, KEY, MADE_UP = "hush-password-81", "hush-token-2342-xyz", "hush-service-key-77", "made-up-secret-99"
COMMANDS = [["run", "--json"], ["status"], ["items"], ["items", "--json"], ["items", "--csv"], ["log"], ["log", "--json"],
            ["log", "--har", "-"], ["export"], ["export", "--json"], ["report"], ["cache", "list"], ["plan", "--items"], ["verify"]]


def forms(secret):
    half = len(secret) // 2
    return [secret, base64.b64encode(secret.encode()).decode(), "".join(f"%{byte:02x}" for byte in secret.encode()),
            urllib.parse.quote(secret, safe=""), (secret[:half], secret[half:])]


class Echo(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), EchoHandler)
        self.seen = set()
        threading.Thread(target=self.serve_forever, daemon=True).start()


class EchoHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        carried = [value for name, value in self.headers.items() if name.lower() in ("authorization", "x-key")]
        self.server.seen.update(carried)
        secrets = carried + [value.split(" ", 1)[1] for value in carried if " " in value]
        for value in list(secrets):
            try:
                secrets += base64.b64decode(value, validate=True).decode().split(":", 1)
            except ValueError:
                pass
        body = png(1)
        self.send_response(404 if "missing" in self.path else 200)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Type", "image/png")
        self.send_header("X-Own", MADE_UP)
        number = 0
        for secret in secrets:
            for form in forms(secret):
                for part in form if isinstance(form, tuple) else [form]:
                    number += 1
                    self.send_header(f"X-Echo-{number}", part)
        if secrets:
            self.send_header("ETag", f'"{secrets[-1]}"')
            self.send_header("Last-Modified", secrets[-1])
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def run(trial):
    echo = Echo()
    address = f"127.0.0.1:{echo.server_port}"
    environment = {"TOKEN": TOKEN, "KEY": KEY, "PASSWORD": PASSWORD}
    jobs = {
        "bearer": {"loading": {"auth": {"bearer": "${TOKEN}"}}},
        "basic": {"loading": {"auth": {"basic": {"user": "ann", "password": "${PASSWORD}"}}}},
        "key": {"sources": [{"list": "urls.txt", "headers": {"X-Key": "${KEY}"}}]},
        "user": {"sources": [{"urls": [f"http://ann:${{PASSWORD}}@{address}/{name}.png" for name in ("1", "missing")]}]},
    }
    secrets = [TOKEN, KEY, PASSWORD, f"ann:{PASSWORD}"]
    leaks, places, control = [], 0, False
    for name, keys in jobs.items():
        job = Job(trial.folder(name), [f"http://{address}/{page}.png" for page in ("1", "missing")],
                  outputs=[{"format": "original", "path": "{stem}.{ext}"}], retry={"attempts": 1}, **keys)
        found, count, printed = scan(job, environment, secrets)
        leaks, places = leaks + [f"{name}: {leak}" for leak in found], places + count
        control = control or MADE_UP in printed
    for status in (200, 403):
        store = Store(lambda request: refuse(request, status))
        job = Job(trial.folder(f"store-{status}"), ["http://127.0.0.1:9/x"], sources=[{"urls": ["s3://shop/1.png"]}],
                  retry={"attempts": 1})
        found, count, _ = scan(job, store.environment, [KEYS["AWS_SESSION_TOKEN"], KEYS["AWS_SECRET_ACCESS_KEY"], *store_signatures(store)])
        leaks, places = leaks + [f"store {status}: {leak}" for leak in found], places + count
    for leak in leaks:
        trial.say(leak)
    trial.row(tries=f"{len(jobs) + 2} jobs, 5 forms, {len(COMMANDS)} commands", expected="0 places with a secret",
              seen=f"{len(leaks)} of {places} files and outputs have one", good=not leaks and len(echo.seen) >= 3,
              control="what the server has made up is found", caught=control)


SIGNATURES = set()


def store_signatures(store):
    return sorted(SIGNATURES)


def refuse(request, status):
    """Repeats the request's secrets in fields and in a document."""
    token, authorization = request.headers.get("x-amz-security-token") or "", request.headers.get("authorization") or ""
    signature = authorization.rsplit("=", 1)[-1]
    SIGNATURES.add(signature)
    body = f"<Error><Code>Denied {signature}</Code><Message>you sent {token} and {authorization}</Message></Error>".encode()
    if status == 200:
        body = png(1)
    request.send(status, body, X_Token=token, X_Half=token[: len(token) // 2], X_Rest=token[len(token) // 2:],
                 X_Signature=signature, X_Authorization=authorization, X_Amz_Request_Id=token, ETag=f'"{signature}"')
    return True


def scan(job, environment, secrets):
    """Where a secret is found in what the commands print and leave; the number of places; all that was printed."""
    found, places, printed = [], 0, ""
    for words in COMMANDS:
        outcome = job.run(words[0], *words[1:], environment=environment, limit=60)
        text = outcome.output + outcome.errors
        printed, places = printed + text, places + 1
        found += [f"{' '.join(words)}: {form}" for form in hits(text.encode(), secrets)]
    for path in job.folder.rglob("*"):
        if path.is_file() and path.name not in ("job.json", "urls.txt"):
            places += 1
            found += [f"{path.relative_to(job.folder)}: {form}" for form in hits(path.read_bytes(), secrets)]
    return found, places, printed


def hits(data, secrets):
    for secret in secrets:
        for form in forms(secret):
            for part in form if isinstance(form, tuple) else [form]:
                if len(part) >= 6 and part.encode() in data:
                    yield part
