"""F25: the network goes away in the middle of a run, and comes back.

The loopback interface, which is the only network here, is taken down for some seconds while a job of 400 images on ten hosts
runs. No item may fail, nothing may be asked for twice that had arrived, and the run must go on within a probe's
pause. The control is a server that answers 500 for as long: items must fail.
"""
import time

from frame import png
from servers import job, namespace
from servers.server import HTTPServer, response

TITLE = "network outage in mid-run"
TRIES = 30  # seconds
NEEDS = ["namespaces", "ip"]
HOSTS, IMAGES = 10, 40
PAUSE = 32  # between two probes at most, s


def run(trial):
    namespace.answer()
    broken = False
    server = HTTPServer(lambda request, _: response(b"", "500 No") if broken else response(png(1), Connection="close"))
    made = made_job(trial, "outage")
    process = made.start("run", "--json")
    wait(lambda: len(server.requests) > 100)
    namespace.ip("link", "set", "lo", "down")
    down = time.monotonic()
    time.sleep(trial.tries)
    namespace.ip("link", "set", "lo", "up")
    namespace.answer()
    up, before = time.monotonic(), len(server.requests)
    wait(lambda: len(server.requests) > before, limit=PAUSE + 10)
    recovered = server.requests[-1].time - up
    outcome = made.end(process, limit=120)
    items = made.items()
    undone = sum(item["state"] != "done" for item in items)
    spent = sum(item["attempts"] > 1 for item in items)
    again = len(server.requests) - len(items)
    broken = True
    control = made_job(trial, "control")
    control.run(limit=120)
    failed = sum(item["state"] == "failed" for item in control.items())
    trial.row(
        tries=f"{up - down:.0f} s, {len(items)} items, {HOSTS} hosts",
        expected=f"not done 0, exit 0, goes on within {PAUSE} s, asked again ≤ 16",
        seen=f"not done {undone}, exit {outcome.exit}, went on after {recovered:.1f} s, attempts spent {spent}, asked again {again}",
        good=undone == 0 and outcome.exit == 0 and recovered <= PAUSE and again <= 16, control=f"answers of 500: {failed} failed",
        caught=failed > 0)
    broken = False
    mostly_dead(trial)


def mostly_dead(trial):
    """Forty hosts refuse and one answers: that is no outage, and the one must not wait for the others."""
    live = [f"http://{namespace.public(9)}/{number}.png" for number in range(100)]
    urls = [f"http://{namespace.public(10 + number)}:81/a.png" for number in range(40)] + live
    made = job(trial, "mostly dead", urls, loading={"rate": "20/s", "burst": 1})
    outcome = made.run(kill_after=60)
    done = sum(item["state"] == "done" for item in made.items())
    trial.row(case="mostly dead", tries="40 hosts that refuse, one with 100 images", expected="done 100 in 60 s",
              seen=f"done {done}, exit {outcome.exit} after {outcome.seconds:.0f} s", good=done == 100)


def made_job(trial, name):
    urls = [f"http://{namespace.public(10 + number % HOSTS)}/{number}.png" for number in range(HOSTS * IMAGES)]
    return job(trial, name, urls, retry={"attempts": 3, "backoff": "100ms..1s"},
               loading={"rate": "4/s", "burst": 1, "connectTimeout": "3s", "timeout": "5s"})


def wait(condition, limit=60):
    end = time.monotonic() + limit
    while not condition():
        if time.monotonic() > end:
            return
        time.sleep(0.02)
