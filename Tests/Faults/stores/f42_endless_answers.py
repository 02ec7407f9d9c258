"""F42: answers of object stores that never end.

A listing, an error, a list of a job and an original go on for ever. The run must end by itself, and keep little of them. The control
is a store whose answers end.
"""
from frame import Job, png
from servers.measured import measure
from servers.store import Store

TITLE = "answers of object stores that never end"
TRIES, CI_TRIES = 1, 1
MOST_MEMORY, MOST_SECONDS = 400, 60  # MB, s
PIECE = b"<Contents><Key>a</Key></Contents>" * 2000
CASES = {
    "listing": lambda r: r.command == "GET" and "list-type" in r.query and r.endless(200, PIECE),
    "403 to a listing": lambda r: r.command == "GET" and "list-type" in r.query and r.endless(403, b"<Error>" * 9000),
    "original": lambda r: r.command == "GET" and r.key.endswith("1.png") and r.endless(200, b"\0" * 65536, ETag='"a"'),
    "403 to an original": lambda r: r.command == "GET" and r.key.endswith("1.png") and r.endless(403, b"<Error>" * 9000),
}


def run(trial):
    worst, slowest, wrong = 0, 0, []

    def attempt(name, lie):
        store = Store(lambda request: lie(request) is not False)
        store.objects["shop/1.png"] = png(1)
        job = Job(trial.folder(name.replace(" ", "-")), [], sources=[{"objects": "s3://shop/"}], retry={"attempts": 1},
                  loading={"maxBytes": "1MB"})
        outcome = measure(job, environment=store.environment, limit=MOST_SECONDS)
        store.shutdown()
        return outcome

    for name, lie in CASES.items():
        outcome = attempt(name, lie)
        worst, slowest = max(worst, outcome.peak), max(slowest, outcome.seconds)
        if outcome.exit not in (1, 2, 4) or outcome.peak > MOST_MEMORY:
            wrong.append(name)
            trial.say(f"{name}: exit {outcome.exit}, {outcome.peak:.0f} MB, {outcome.errors[-300:]}")
    control = attempt("control", lambda request: False)
    trial.row(tries=f"{len(CASES)} answers without an end", expected=f"an exit of its own within {MOST_SECONDS} s, ≤ {MOST_MEMORY} MB",
              seen=f"{len(wrong)} wrong, ≤ {slowest:.0f} s, ≤ {worst:.0f} MB", good=not wrong,
              control=f"answers that end: exit {control.exit}", caught=control.exit == 0)
