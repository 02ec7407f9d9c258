"""F20: 429 and 503 with Retry-After as seconds, a date, garbage, something huge or negative.

Each case is a host with 30 images, asked one at a time, which at the tenth request says Retry-After and counts what comes
before that time is over. What is no time is a refusal without one: the run goes on. The control is a client that ignores the
field: the same count must find its requests.
"""
import email.utils, http.client, sqlite3, threading, time

from frame import png
from servers import job, namespace
from servers.server import HTTPServer, Kept, response

TITLE = "429 and 503 with seconds, date, garbage, huge, negative Retry-After"
TRIES, CI_TRIES = 1, 1
NEEDS = ["namespaces", "ip"]
WINDOW, IMAGES = 3, 30
CASES = {  # the field, and for how many seconds no request may come
    "429, seconds": ("429", lambda: str(WINDOW), WINDOW),
    "503, seconds": ("503", lambda: str(WINDOW), WINDOW),
    "429, a date": ("429", lambda: email.utils.formatdate(time.time() + WINDOW, usegmt=True), WINDOW - 1),
    "503, a date": ("503", lambda: email.utils.formatdate(time.time() + WINDOW, usegmt=True), WINDOW - 1),
    "a date that has passed": ("429", lambda: "Sun, 06 Nov 1994 08:49:37 GMT", 0),
    "zero": ("429", lambda: "0", 0),
    "garbage": ("429", lambda: "soon; please", 0),
    "nothing": ("429", lambda: "", 0),
    "negative": ("429", lambda: "-100", 0),
    "a fraction": ("429", lambda: "1.5", 0),
    "beyond 64 bits": ("429", lambda: "99999999999999999999999", None),
    "a year": ("503", lambda: str(365 * 86400), None),
    "a date in 400 days": ("429", lambda: email.utils.formatdate(time.time() + 400 * 86400, usegmt=True), None),
}
HUGE = [number for number, (_, _, seconds) in enumerate(CASES.values()) if seconds is None]


class Origin:
    """A host that says Retry-After once; `early` are the requests that came nevertheless."""

    def __init__(self, status, field, seconds):
        self.status, self.field, self.seconds = status, field, seconds
        self.count, self.refusal, self.early = 0, None, 0
        self.lock = threading.Lock()

    def answer(self, request):
        with self.lock:
            self.count += 1
            if self.count == 10:
                self.refusal = request.time
                return Kept(response(b"", f"{self.status} Slow down", Retry_After=self.field()))
            waits = self.refusal and (self.seconds is None or request.time < self.refusal + self.seconds)
            self.early += bool(waits)
        return Kept(response(png(1)))


def run(trial):
    namespace.answer()
    origins = {}
    HTTPServer(lambda request, _: origins[request.address].answer(request))

    def renew():
        origins.update({namespace.public(10 + number): Origin(*case) for number, case in enumerate(CASES.values())})

    renew()
    names = dict(zip(origins, CASES))
    finite = [address for number, address in enumerate(origins) if number not in HUGE]
    made = gentle(trial, "finite", finite)
    outcome = made.run()
    items = made.items()
    wrong = [f"{names[address]}: {origins[address].early} early" for address in finite if origins[address].early]
    spent = sum(item["attempts"] > 1 for item in items if origins[item["url"].split("/")[2]].seconds)
    undone = sum(item["state"] != "done" for item in items)
    control = naive(origins, renew)
    renew()
    trial.row(
        tries=f"{len(finite)} hosts, {len(items)} images", expected="requests before the time 0, attempts spent 0, not done 0",
        seen=f"{len(wrong)} hosts asked too early, attempts spent {spent}, not done {undone};"
             f" {outcome.seconds:.1f} s where {WINDOW} s is the least" + "".join(f"; {line}" for line in wrong),
        good=not wrong and not spent and not undone, control=f"a client that ignores it: {control} requests", caught=control > 0)
    huge(trial, origins, names)


def huge(trial, origins, names):
    """Hosts that ask for longer than an hour: it is taken for an hour, and the run is stopped before."""
    addresses = [address for number, address in enumerate(origins) if number in HUGE]
    made = gentle(trial, "huge", addresses)
    began = time.time()
    outcome = made.run("run", "--max-duration", "6s", limit=60)
    with sqlite3.connect(made.folder / ".nuke-batch/job.sqlite") as state:
        waits = [row[0] / 1000 - began for row in state.execute("SELECT not_before_ms FROM host WHERE not_before_ms IS NOT NULL")]
    early = sum(origins[address].early for address in addresses)
    failed = sum(item["state"] == "failed" for item in made.items())
    longest = max(waits, default=0)
    trial.row(
        case="huge", tries=f"{len(addresses)} hosts", expected="requests 0, failed 0, held for an hour, exit 5",
        seen=f"requests {early}, failed {failed}, {len(waits)} held for {longest / 60:.0f} min at most, exit {outcome.exit}",
        good=early == 0 and failed == 0 and outcome.exit == 5 and len(waits) == len(addresses) and 3500 < longest <= 3610)


def gentle(trial, name, addresses):
    urls = [f"http://{address}/{number}.png" for address in addresses for number in range(IMAGES)]
    return job(trial, name, urls, loading={"perHost": 1, "rate": "50/s", "burst": 5}, retry={"backoff": "100ms..200ms"})


def naive(origins, renew):
    """How many requests come too early from a client that goes on."""
    renew()
    address = next(iter(origins))
    for number in range(20):
        connection = http.client.HTTPConnection(address)
        connection.request("GET", f"/{number}.png")
        connection.getresponse().read()
        connection.close()
    return origins[address].early
